import { ProtocolServer } from '@thole/testing/http';
import type { Answering, ServerAnswer } from '@thole/testing/http';
import { onTestFinished } from 'vitest';

/** Starts a server for one test. It returns these answers in order, and then repeats the last one. */
export async function useServer(...answers: readonly (ServerAnswer | Answering)[]): Promise<ProtocolServer> {
  let count = 0;
  const server = await ProtocolServer.start((request) => {
    const answer = answers[Math.min(count++, answers.length - 1)]!;
    return typeof answer === 'function' ? answer(request) : answer;
  });
  onTestFinished(() => server.close());
  return server;
}

/** Resolves when `isDone` returns true. It has no time limit except that of the test. */
export async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** An iterable of texts. The test adds each piece. */
export class Pieces implements AsyncIterable<string> {
  readonly #ready: string[] = [];
  #wake = (): void => {};

  add(piece: string): void {
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
