/** Keeps the best `limit` of all offers, in order. Made for small limits: an offer that is kept costs one pass over those kept. */
export class TopK {
  readonly #limit: number;
  readonly #isBetter: (a: number, b: number) => boolean;
  /** Best first. */
  readonly #kept: number[] = [];

  constructor(limit: number, isBetter: (a: number, b: number) => boolean) {
    this.#limit = limit;
    this.#isBetter = isBetter;
  }

  /** The worst one kept, once there are `limit` of them. */
  get worst(): number | undefined {
    return this.#kept.length < this.#limit ? undefined : this.#kept[this.#limit - 1];
  }

  /** True if an offer would be kept now. */
  wants(candidate: number): boolean {
    const { worst } = this;
    return this.#limit > 0 && (worst === undefined || this.#isBetter(candidate, worst));
  }

  offer(candidate: number): void {
    if (!this.wants(candidate)) return;
    const kept = this.#kept;
    let [low, high] = [0, kept.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#isBetter(kept[middle]!, candidate)) low = middle + 1;
      else high = middle;
    }
    kept.splice(low, 0, candidate);
    if (kept.length > this.#limit) kept.pop();
  }

  /** Best first. */
  sorted(): number[] {
    return [...this.#kept];
  }
}
