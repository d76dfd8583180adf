/** The rows with the highest scores of many, the first of equals. An offer below `floor` need not be made. */
export class BestRows {
  /** What a score has to be over to be kept. */
  floor: number = -Infinity;
  readonly #limit: number;
  // A heap with the worst on top: the lowest score, the last row of equals.
  readonly #rows: number[] = [];
  readonly #scores: number[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Rows must be offered in rising order. */
  offer(row: number, score: number): void {
    if (!(score > this.floor)) return;
    if (this.#rows.length < this.#limit) this.#raise(row, score);
    else this.#sink(row, score);
    if (this.#rows.length === this.#limit) this.floor = this.#scores[0]!;
  }

  /** In no order. */
  rows(): readonly number[] {
    return this.#rows;
  }

  #raise(row: number, score: number): void {
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

  #sink(row: number, score: number): void {
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
    const that = this.#scores[other]!;
    return score === that ? row > this.#rows[other]! : score < that;
  }
}
