import { ProtocolServer } from '@thole/testing/http';
import type { Answering, ServerAnswer } from '@thole/testing/http';
import { onTestFinished } from 'vitest';

/** A server for one test. It gives these answers one after the other, the last of them again and again. */
export async function useServer(...answers: readonly (ServerAnswer | Answering)[]): Promise<ProtocolServer> {
  let given = 0;
  const server = await ProtocolServer.start((request) => {
    const answer = answers[Math.min(given++, answers.length - 1)]!;
    return typeof answer === 'function' ? answer(request) : answer;
  });
  onTestFinished(() => server.close());
  return server;
}

/** Resolves when this holds; a test's own time limit ends it otherwise. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** Pieces that are handed over when the test says so. */
export class Pieces implements AsyncIterable<string> {
  readonly #ready: string[] = [];
  #wake = (): void => {};

  say(piece: string): void {
    this.#ready.push(piece);
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    for (;;) {
      while (this.#ready.length > 0) yield this.#ready.shift()!;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
