import { grown } from './grown.ts';
import type { TurnLines } from './windows.ts';

/** The lengths of the shortest turn and of the shortest window in each stretch, looked for when somebody asks. */
export class LeastLengths {
  /** By stretch, good once it was looked at: words of the shortest turn, and of the shortest window in fifths. */
  turns: Int32Array = new Int32Array(64);
  /** As long as it is 0, neither is known. */
  windows: Int32Array = new Int32Array(64);
  readonly #lines: TurnLines;
  readonly #windows: { readonly lengths: Int32Array };

  constructor(lines: TurnLines, windows: { readonly lengths: Int32Array }) {
    this.#lines = lines;
    this.#windows = windows;
  }

  get bytes(): number {
    return this.turns.byteLength + this.windows.byteLength;
  }

  makeRoom(stretches: number): void {
    while (this.windows.length < stretches) {
      this.turns = grown(this.turns);
      this.windows = grown(this.windows);
    }
  }

  /** A turn of the stretch has come or gone, or the window of one has changed. */
  forget(stretch: number): void {
    this.windows[stretch] = 0;
  }

  /** Has what is told of a stretch hold. */
  look(stretch: number): void {
    if (this.windows[stretch] !== 0) return;
    const { lengths, after, stretches } = this.#lines;
    const { lengths: windows } = this.#windows;
    let length = Infinity;
    let window = Infinity;
    let slot = stretches.first[stretch]!;
    for (let i = stretches.sizes[stretch]!; i > 0; i--) {
      length = Math.min(length, lengths[slot]!);
      window = Math.min(window, windows[slot]!);
      slot = after[slot]!;
    }
    this.turns[stretch] = length;
    this.windows[stretch] = window;
  }
}
