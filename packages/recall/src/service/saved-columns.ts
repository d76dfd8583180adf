import type { Analyzer } from '../analysis/analyzer.ts';
import type { DaySpan } from '../dates/day-span.ts';
import type { Column } from './pack-columns.ts';
import type { Steps } from './time-slicer.ts';
import { NO_AUTHOR } from '../index/authors.ts';
import { RecallIndex } from '../index/recall-index.ts';

const ENTRIES_PER_STEP = 100;

/** Returns an index as columns without any text: what is needed to place every entry again, but not the analysis of texts. */
export function* toColumns(index: RecallIndex): Steps<Column[]> {
  const { turns, words, wordsOf, sessions, authors } = index;
  const slots = [...turns.slots()];
  const position = new Map<number, number>();
  const lengths = new Int32Array(slots.length);
  const numbers: number[] = [];
  const spans: number[] = [];
  for (const [i, slot] of slots.entries()) {
    if (i % ENTRIES_PER_STEP === 0) yield;
    position.set(slot, i);
    lengths[i] = wordsOf[slot]!.length;
    for (const number of wordsOf[slot]!) numbers.push(number);
    for (const { from, to } of index.spans.get(slot) ?? []) spans.push(i, from, to);
  }
  // Each column is a step: a copy of many entries takes some milliseconds.
  const columns: Column[] = [];
  for (const column of [
    () => slots.map((slot) => turns.ids[slot]!),
    () => Float64Array.from(slots, (slot) => turns.times[slot]!),
    () => Int32Array.from(slots, (slot) => turns.lengths[slot]!),
    () => Int32Array.from(slots, (slot) => turns.authors[slot]!),
    () => Int32Array.from(slots, (slot) => turns.sessions[slot]!),
    () => Uint8Array.from(slots, (slot) => turns.flags[slot]!),
    () => lengths,
    () => new Int32Array(numbers),
    () => words.all(),
    () => sessions.all(),
    () => authors.names(),
    () => Float64Array.from(spans),
    () => Int32Array.from(index.successors.keys(), (slot) => position.get(slot)!),
    () => [...index.successors.values()],
  ]) {
    columns.push(column());
    yield;
  }
  return columns;
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
    const own: number[] = [];
    for (const end = at + counts[i]!; at < end; at++) own.push(index.words.numberOf(words![numbers[at]!]!));
    index.insert(row, own, spansOf.get(i) ?? []);
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
