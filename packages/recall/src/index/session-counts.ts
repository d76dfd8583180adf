/** The number of turns and words of each session. */
export class SessionCounts {
  /** By session: the number of words, and the number of turns. */
  readonly lengths: number[] = [];
  readonly turns: number[] = [];
  /** Number of sessions with turns. */
  count = 0;

  get bytes(): number {
    return this.turns.length * 24;
  }

  /** Adds turns and their words to a session; negative numbers subtract. */
  add(session: number, turns: number, words: number): void {
    const previous = this.turns[session] ?? 0;
    this.turns[session] = previous + turns;
    this.lengths[session] = (this.lengths[session] ?? 0) + words;
    if (previous === 0) this.count++;
    if (previous + turns === 0) this.count--;
  }
}
