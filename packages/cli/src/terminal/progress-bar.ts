const WIDTH = 30;

/**
 * A progress bar on one line of a terminal. It is redrawn by `show` and needs no timer, so it works while the event
 * loop is busy.
 */
export class ProgressBar {
  readonly #write: (text: string) => void;
  #lastBar = '';

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  /** Draws the bar with a text next to it, if the bar has changed. */
  show(done: number, total: number, text: string): void {
    const cells = total > 0 ? Math.min(WIDTH, Math.floor((done / total) * WIDTH)) : WIDTH;
    const bar = '━'.repeat(cells) + '·'.repeat(WIDTH - cells);
    if (bar === this.#lastBar) return;
    this.#lastBar = bar;
    this.#write(`\r${bar}  ${text}\u001b[K`);
  }

  /** Ends the line of the bar, if one was drawn. */
  end(): void {
    if (this.#lastBar !== '') this.#write('\n');
  }
}
