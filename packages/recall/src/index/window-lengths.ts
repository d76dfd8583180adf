import { growColumn } from './grow-columns.ts';

/** Number of neighbours on each side of a turn that belong to its window. */
export const WINDOW_NEIGHBOURS = 4;
/** Returns the weight of a neighbour at a distance, in fifths: 5, 4, 3, 2, 1. Integers, so that sums do not depend on the order. */
export const weightAt = (distance: number): number => WINDOW_NEIGHBOURS + 1 - distance;

const NO_SLOT = -1;

/** The columns of the turns from which window lengths are computed. */
type TurnLinks = Readonly<Record<'lengths' | 'previousOf' | 'nextOf', Int32Array>>;

/** The length of the window around each turn, kept up to date while turns are added and removed. */
export class WindowLengths {
  /** By slot: the words in the turn's window, in fifths. */
  lengths: Int32Array = new Int32Array(64);
  /** Sum of all window lengths. */
  total = 0;
  readonly #turns: TurnLinks;

  constructor(turns: TurnLinks) {
    this.#turns = turns;
  }

  grow(): void {
    this.lengths = growColumn(this.lengths);
  }

  /** Counts a turn that has just been linked to its neighbours. */
  add(slot: number): void {
    this.lengths[slot] = 0;
    this.#measureAround(slot);
  }

  /** Removes a turn whose neighbours have just been linked to each other. */
  remove(slot: number): void {
    const { previousOf, nextOf } = this.#turns;
    this.total -= this.lengths[slot]!;
    if (previousOf[slot] !== NO_SLOT) this.#measureAround(previousOf[slot]!);
    if (nextOf[slot] !== NO_SLOT) this.#measureAround(nextOf[slot]!);
  }

  #measureAround(slot: number): void {
    const { previousOf, nextOf } = this.#turns;
    this.#measure(slot);
    for (const next of [previousOf, nextOf])
      for (let at = next[slot]!, i = 0; at !== NO_SLOT && i < WINDOW_NEIGHBOURS; at = next[at]!, i++) this.#measure(at);
  }

  #measure(slot: number): void {
    const { lengths, previousOf, nextOf } = this.#turns;
    let length = lengths[slot]! * weightAt(0);
    for (const next of [previousOf, nextOf])
      for (let at = next[slot]!, i = 1; at !== NO_SLOT && i <= WINDOW_NEIGHBOURS; at = next[at]!, i++)
        length += lengths[at]! * weightAt(i);
    this.total += length - this.lengths[slot]!;
    this.lengths[slot] = length;
  }
}
