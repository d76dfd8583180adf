import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { RawConnection } from './raw-connection.ts';
import type { Command } from './serve-runs.ts';

/** A server in a separate process, and connections to it. */
export class Served {
  readonly url: string;
  readonly #child: ChildProcess;
  #batch = 0;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  static async start(...args: string[]): Promise<Served> {
    const child = fork(join(import.meta.dirname, 'serve-runs.ts'), args, {
      execArgv: [...process.execArgv, ...(process.env['BENCH_FLAGS']?.split(' ') ?? [])],
    });
    const died = new Promise<never>((_, reject) =>
      child.once('exit', (code) => reject(new Error(`A server ended with exit code ${code}.`))),
    );
    died.catch(() => {});
    return new Served(child, (await Promise.race([nextMessage(child), died])) as string);
  }

  /** Sends a command and returns the answer. */
  async send(command: Command): Promise<number> {
    const answer = nextMessage(this.#child);
    this.#child.send(command);
    return (await answer) as number;
  }

  stop(): void {
    this.#child.send({ stop: true } satisfies Command);
  }

  connect(count: number): Promise<RawConnection[]> {
    return Promise.all(Array.from({ length: count }, () => RawConnection.open(this.url)));
  }

  /** Returns wall time and CPU of the server for N runs, each in a new session, in µs per run. */
  async runs(
    connections: readonly RawConnection[],
    p: { count: number; path: string; appName?: string },
  ): Promise<{ wall: number; cpu: number }> {
    const prefix = `b${this.#batch++}-`;
    await this.send({ sessions: p.count, prefix });
    const cpu = await this.send({ cpu: true });
    const begin = performance.now();
    let next = 0;
    const fallAsleep = stayAwake();
    await Promise.all(
      connections.map(async (connection) => {
        while (next < p.count) await connection.post(p.path, bodyOf(`${prefix}${next++}`, p.appName));
      }),
    ).finally(fallAsleep);
    const wall = performance.now() - begin;
    return { wall: (wall * 1_000) / p.count, cpu: ((await this.send({ cpu: true })) - cpu) / p.count };
  }
}

/** Returns the body of a request that runs a message. */
export function bodyOf(sessionId: string, appName = 'app'): string {
  const newMessage = { role: 'user', parts: [{ text: 'Is there a room with a view?' }] };
  return JSON.stringify({ appName, userId: 'u', sessionId, newMessage, streaming: true });
}

/**
 * Keeps the event loop of this process busy until the returned function is called. If the client sleeps, the write of each response
 * has to wake it. In a virtual machine this takes 20 to 30 µs, and is not a cost of the server.
 */
function stayAwake(): () => void {
  let immediate = setImmediate(turn);
  function turn(): void {
    immediate = setImmediate(turn);
  }
  return () => clearImmediate(immediate);
}

function nextMessage(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve) => child.once('message', resolve));
}
