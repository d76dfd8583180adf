import { textOf } from '@thole/core';
import type { MemoryEntry } from '@thole/core';
import { dayAt, monthAt } from '../../src/dates/day-span.ts';
import { readDates } from '../../src/dates/read-dates.ts';
import { readRelativeDates } from '../../src/dates/read-relative-dates.ts';
import type { RecallWeights } from '@thole/recall';

/** What a query names, told beside it: reading it is tested elsewhere. */
export interface Asked {
  words: readonly string[];
  about?: string | undefined;
  /** A day, as `2023-05-07`. */
  on?: string | undefined;
  when?: boolean | undefined;
}

const known = new WeakMap<MemoryEntry, string[]>();

// Without the words by which times are told.
function wordsOf(entry: MemoryEntry): string[] {
  const words =
    known.get(entry) ??
    (textOf(entry.content).match(/[a-z]+/g) ?? []).filter((word) => !/^(?:on|today|in|may)$/.test(word));
  known.set(entry, words);
  return words;
}

/** The ranking as it is told in the README, over all entries and without an index. */
export function rankByTheBook(
  entries: readonly MemoryEntry[],
  asked: Asked,
  tuning: { weights: RecallWeights; k1: number; b: number },
): { id: string; score: number }[] {
  const { weights } = tuning;
  const sorted = entries.toSorted((a, b) => a.timestamp! - b.timestamp! || (a.id < b.id ? -1 : 1));
  const sessions = Map.groupBy(sorted, (entry) => entry.sessionId ?? entry.id);
  const size = entries.length;
  const count = (words: readonly string[], word: string): number => words.filter((one) => one === word).length;
  const worth = (of: number, having: number): number => Math.log(1 + (of - having + 0.5) / (having + 0.5));
  const counted = new Map<string, number>();
  const having = (word: string): number => {
    const turns = counted.get(word) ?? entries.filter((entry) => wordsOf(entry).includes(word)).length;
    counted.set(word, turns);
    return turns;
  };
  const part = (n: number, length: number, average: number, k1: number, b: number): number =>
    n === 0 ? 0 : ((k1 + 1) * n) / (n + k1 * (1 - b + (b * length) / (average || 1)));
  const mean = (list: number[]): number => list.reduce((sum, one) => sum + one, 0) / (list.length || 1);

  const averageOwn = mean(entries.map((entry) => wordsOf(entry).length));
  const own = (entry: MemoryEntry | undefined): number =>
    entry === undefined
      ? 0
      : sum(asked.words, (word) => {
          const n = count(wordsOf(entry), word);
          return worth(size, having(word)) * part(n, wordsOf(entry).length, averageOwn, tuning.k1, tuning.b);
        });
  const windowOf = (entry: MemoryEntry): { entry: MemoryEntry; share: number }[] => {
    const line = sessions.get(entry.sessionId ?? entry.id)!;
    const at = line.indexOf(entry);
    return line.map((one, i) => ({ entry: one, share: 1 - Math.abs(i - at) / 5 })).filter(({ share }) => share > 0);
  };
  const lengthOf = (entry: MemoryEntry): number => sum(windowOf(entry), (one) => one.share * wordsOf(one.entry).length);
  const averageWindow = mean(entries.map(lengthOf));
  const near = (entry: MemoryEntry): number =>
    sum(asked.words, (word) => {
      const n = sum(windowOf(entry), (one) => one.share * count(wordsOf(one.entry), word));
      return worth(size, having(word)) * part(n, lengthOf(entry), averageWindow, 1.2, 0.75);
    });
  // Who speaks in a session counts as a word of it, once for each turn, but not as length.
  const lines = [...sessions.values()];
  const lengthOfLine = (line: readonly MemoryEntry[]): number => line.flatMap(wordsOf).length;
  const averageSession = mean(lines.map(lengthOfLine));
  const inLine = (line: readonly MemoryEntry[], word: string): number =>
    count(line.flatMap(wordsOf), word) + line.filter(({ author }) => author!.toLowerCase() === word).length;
  const session = (entry: MemoryEntry): number => {
    const line = sessions.get(entry.sessionId ?? entry.id)!;
    return sum([...asked.words, ...(asked.about ? [asked.about.toLowerCase()] : [])], (word) => {
      const holding = lines.filter((one) => inLine(one, word) > 0).length;
      return worth(lines.length, holding) * part(inLine(line, word), lengthOfLine(line), averageSession, 1.2, 0.75);
    });
  };
  const beside = (entry: MemoryEntry, by: number): MemoryEntry | undefined => {
    const line = sessions.get(entry.sessionId ?? entry.id)!;
    const other = line[line.indexOf(entry) + by];
    return other && other.author !== entry.author ? other : undefined;
  };
  const asks = (entry: MemoryEntry | undefined): boolean => entry !== undefined && textOf(entry.content).includes('?');
  const day = asked.on === undefined ? undefined : dayAt(Date.parse(asked.on) / 1000);
  const nearness = (entry: MemoryEntry): number => {
    if (day === undefined) return 0;
    const at = entry.timestamp! / 86_400;
    const value = at < day ? Math.exp((at - day) / 6) : at >= day + 1 ? Math.exp((day + 1 - at) / 12) : 1;
    return value < 0.01 ? 0 : value;
  };
  const spoken = (entry: MemoryEntry): number => {
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
    neighbourhood: weights.neighbourhood === 0 ? 0 : near(entry),
    session: session(entry),
    askedAbout: asked.about !== undefined && entry.author === asked.about ? 1 : 0,
    answer: weights.answer !== 0 && asks(beside(entry, -1)) ? own(beside(entry, -1)) : 0,
    questionAhead: weights.questionAhead === 0 ? 0 : own(beside(entry, 1)),
    phrase: weights.phrase === 0 ? 0 : phrase(wordsOf(entry)),
    saidThen: weights.saidThen === 0 ? 0 : nearness(entry),
    aboutThen: weights.aboutThen === 0 ? 0 : spoken(entry),
    whenOrHowMany: asked.when && /today|\b20\d\d\b|\bmay\b/i.test(textOf(entry.content)) ? 1 : 0,
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
      const [one, other] = [words[i - 1]!, words[i]!];
      if (one === other || !asked.words.includes(one) || !asked.words.includes(other)) continue;
      pairs.set([one, other].sort().join(' '), worth(size, having(one)) + worth(size, having(other)));
    }
    return sum([...pairs.values()], (one) => one);
  }
}

function sum<T>(list: readonly T[], of: (one: T) => number): number {
  return list.reduce((total, one) => total + of(one), 0);
}
