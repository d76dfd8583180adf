import type { Analyzer } from '../analysis/analyzer.ts';
import type { DaySpan } from '../dates/day-span.ts';
import { NO_AUTHOR } from '../index/authors.ts';
import { RecallIndex } from '../index/recall-index.ts';
import type { Column } from './pack-columns.ts';
import type { Steps } from './time-slicer.ts';

const ENTRIES_PER_STEP = 100;

/** Returns an index as columns without texts. `fromColumns` inserts their entries without analysing texts again. */
export function* toColumns(index: RecallIndex): Steps<Column[]> {
  const { turns, words, wordsOf, sessions, authors, successors } = index;
  const slots = [...turns.slots()];
  yield;
  const wordTotal = slots.reduce((sum, slot) => sum + wordsOf[slot]!.length, 0);
  yield;
  const ids: string[] = [];
  const times = new Float64Array(slots.length);
  const lengths = new Int32Array(slots.length);
  const authorOf = new Int32Array(slots.length);
  const sessionOf = new Int32Array(slots.length);
  const flags = new Uint8Array(slots.length);
  const wordCounts = new Int32Array(slots.length);
  /** By slot: the position in the columns. */
  const positions = new Int32Array(turns.end);
  const numbers = new Int32Array(wordTotal);
  const spans: number[] = [];
  let at = 0;
  for (const [i, slot] of slots.entries()) {
    if (i % ENTRIES_PER_STEP === 0) yield;
    ids.push(turns.ids[slot]!);
    times[i] = turns.times[slot]!;
    lengths[i] = turns.lengths[slot]!;
    authorOf[i] = turns.authors[slot]!;
    sessionOf[i] = turns.sessions[slot]!;
    flags[i] = turns.flags[slot]!;
    wordCounts[i] = wordsOf[slot]!.length;
    positions[slot] = i;
    for (const number of wordsOf[slot]!) numbers[at++] = number;
    for (const { from, to } of index.spans.get(slot) ?? []) spans.push(i, from, to);
  }
  yield;
  const replaced = Int32Array.from(successors.keys(), (slot) => positions[slot]!);
  return [
    ...[ids, times, lengths, authorOf, sessionOf, flags, wordCounts, numbers],
    ...[words.all(), sessions.all(), authors.names(), Float64Array.from(spans), replaced, [...successors.values()]],
  ];
}

/** Returns the index that was saved as these columns. */
export function* fromColumns(columns: readonly Column[], analyzer: Analyzer): Steps<RecallIndex> {
  const [ids, times, lengths, authors, sessions, flags] = columns as [string[], ...Int32Array[]];
  const [counts, numbers, words, sessionNames, authorNames] = columns.slice(6) as [
    Int32Array,
    Int32Array,
    ...(readonly string[])[],
  ];
  const [spans, replaced, successors] = columns.slice(11) as [Float64Array, Int32Array, readonly string[]];
  const index = new RecallIndex(analyzer);
  const spansOf = readSpans(spans);
  /** By saved number: the number in the new index; -1 before the first use. Each word is looked up only once. */
  const wordNumbers = new Int32Array(words!.length).fill(-1);
  const wordNumber = (saved: number): number => {
    const known = wordNumbers[saved]!;
    return known >= 0 ? known : (wordNumbers[saved] = index.words.numberOf(words![saved]!));
  };
  let at = 0;
  for (const [i, id] of ids.entries()) {
    if (i % ENTRIES_PER_STEP === 0) yield;
    const row = {
      id,
      time: times![i]!,
      length: lengths![i]!,
      author: authors![i] === NO_AUTHOR ? NO_AUTHOR : index.authors.numberOf(authorNames![authors![i]!]!),
      session: index.sessions.numberOf(sessionNames![sessions![i]!]!),
      flags: flags![i]!,
    };
    const turnWords: number[] = [];
    for (const end = at + counts[i]!; at < end; at++) turnWords.push(wordNumber(numbers[at]!));
    index.insert(row, turnWords, spansOf.get(i) ?? []);
  }
  replaced.forEach((i, n) => index.successors.set(index.turns.find(ids[i]!)!, successors[n]!));
  return index;
}

function readSpans(numbers: Float64Array): Map<number, DaySpan[]> {
  const spans = new Map<number, DaySpan[]>();
  for (let i = 0; i < numbers.length; i += 3)
    spans.set(numbers[i]!, [...(spans.get(numbers[i]!) ?? []), { from: numbers[i + 1]!, to: numbers[i + 2]! }]);
  return spans;
}
