/** What the turns of each session add up to. */
export class SessionCounts {
  /** Words, and turns, by session. */
  readonly lengths: number[] = [];
  readonly turns: number[] = [];
  /** Sessions with a turn. */
  count = 0;

  get bytes(): number {
    return this.turns.length * 24;
  }

  /** Turns that came, or went where the numbers are negative. */
  add(session: number, turns: number, words: number): void {
    const had = this.turns[session] ?? 0;
    this.turns[session] = had + turns;
    this.lengths[session] = (this.lengths[session] ?? 0) + words;
    if (had === 0) this.count++;
    if (had + turns === 0) this.count--;
  }
}
