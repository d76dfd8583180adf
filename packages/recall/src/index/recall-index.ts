import { textOf } from '@thole/core';
import type { MemoryEntry } from '@thole/core';
import type { Analyzer } from '../analysis/analyzer.ts';
import { isVariant } from '../analysis/analyzer.ts';
import { dayAt, isOnCalendar, monthAt } from '../dates/day-span.ts';
import type { DaySpan } from '../dates/day-span.ts';
import { readDaySpans } from '../dates/read-day-spans.ts';
import { Authors, NO_AUTHOR } from './authors.ts';
import { NameTable } from './name-table.ts';
import { latinTokens } from '../analysis/latin-tokens.ts';
import { ABOUT_USER, BY_USER, flagsOf } from './turn-flags.ts';
import { TurnTable } from './turn-table.ts';
import type { TurnRow } from './turn-table.ts';
import { WordTable } from './word-table.ts';

const SPAN_BYTES = 120;
const LIST_BYTES = 40;
const MAX_YEARS = 50;
const NO_WORDS: readonly number[] = [];

/**
 * The index of one user's entries: words and numbers, no text. The cost of adding, replacing or removing an entry depends only
 * on the words of that entry. Search results do not depend on the order in which entries were added.
 */
export class RecallIndex {
  readonly analyzer: Analyzer;
  readonly words: WordTable = new WordTable();
  readonly turns: TurnTable = new TurnTable();
  readonly sessions: NameTable = new NameTable();
  readonly authors: Authors;
  /** By slot: the numbers of the turn's words, in order. */
  readonly wordsOf: (readonly number[])[] = [];
  /** By slot: the days that the turn mentions. */
  readonly spans: Map<number, readonly DaySpan[]> = new Map();
  /** By slot: the id of the fact that replaced this one. */
  readonly successors: Map<number, string> = new Map();
  /** By word: its count in the current entry. All zero between calls. */
  #counts = new Uint32Array(1024);
  #wordBytes = 0;

  constructor(analyzer: Analyzer) {
    this.analyzer = analyzer;
    this.authors = new Authors(analyzer);
  }

  /** Approximate memory in bytes. */
  get bytes(): number {
    const maps = (this.spans.size + this.successors.size) * SPAN_BYTES;
    return this.words.bytes + this.turns.bytes + this.#wordBytes + maps + this.#counts.byteLength;
  }

  /** The average number of words per entry. */
  get averageLength(): number {
    return this.turns.totalLength / (this.turns.size || 1);
  }

  /** Adds an entry, or replaces the entry with the same id. */
  put(entry: MemoryEntry): void {
    this.remove(entry.id);
    const { author, content, kind, sessionId, supersededBy, timestamp } = entry;
    const text = textOf(content);
    const words = this.analyzer.words(text, 'entry');
    const tokens = latinTokens(text);
    const byUser = content.role === 'user' || author === 'user' ? BY_USER : 0;
    const slot = this.insert(
      {
        id: entry.id,
        time: timestamp ?? -Infinity,
        length: words.reduce((length, word) => (isVariant(word) ? length : length + 1), 0),
        author: author === undefined ? NO_AUTHOR : this.authors.numberOf(author),
        // An entry without a session gets a separate session.
        session: this.sessions.numberOf(sessionId === undefined ? `1${entry.id}` : `0${sessionId}`),
        flags: flagsOf(text, tokens) | byUser | (kind === 'turn' ? 0 : ABOUT_USER),
      },
      words.map((word) => this.words.numberOf(word)),
      timestamp === undefined || !isOnCalendar(timestamp) ? [] : readDaySpans(text, tokens, dayAt(timestamp)),
    );
    if (supersededBy !== undefined) this.successors.set(slot, supersededBy);
  }

  /** Adds a turn whose id is new. Returns its slot. */
  insert(row: TurnRow, numbers: readonly number[], spans: readonly DaySpan[]): number {
    const slot = this.turns.add(row);
    this.wordsOf[slot] = numbers;
    this.#wordBytes += LIST_BYTES + 8 * numbers.length;
    this.#forEachWord(slot, (number, count) => this.words.add(number, slot, count));
    if (spans.length > 0) this.spans.set(slot, spans);
    if (row.author !== NO_AUTHOR) this.authors.count(row.author, row.session, (row.flags & BY_USER) !== 0, 1);
    return slot;
  }

  /** Removes an entry. Returns true if it existed. */
  remove(id: string): boolean {
    const slot = this.turns.find(id);
    if (slot === undefined) return false;
    const { authors, sessions, flags } = this.turns;
    const [author, session] = [authors[slot]!, sessions[slot]!];
    this.#forEachWord(slot, (number) => this.words.remove(number, slot));
    this.#wordBytes -= LIST_BYTES + 8 * this.wordsOf[slot]!.length;
    this.wordsOf[slot] = NO_WORDS;
    this.spans.delete(slot);
    this.successors.delete(slot);
    if (author !== NO_AUTHOR) this.authors.count(author, session, (flags[slot]! & BY_USER) !== 0, -1);
    this.turns.remove(slot);
    if (this.turns.sessionCounts.turns[session] === 0) this.sessions.remove(session);
    return true;
  }

  /** Returns the calendar years from the first turn to the last, newest first. */
  years(): number[] {
    const [first, last] = this.turns.timeSpan();
    if (first > last) return [];
    const from = monthAt(dayAt(first)).year;
    const to = monthAt(dayAt(last)).year;
    return Array.from({ length: Math.min(to - from, MAX_YEARS) + 1 }, (_, i) => to - i);
  }

  /** Calls `work` once per distinct word of a turn, with the word's count. */
  #forEachWord(slot: number, work: (number: number, count: number) => void): void {
    if (this.words.length > this.#counts.length) this.#counts = new Uint32Array(this.words.length * 2);
    const counts = this.#counts;
    const words = this.wordsOf[slot]!;
    for (let i = 0; i < words.length; i++) counts[words[i]!]!++;
    for (let i = 0; i < words.length; i++) {
      const number = words[i]!;
      const count = counts[number]!;
      if (count === 0) continue;
      counts[number] = 0;
      work(number, count);
    }
  }
}
