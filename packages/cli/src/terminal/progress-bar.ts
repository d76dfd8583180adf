const WIDTH = 30;

/**
 * A bar in a line of a terminal, drawn over itself whenever it has grown. It needs no timer: work that leaves the event loop no turn
 * shows it too.
 */
export class ProgressBar {
  readonly #write: (text: string) => void;
  #shown = '';

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  /** Shows that so much of all is done, and says it in words, which stand beside the bar when it is drawn. */
  show(done: number, total: number, words: string): void {
    const cells = total > 0 ? Math.min(WIDTH, Math.floor((done / total) * WIDTH)) : WIDTH;
    const bar = '━'.repeat(cells) + '·'.repeat(WIDTH - cells);
    if (bar === this.#shown) return;
    this.#shown = bar;
    this.#write(`\r${bar}  ${words}\u001b[K`);
  }

  /** Leaves the line as it stands; nothing where none was drawn. */
  end(): void {
    if (this.#shown !== '') this.#write('\n');
  }
}
