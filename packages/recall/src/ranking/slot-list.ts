import { grown } from '../index/grown.ts';

/** A list of small whole numbers that keeps its room when it is emptied. */
export class SlotList {
  length = 0;
  /** Where the numbers stand; good until the next one that comes. */
  items: Int32Array = new Int32Array(256);

  push(item: number): void {
    if (this.length === this.items.length) this.items = grown(this.items);
    this.items[this.length++] = item;
  }

  at(i: number): number {
    return this.items[i]!;
  }
}
