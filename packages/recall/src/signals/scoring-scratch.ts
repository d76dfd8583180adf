import type { RecallIndex } from '../index/recall-index.ts';

const BY_TURN = ['ownWords', 'windows', 'phrases', 'saidThen', 'aboutThen', 'scores'] as const;
const BY_SESSION = ['sessions', 'maxOwn', 'maxAnswered', 'maxWindow', 'upperBounds'] as const;

/** Working memory of a search, reused by the next search. Every column is zero between searches. */
export class ScoringScratch {
  /** By slot: BM25 of the turn's own words, and of its window. */
  ownWords: Float64Array = new Float64Array(0);
  windows: Float64Array = new Float64Array(0);
  /** By slot: sum of the inverse document frequencies of query words that are next to each other. */
  phrases: Float64Array = new Float64Array(0);
  /** By slot: closeness of the turn's time, and overlap of the days it mentions, with the times in the query. */
  saidThen: Float64Array = new Float64Array(0);
  aboutThen: Float64Array = new Float64Array(0);
  /** By slot: the score, after the turn's session has been scored. */
  scores: Float64Array = new Float64Array(0);
  /** By slot: the number of query words in the turn. */
  matches: Uint8Array = new Uint8Array(0);
  /** By session: BM25 of the session; upper bounds of `ownWords`, of `ownWords` of answered questions, and of `windows`. */
  sessions: Float64Array = new Float64Array(0);
  maxOwn: Float64Array = new Float64Array(0);
  maxAnswered: Float64Array = new Float64Array(0);
  maxWindow: Float64Array = new Float64Array(0);
  /** By session: upper bound of the scores of its turns. */
  upperBounds: Float64Array = new Float64Array(0);
  /** By session: the count of the current word; 1 if it is in `matchedSessions`; 1 after `windows` was computed for its turns. */
  sessionCounts: Int32Array = new Int32Array(0);
  isMatched: Uint8Array = new Uint8Array(0);
  hasWindows: Uint8Array = new Uint8Array(0);
  /** By word number: its position in the query plus one. */
  positions: Uint16Array = new Uint16Array(0);

  /** Slots, sessions and words with a value in one of the columns. */
  readonly matchedSlots: number[] = [];
  readonly datedSlots: number[] = [];
  readonly scoredSlots: number[] = [];
  readonly windowedSlots: number[] = [];
  readonly matchedSessions: number[] = [];
  readonly words: number[] = [];

  /** Adds a session to `matchedSessions` unless it is in the list. */
  addMatchedSession(session: number): void {
    if (this.isMatched[session] !== 0) return;
    this.isMatched[session] = 1;
    this.matchedSessions.push(session);
  }

  /** Makes the columns long enough for the index. */
  ensureCapacity({ turns, sessions, words }: RecallIndex): void {
    if (this.ownWords.length < turns.capacity) {
      for (const name of BY_TURN) this[name] = new Float64Array(turns.capacity);
      this.matches = new Uint8Array(turns.capacity);
    }
    if (this.sessions.length < sessions.length) {
      for (const name of BY_SESSION) this[name] = new Float64Array(2 * sessions.length);
      this.sessionCounts = new Int32Array(2 * sessions.length);
      this.isMatched = new Uint8Array(2 * sessions.length);
      this.hasWindows = new Uint8Array(2 * sessions.length);
    }
    if (this.positions.length < words.length) this.positions = new Uint16Array(2 * words.length);
  }

  /** Sets every value back to zero. */
  clear(): void {
    for (const column of [this.ownWords, this.phrases, this.matches]) clearAt(column, this.matchedSlots);
    clearAt(this.windows, this.windowedSlots);
    for (const column of [this.saidThen, this.aboutThen]) clearAt(column, this.datedSlots);
    clearAt(this.scores, this.scoredSlots);
    for (const name of BY_SESSION) clearAt(this[name], this.matchedSessions);
    for (const column of [this.isMatched, this.hasWindows]) clearAt(column, this.matchedSessions);
    clearAt(this.positions, this.words);
    const { matchedSlots, windowedSlots, datedSlots, scoredSlots, matchedSessions, words } = this;
    for (const list of [matchedSlots, windowedSlots, datedSlots, scoredSlots, matchedSessions, words]) list.length = 0;
  }
}

function clearAt(column: Float64Array | Uint16Array | Uint8Array, indexes: readonly number[]): void {
  for (let i = 0; i < indexes.length; i++) column[indexes[i]!] = 0;
}
