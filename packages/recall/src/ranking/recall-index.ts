import { textOf } from '@thole/core';
import type { MemoryEntry } from '@thole/core';
import type { Analyzer } from '../analyzer/analyzer.ts';
import { ListPool } from '../index/list-pool.ts';
import { Names } from '../index/names.ts';
import { plainTokens } from '../index/plain-tokens.ts';
import { ASKS, BY_USER, flagsOf } from '../index/turn-flags.ts';
import { TurnTable } from '../index/turn-table.ts';
import { countsOf, WordTable } from '../index/word-table.ts';
import { dayAt, isOnCalendar, monthAt } from '../time/day-span.ts';
import type { DaySpan } from '../time/day-span.ts';
import { spansIn } from '../time/spans-in.ts';
import { Authors, NOBODY } from './authors.ts';

const SPAN_BYTES = 120;

/**
 * What of one user's entries is kept for ranking: words and numbers, no text. Entries come, change and go one by one at the
 * cost of their own words, and nothing that is read from it depends on the order in which they came.
 */
export class RecallIndex {
  readonly analyzer: Analyzer;
  readonly words: WordTable = new WordTable();
  readonly turns: TurnTable = new TurnTable((turn, from, to) => this.#moved(turn, from, to));
  readonly sessions: Names = new Names();
  readonly authors: Authors;
  /** The numbers of each turn's words, in order; see `isForm`. */
  readonly wordsOf: ListPool = new ListPool();
  /** The days that a turn speaks of, for those that do. */
  readonly spans: Map<number, readonly DaySpan[]> = new Map();
  // How often each word stands in the entry at hand; all zero in between.
  #counts = new Uint16Array(1024);

  constructor(analyzer: Analyzer) {
    this.analyzer = analyzer;
    this.authors = new Authors(analyzer);
  }

  get bytes(): number {
    return (
      this.words.bytes + this.turns.bytes + this.wordsOf.bytes + this.spans.size * SPAN_BYTES + this.#counts.byteLength
    );
  }

  put(entry: MemoryEntry): void {
    this.remove(entry.id);
    const text = textOf(entry.content);
    const words = this.analyzer.words(text, 'entry');
    const numbers: number[] = [];
    let length = 0;
    for (const word of words) {
      numbers.push(this.words.numberOf(word));
      if (!isForm(word)) length++;
    }
    const tokens = plainTokens(text);
    const { author, timestamp, content } = entry;
    const asUser = content.role === 'user' || author === 'user';
    this.place(
      {
        id: entry.id,
        time: timestamp ?? -Infinity,
        length,
        author: author === undefined ? NOBODY : this.authors.numberOf(author),
        // What is of no session stands alone.
        session: this.sessions.numberOf(entry.sessionId === undefined ? `1${entry.id}` : `0${entry.sessionId}`),
        flags: flagsOf(text, tokens) | (asUser ? BY_USER : 0),
      },
      numbers,
      timestamp === undefined || !isOnCalendar(timestamp) ? [] : spansIn(text, tokens, dayAt(timestamp)),
    );
  }

  /** Adds a turn whose words have numbers and whose id is new. */
  place(row: Parameters<TurnTable['add']>[0], numbers: readonly number[], spans: readonly DaySpan[]): void {
    const slot = this.turns.add(row);
    const stretch = this.turns.stretches.of[slot]!;
    this.wordsOf.set(slot, numbers);
    this.#eachWord(slot, ADD, stretch);
    if (spans.length > 0) this.spans.set(slot, spans);
    if (row.author !== NOBODY) this.authors.count(row.author, row.session, (row.flags & BY_USER) !== 0, 1);
  }

  /** Whether it was there. */
  remove(id: string): boolean {
    const slot = this.turns.find(id);
    if (slot === undefined) return false;
    const { authors, sessions, flags, stretches } = this.turns;
    const stretch = stretches.of[slot]!;
    this.#eachWord(slot, REMOVE, stretch);
    this.wordsOf.delete(slot);
    this.spans.delete(slot);
    if (authors[slot] !== NOBODY)
      this.authors.count(authors[slot]!, sessions[slot]!, (flags[slot]! & BY_USER) !== 0, -1);
    const session = sessions[slot]!;
    this.turns.remove(slot);
    if (this.turns.ofSessions.turns[session] === 0) this.sessions.forget(session);
    return true;
  }

  /** The calendar years from the first turn to the last. */
  years(): number[] {
    const [first, last] = this.turns.timeSpan();
    if (first > last) return [];
    const from = monthAt(dayAt(first)).year;
    const to = monthAt(dayAt(last)).year;
    return Array.from({ length: Math.min(to - from, MAX_YEARS) + 1 }, (_, i) => to - i);
  }

  #moved(slot: number, from: number, to: number): void {
    this.#eachWord(slot, (words, number, counts) => words.move(number, { from, to }, counts, slot), from);
  }

  /** Each word of a turn once, with what it counts there. */
  #eachWord(slot: number, work: WordWork, stretch: number): void {
    if (this.words.length > this.#counts.length) this.#counts = new Uint16Array(this.words.length * 2);
    const counts = this.#counts;
    const asks = (this.turns.flags[slot]! & ASKS) !== 0;
    const { items, bounds } = this.wordsOf;
    const start = bounds[2 * slot] ?? 0;
    const end = bounds[2 * slot + 1] ?? 0;
    for (let i = start; i < end; i++) counts[items[i]!]!++;
    for (let i = start; i < end; i++) {
      const count = counts[items[i]!]!;
      if (count === 0) continue;
      counts[items[i]!] = 0;
      work(this.words, items[i]!, countsOf(count, asks), stretch, slot);
    }
  }
}

type WordWork = (words: WordTable, number: number, counts: number, stretch: number, slot: number) => void;
const ADD: WordWork = (words, number, counts, stretch, slot) => words.add(number, stretch, counts, slot);
const REMOVE: WordWork = (words, number, counts, stretch) => words.remove(number, stretch, counts);

const MAX_YEARS = 50;

/** A further form of a word, as an `Analyzer` marks it: counts half, and not as length. */
export function isForm(word: string): boolean {
  return word.charCodeAt(0) === 126;
}
