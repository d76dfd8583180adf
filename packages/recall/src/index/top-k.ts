/** Keeps the best `limit` candidates in order. Suited to small limits: each kept candidate moves the worse ones. */
export class TopK {
  readonly #limit: number;
  readonly #isBetter: (a: number, b: number) => boolean;
  /** Best first. */
  readonly #best: number[] = [];

  constructor(limit: number, isBetter: (a: number, b: number) => boolean) {
    this.#limit = limit;
    this.#isBetter = isBetter;
  }

  /** The worst kept candidate; undefined while fewer than `limit` are kept. */
  get worst(): number | undefined {
    return this.#best.length < this.#limit ? undefined : this.#best[this.#limit - 1];
  }

  /** True if `offer` would keep the candidate. */
  wouldKeep(candidate: number): boolean {
    const { worst } = this;
    return this.#limit > 0 && (worst === undefined || this.#isBetter(candidate, worst));
  }

  /** Keeps the candidate if it is among the best `limit` so far. */
  offer(candidate: number): void {
    if (!this.wouldKeep(candidate)) return;
    const best = this.#best;
    let [low, high] = [0, best.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#isBetter(best[middle]!, candidate)) low = middle + 1;
      else high = middle;
    }
    best.splice(low, 0, candidate);
    if (best.length > this.#limit) best.pop();
  }

  /** Returns the kept candidates, best first. */
  sorted(): number[] {
    return [...this.#best];
  }
}
