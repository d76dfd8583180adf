import type { Column } from '../service/segment-bytes.ts';

/** Lists of whole numbers in one block of memory, found by a small number of their own. A hundred thousand arrays would cost three times as much. */
export class ListPool {
  #block: Uint32Array = new Uint32Array(256);
  /** By key: where its list begins, and where it ends. */
  #bounds: Uint32Array = new Uint32Array(128);
  #keys = 0;
  #end = 0;
  #wasted = 0;

  /** Where all lists stand; `bounds` has two numbers for each key, where its list begins and ends. Good until the next change. */
  get items(): Uint32Array {
    return this.#block;
  }
  get bounds(): Uint32Array {
    return this.#bounds;
  }

  /** Keeps a list under a key that has none. */
  set(key: number, list: ArrayLike<number>): void {
    if (this.#end + list.length > this.#block.length) this.#makeRoom(list.length);
    while (2 * key >= this.#bounds.length) this.#bounds = longer(this.#bounds, 2 * this.#bounds.length);
    this.#block.set(list, this.#end);
    this.#bounds[2 * key] = this.#end;
    this.#bounds[2 * key + 1] = this.#end += list.length;
    this.#keys = Math.max(this.#keys, key + 1);
  }

  /** A view that is good until the next change; empty for a key without a list. */
  get(key: number): Uint32Array {
    return this.#block.subarray(this.#bounds[2 * key] ?? 0, this.#bounds[2 * key + 1] ?? 0);
  }

  delete(key: number): void {
    const start = this.#bounds[2 * key] ?? 0;
    this.#wasted += (this.#bounds[2 * key + 1] ?? 0) - start;
    if (2 * key < this.#bounds.length) this.#bounds[2 * key + 1] = start;
  }

  /** How long the list of each key below `keys` is, and the lists one after the other. */
  save(keys: number): Column[] {
    const lengths = new Int32Array(keys);
    const joined = new Int32Array(this.#end - this.#wasted);
    let at = 0;
    for (let key = 0; key < keys; key++) {
      const list = this.get(key);
      lengths[key] = list.length;
      joined.set(list, at);
      at += list.length;
    }
    return [lengths, joined];
  }

  /** Takes what was saved; nothing may be here yet. */
  load([lengths, joined]: readonly Column[]): void {
    const keys = lengths!.length;
    this.#keys = keys;
    this.#end = joined!.length;
    this.#block = new Uint32Array(Math.max(256, this.#end));
    this.#block.set(joined as Int32Array);
    this.#bounds = new Uint32Array(Math.max(128, 2 * keys));
    for (let key = 0, at = 0; key < keys; key++) {
      this.#bounds[2 * key] = at;
      this.#bounds[2 * key + 1] = at += (lengths as Int32Array)[key]!;
    }
  }

  get bytes(): number {
    return this.#block.byteLength + this.#bounds.byteLength;
  }

  #makeRoom(needed: number): void {
    const used = this.#end - this.#wasted + needed;
    const next = new Uint32Array(Math.max(this.#block.length, used * 2));
    let end = 0;
    for (let key = 0; key < this.#keys; key++) {
      const list = this.get(key);
      next.set(list, end);
      this.#bounds[2 * key] = end;
      this.#bounds[2 * key + 1] = end += list.length;
    }
    this.#block = next;
    this.#end = end;
    this.#wasted = 0;
  }
}

function longer(numbers: Uint32Array, length: number): Uint32Array {
  const next = new Uint32Array(length);
  next.set(numbers);
  return next;
}
