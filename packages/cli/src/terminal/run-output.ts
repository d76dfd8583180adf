import type { TerminalStyle } from './terminal-style.ts';

/** The output of a run. In a terminal it shows "working…" while there is no other text. */
export class RunOutput {
  readonly style: TerminalStyle;
  readonly #write: (text: string) => void;
  #isNoticeShown = false;

  constructor(write: (text: string) => void, style: TerminalStyle) {
    this.#write = write;
    this.style = style;
  }

  /** Writes a text, and erases the notice first. */
  write(text: string): void {
    this.clearNotice();
    this.#write(text);
  }

  /** Shows "working…". Call it only at the start of a line. */
  showNotice(): void {
    if (!this.style.isTerminal || this.#isNoticeShown) return;
    this.#isNoticeShown = true;
    this.#write(this.style.paint('note', 'working…'));
  }

  clearNotice(): void {
    if (this.#isNoticeShown) this.#write('\r\u001b[K');
    this.#isNoticeShown = false;
  }
}
