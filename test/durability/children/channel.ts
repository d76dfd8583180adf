import { writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { createInterface } from 'node:readline';

/** Lines of JSON between a child program and the test that started it. */
export class Channel<Heard> {
  readonly #lines: AsyncIterator<string>;
  #isSaved = false;

  constructor() {
    this.#lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  }

  /** Sends a line to the test. The line is written when this returns, even if the process is killed then. Waits while the pipe is full. */
  tell(message: object): void {
    this.#saveCompiled();
    const bytes = Buffer.from(`${JSON.stringify(message)}\n`);
    for (let at = 0; at < bytes.length;) {
      try {
        at += writeSync(1, bytes, at);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
      }
    }
  }

  /** Saves compiled code for the next process. Node saves it at the end of a process, which a killed process does not reach. */
  #saveCompiled(): void {
    if (!this.#isSaved) flushCompileCache();
    this.#isSaved = true;
  }

  /** Returns the next line of the test. Ends this process if the test has ended. */
  async hear(): Promise<Heard> {
    const { value, done } = await this.#lines.next();
    if (done) process.exit(1);
    return JSON.parse(value) as Heard;
  }
}
