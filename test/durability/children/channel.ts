import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** Lines of JSON between a child program and the test that started it. */
export class Channel<Heard> {
  readonly #lines: AsyncIterator<string>;

  constructor() {
    this.#lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  }

  /** Written when this returns, whatever becomes of this process then. */
  tell(message: object): void {
    writeSync(1, `${JSON.stringify(message)}\n`);
  }

  /** The test's next line. Once the test is gone, so is this process. */
  async hear(): Promise<Heard> {
    const { value, done } = await this.#lines.next();
    if (done) process.exit(1);
    return JSON.parse(value) as Heard;
  }
}
