import { textOf } from '@thole/core';
import type { MemoryEntry } from '@thole/core';
import { dayAt, monthAt } from '../../src/dates/day-span.ts';
import { readDates } from '../../src/dates/read-dates.ts';
import { readRelativeDates } from '../../src/dates/read-relative-dates.ts';
import type { RecallWeights } from '@thole/recall';

/** The parts of a query, so that the reference does not read queries. Reading them is tested elsewhere. */
export interface QueryParts {
  words: readonly string[];
  about?: string | undefined;
  /** A day, as `2023-05-07`. */
  on?: string | undefined;
  when?: boolean | undefined;
}

const cache = new WeakMap<MemoryEntry, string[]>();

/** Returns the words of an entry, without those of dates. */
function wordsOf(entry: MemoryEntry): string[] {
  const words =
    cache.get(entry) ??
    (textOf(entry.content).match(/[a-z]+/g) ?? []).filter((word) => !/^(?:on|today|in|may)$/.test(word));
  cache.set(entry, words);
  return words;
}

/** Ranks entries as the README defines, over all entries and without an index. The index must return the same scores. */
export function rankByDefinition(
  entries: readonly MemoryEntry[],
  query: QueryParts,
  tuning: { weights: RecallWeights; k1: number; b: number },
): { id: string; score: number }[] {
  const { weights } = tuning;
  const sorted = entries.toSorted((a, b) => a.timestamp! - b.timestamp! || (a.id < b.id ? -1 : 1));
  const sessions = Map.groupBy(sorted, (entry) => entry.sessionId ?? entry.id);
  const size = entries.length;
  const count = (words: readonly string[], word: string): number => words.filter((each) => each === word).length;
  const idf = (total: number, withWord: number): number => Math.log(1 + (total - withWord + 0.5) / (withWord + 0.5));
  const counts = new Map<string, number>();
  const entriesWith = (word: string): number => {
    const turns = counts.get(word) ?? entries.filter((entry) => wordsOf(entry).includes(word)).length;
    counts.set(word, turns);
    return turns;
  };
  const bm25 = (n: number, length: number, average: number, k1: number, b: number): number =>
    n === 0 ? 0 : ((k1 + 1) * n) / (n + k1 * (1 - b + (b * length) / (average || 1)));
  const mean = (list: number[]): number => list.reduce((total, value) => total + value, 0) / (list.length || 1);

  const averageOwn = mean(entries.map((entry) => wordsOf(entry).length));
  const own = (entry: MemoryEntry | undefined): number =>
    entry === undefined
      ? 0
      : sum(query.words, (word) => {
          const n = count(wordsOf(entry), word);
          return idf(size, entriesWith(word)) * bm25(n, wordsOf(entry).length, averageOwn, tuning.k1, tuning.b);
        });
  const windowOf = (entry: MemoryEntry): { entry: MemoryEntry; weight: number }[] => {
    const turns = sessions.get(entry.sessionId ?? entry.id)!;
    const at = turns.indexOf(entry);
    return turns
      .map((each, i) => ({ entry: each, weight: 1 - Math.abs(i - at) / 5 }))
      .filter(({ weight }) => weight > 0);
  };
  const lengthOf = (entry: MemoryEntry): number =>
    sum(windowOf(entry), (neighbour) => neighbour.weight * wordsOf(neighbour.entry).length);
  const averageWindow = mean(entries.map(lengthOf));
  const neighbourhood = (entry: MemoryEntry): number =>
    sum(query.words, (word) => {
      const n = sum(windowOf(entry), (neighbour) => neighbour.weight * count(wordsOf(neighbour.entry), word));
      return idf(size, entriesWith(word)) * bm25(n, lengthOf(entry), averageWindow, 1.2, 0.75);
    });
  // The name of an author counts as a word of a session, once per turn, but not for its length.
  const allSessions = [...sessions.values()];
  const sessionLength = (turns: readonly MemoryEntry[]): number => turns.flatMap(wordsOf).length;
  const averageSession = mean(allSessions.map(sessionLength));
  const countInSession = (turns: readonly MemoryEntry[], word: string): number =>
    count(turns.flatMap(wordsOf), word) + turns.filter(({ author }) => author!.toLowerCase() === word).length;
  const sessionWords = [...query.words, ...(query.about ? [query.about.toLowerCase()] : [])];
  const sessionsWith = new Map(
    sessionWords.map((word) => [word, allSessions.filter((each) => countInSession(each, word) > 0).length]),
  );
  const session = (entry: MemoryEntry): number => {
    const turns = sessions.get(entry.sessionId ?? entry.id)!;
    return sum(sessionWords, (word) => {
      const value = bm25(countInSession(turns, word), sessionLength(turns), averageSession, 1.2, 0.75);
      return idf(allSessions.length, sessionsWith.get(word)!) * value;
    });
  };
  const neighbour = (entry: MemoryEntry, offset: number): MemoryEntry | undefined => {
    const turns = sessions.get(entry.sessionId ?? entry.id)!;
    const other = turns[turns.indexOf(entry) + offset];
    return other && other.author !== entry.author ? other : undefined;
  };
  const asks = (entry: MemoryEntry | undefined): boolean => entry !== undefined && textOf(entry.content).includes('?');
  const day = query.on === undefined ? undefined : dayAt(Date.parse(query.on) / 1000);
  const closeness = (entry: MemoryEntry): number => {
    if (day === undefined) return 0;
    const at = entry.timestamp! / 86_400;
    const after = Math.max(at - day - 1, 1 / 86_400); // The next midnight is outside.
    const value = at < day ? Math.exp((at - day) / 6) : at >= day + 1 ? Math.exp(-after / 12) : 1;
    return value < 0.01 ? 0 : value;
  };
  const overlap = (entry: MemoryEntry): number => {
    if (day === undefined) return 0;
    const [text, today] = [textOf(entry.content), dayAt(entry.timestamp!)];
    const spans = [...readRelativeDates(text, today), ...readDates(text, [monthAt(today).year])];
    return Math.max(
      0,
      ...spans.map(({ from, to }) => Math.max(0, Math.min(to, day + 1) - Math.max(from, day)) / (to - from)),
    );
  };

  const values = entries.map((entry) => ({
    ownWords: own(entry),
    neighbourhood: weights.neighbourhood === 0 ? 0 : neighbourhood(entry),
    session: session(entry),
    askedAbout: query.about !== undefined && entry.author === query.about ? 1 : 0,
    answer: weights.answer !== 0 && asks(neighbour(entry, -1)) ? own(neighbour(entry, -1)) : 0,
    questionAhead: weights.questionAhead === 0 ? 0 : own(neighbour(entry, 1)),
    phrase: weights.phrase === 0 ? 0 : phrase(wordsOf(entry)),
    saidThen: weights.saidThen === 0 ? 0 : closeness(entry),
    aboutThen: weights.aboutThen === 0 ? 0 : overlap(entry),
    whenOrHowMany: query.when && /today|\b20\d\d\b|\bmay\b/i.test(textOf(entry.content)) ? 1 : 0,
    isQuestion: textOf(entry.content).endsWith('?') ? 1 : 0,
  }));
  const signals = Object.keys(weights) as (keyof RecallWeights)[];
  const largest = Object.fromEntries(signals.map((name) => [name, Math.max(...values.map((value) => value[name]))]));
  const binary = new Set(['askedAbout', 'whenOrHowMany', 'isQuestion']);
  return entries
    .map((entry, i) => {
      const value = values[i]!;
      const isCandidate =
        value.ownWords + value.neighbourhood + value.answer + value.questionAhead + value.saidThen + value.aboutThen >
        0;
      const score = sum(signals, (name) =>
        value[name] === 0 ? 0 : (weights[name] * value[name]) / (binary.has(name) ? 1 : largest[name]!),
      );
      return { id: entry.id, score: isCandidate ? score : 0 };
    })
    .filter(({ score }) => score > 0);

  function phrase(words: readonly string[]): number {
    const pairs = new Map<string, number>();
    for (let i = 1; i < words.length; i++) {
      const [first, second] = [words[i - 1]!, words[i]!];
      if (first === second || !query.words.includes(first) || !query.words.includes(second)) continue;
      pairs.set([first, second].sort().join(' '), idf(size, entriesWith(first)) + idf(size, entriesWith(second)));
    }
    return sum([...pairs.values()], (value) => value);
  }
}

function sum<T>(list: readonly T[], valueOf: (item: T) => number): number {
  return list.reduce((total, item) => total + valueOf(item), 0);
}
