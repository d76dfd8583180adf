/** Lists of whole numbers in one block of memory, found by a small number of their own. A hundred thousand arrays would cost three times as much. */
export class ListPool {
  #block: Uint32Array = new Uint32Array(256);
  #end = 0;
  #wasted = 0;
  readonly #starts: number[] = [];
  readonly #lengths: number[] = [];

  /** Keeps a list under a key that has none. */
  set(key: number, list: readonly number[]): void {
    if (this.#end + list.length > this.#block.length) this.#makeRoom(list.length);
    this.#block.set(list, this.#end);
    this.#starts[key] = this.#end;
    this.#lengths[key] = list.length;
    this.#end += list.length;
  }

  /** A view that is good until the next change. */
  get(key: number): Uint32Array {
    const start = this.#starts[key] ?? 0;
    return this.#block.subarray(start, start + (this.#lengths[key] ?? 0));
  }

  delete(key: number): void {
    this.#wasted += this.#lengths[key] ?? 0;
    this.#lengths[key] = 0;
  }

  get bytes(): number {
    return this.#block.byteLength + 16 * this.#starts.length;
  }

  #makeRoom(needed: number): void {
    const used = this.#end - this.#wasted + needed;
    const next = new Uint32Array(Math.max(this.#block.length, used * 2));
    let end = 0;
    for (let key = 0; key < this.#starts.length; key++) {
      const list = this.get(key);
      next.set(list, end);
      this.#starts[key] = end;
      end += list.length;
    }
    this.#block = next;
    this.#end = end;
    this.#wasted = 0;
  }
}
