import type { Look } from './look.ts';

/** Where a run is written: what is said and done, and in a terminal that the model is working while nothing is said. */
export class RunOutput {
  readonly look: Look;
  readonly #write: (text: string) => void;
  #isNoticed = false;

  constructor(write: (text: string) => void, look: Look) {
    this.#write = write;
    this.look = look;
  }

  /** Writes a text in the place of the notice, if there is one. */
  write(text: string): void {
    this.quiet();
    this.#write(text);
  }

  /** Shows that the model is working. Only at the beginning of a line. */
  working(): void {
    if (!this.look.isTerminal || this.#isNoticed) return;
    this.#isNoticed = true;
    this.#write(this.look.paint('note', 'working…'));
  }

  /** Takes the notice away. */
  quiet(): void {
    if (this.#isNoticed) this.#write('\r\u001b[K');
    this.#isNoticed = false;
  }
}
