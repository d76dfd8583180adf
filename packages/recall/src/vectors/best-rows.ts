/** Keeps the rows with the highest scores; of equal scores the first rows. Callers need not offer rows with scores up to `floor`. */
export class BestRows {
  /** Only scores above this are kept. */
  floor: number = -Infinity;
  readonly #limit: number;
  // A heap with the worst row at the top: the lowest score, and the last row of equal scores.
  readonly #rows: number[] = [];
  readonly #scores: number[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Keeps the row if it is among the best so far. Rows must be offered in ascending order. */
  offer(row: number, score: number): void {
    if (!(score > this.floor)) return;
    if (this.#rows.length < this.#limit) this.#insert(row, score);
    else this.#replaceWorst(row, score);
    if (this.#rows.length === this.#limit) this.floor = this.#scores[0]!;
  }

  /** Returns the kept rows in no particular order. */
  rows(): readonly number[] {
    return this.#rows;
  }

  #insert(row: number, score: number): void {
    let i = this.#rows.length;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (!this.#isWorse(row, score, parent)) break;
      this.#move(parent, i);
      i = parent;
    }
    this.#rows[i] = row;
    this.#scores[i] = score;
  }

  #replaceWorst(row: number, score: number): void {
    const { length } = this.#rows;
    let i = 0;
    for (let child = 1; child < length; child = 2 * i + 1) {
      if (child + 1 < length && this.#isWorse(this.#rows[child + 1]!, this.#scores[child + 1]!, child)) child++;
      if (this.#isWorse(row, score, child)) break;
      this.#move(child, i);
      i = child;
    }
    this.#rows[i] = row;
    this.#scores[i] = score;
  }

  #move(from: number, to: number): void {
    this.#rows[to] = this.#rows[from]!;
    this.#scores[to] = this.#scores[from]!;
  }

  #isWorse(row: number, score: number, other: number): boolean {
    const otherScore = this.#scores[other]!;
    return score === otherScore ? row > this.#rows[other]! : score < otherScore;
  }
}
