import { grown } from './grown.ts';
import { LeastLengths } from './least-lengths.ts';
import type { Stretches } from './stretches.ts';

/** How many neighbours each way belong to a turn's window. */
export const REACH = 4;
/** What a neighbour at this distance counts, in fifths: 5, 4, 3, 2, 1. Whole numbers, so that sums do not depend on their order. */
export const shareAt = (distance: number): number => REACH + 1 - distance;

const NONE = -1;

/** What of the turns the length of a window comes from. */
export interface TurnLines {
  readonly lengths: Int32Array;
  readonly before: Int32Array;
  readonly after: Int32Array;
  readonly stretches: Stretches;
}

/** How long the window around each turn is, kept up while turns come and go. */
export class Windows {
  /** By turn: the words in its window, in fifths. */
  lengths: Int32Array = new Int32Array(64);
  /** Of all turns. */
  total = 0;
  readonly least: LeastLengths;
  readonly #turns: TurnLines;

  constructor(turns: TurnLines) {
    this.#turns = turns;
    this.least = new LeastLengths(turns, this);
  }

  grow(): void {
    this.lengths = grown(this.lengths);
  }

  /** Takes what was saved, of turns and stretches that are there again. */
  load(lengths: Int32Array): void {
    this.lengths.set(lengths);
    for (const length of lengths) this.total += length;
    this.least.makeRoom(this.#turns.stretches.end);
  }

  /** A turn that stands in its line now. */
  add(slot: number): void {
    const { after, stretches } = this.#turns;
    this.lengths[slot] = 0;
    this.least.makeRoom(stretches.end);
    if (after[slot] === NONE) this.#measureLast(slot);
    else this.#measureAround(slot);
  }

  /** A turn whose neighbours stand side by side now. */
  remove(slot: number): void {
    const { before, after } = this.#turns;
    this.total -= this.lengths[slot]!;
    if (before[slot] !== NONE) this.#measureAround(before[slot]!);
    if (after[slot] !== NONE) this.#measureAround(after[slot]!);
  }

  /** Most turns come last: what that changes in the windows before is known without looking at the rest of them. */
  #measureLast(slot: number): void {
    const { lengths, before, stretches } = this.#turns;
    const length = lengths[slot]!;
    let window = length * shareAt(0);
    for (let at = before[slot]!, d = 1; at !== NONE && d <= REACH; at = before[at]!, d++) {
      window += lengths[at]! * shareAt(d);
      this.lengths[at]! += length * shareAt(d);
      this.total += length * shareAt(d);
      this.least.forget(stretches.of[at]!);
    }
    this.lengths[slot] = window;
    this.total += window;
    this.least.forget(stretches.of[slot]!);
  }

  #measureAround(slot: number): void {
    const { before, after } = this.#turns;
    this.#measure(slot);
    for (let at = before[slot]!, i = 0; at !== NONE && i < REACH; at = before[at]!, i++) this.#measure(at);
    for (let at = after[slot]!, i = 0; at !== NONE && i < REACH; at = after[at]!, i++) this.#measure(at);
  }

  #measure(slot: number): void {
    const { lengths, before, after, stretches } = this.#turns;
    let length = lengths[slot]! * shareAt(0);
    for (let at = before[slot]!, d = 1; at !== NONE && d <= REACH; at = before[at]!, d++)
      length += lengths[at]! * shareAt(d);
    for (let at = after[slot]!, d = 1; at !== NONE && d <= REACH; at = after[at]!, d++)
      length += lengths[at]! * shareAt(d);
    this.total += length - this.lengths[slot]!;
    this.lengths[slot] = length;
    this.least.forget(stretches.of[slot]!);
  }
}
