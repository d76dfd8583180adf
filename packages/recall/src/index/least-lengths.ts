import { grown } from './grown.ts';
import type { TurnLines } from './windows.ts';

/** The lengths of the shortest turn and of the shortest window in each stretch, looked for when somebody asks. */
export class LeastLengths {
  readonly #turns: TurnLines;
  readonly #windows: { readonly lengths: Int32Array };
  /** By stretch; as long as the window is 0, neither is known. */
  #leastTurns: Int32Array = new Int32Array(64);
  #leastWindows: Int32Array = new Int32Array(64);

  constructor(turns: TurnLines, windows: { readonly lengths: Int32Array }) {
    this.#turns = turns;
    this.#windows = windows;
  }

  get bytes(): number {
    return this.#leastTurns.byteLength + this.#leastWindows.byteLength;
  }

  makeRoom(stretches: number): void {
    while (this.#leastWindows.length < stretches) {
      this.#leastTurns = grown(this.#leastTurns);
      this.#leastWindows = grown(this.#leastWindows);
    }
  }

  /** A turn of the stretch has come or gone, or the window of one has changed. */
  forget(stretch: number): void {
    this.#leastWindows[stretch] = 0;
  }

  /** Of the shortest window, in fifths. */
  window(stretch: number): number {
    return this.#leastWindows[stretch] || this.#read(stretch);
  }

  /** Of the shortest turn. */
  turn(stretch: number): number {
    if (this.#leastWindows[stretch] === 0) this.#read(stretch);
    return this.#leastTurns[stretch]!;
  }

  #read(stretch: number): number {
    const { lengths, after, stretches } = this.#turns;
    const { lengths: windows } = this.#windows;
    let [length, window] = [Infinity, Infinity];
    let slot = stretches.first[stretch]!;
    for (let i = stretches.sizes[stretch]!; i > 0; i--) {
      length = Math.min(length, lengths[slot]!);
      window = Math.min(window, windows[slot]!);
      slot = after[slot]!;
    }
    this.#leastTurns[stretch] = length;
    return (this.#leastWindows[stretch] = window);
  }
}
