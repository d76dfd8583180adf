import type { Analyzer } from '../analysis/analyzer.ts';
import { BY_USER } from './turn-flags.ts';
import type { Column } from '../service/segment-bytes.ts';
import type { DaySpan } from '../dates/day-span.ts';
import { NOBODY } from './authors.ts';
import { RecallIndex } from './recall-index.ts';

/** Number of columns of the words, the turns, and the lists of words of turns. */
const [WORDS, TURNS, LISTS] = [3, 9, 2];

/** Returns an index as columns without any text, in its form in memory, so that loading it computes nothing again. */
export function columnsOf(index: RecallIndex): Column[] {
  const { turns, words, wordsOf, sessions, authors } = index;
  const spans = [...index.spans].flatMap(([slot, list]) => list.flatMap(({ from, to }) => [slot, from, to]));
  return [
    ...words.save(),
    ...turns.save(),
    Int32Array.from(wordsOf, (words) => words.length),
    Int32Array.from(wordsOf.flat()),
    sessions.save(),
    authors.save(),
    Float64Array.from(spans),
    Int32Array.from(index.successors.keys()),
    [...index.successors.values()],
  ];
}

/** Returns the index that was saved as these columns. */
export function indexFrom(columns: readonly Column[], analyzer: Analyzer): RecallIndex {
  const index = new RecallIndex(analyzer);
  const { turns } = index;
  let at = 0;
  const next = (count: number): readonly Column[] => columns.slice(at, (at += count));
  index.words.load(next(WORDS));
  turns.load(next(TURNS));
  readLists(index.wordsOf, next(LISTS));
  const [sessions, authors, spans, ended, successors] = next(5);
  index.sessions.load(sessions as readonly string[]);
  index.authors.load(authors as readonly string[]);
  for (const slot of turns.slots()) {
    const author = turns.authors[slot]!;
    const asUser = (turns.flags[slot]! & BY_USER) !== 0;
    if (author !== NOBODY) index.authors.count(author, turns.sessions[slot]!, asUser, 1);
  }
  readSpans(index.spans, spans as Float64Array);
  (ended as Int32Array).forEach((slot, i) => index.successors.set(slot, (successors as readonly string[])[i]!));
  return index;
}

function readLists(lists: (readonly number[])[], [lengths, all]: readonly Column[]): void {
  let at = 0;
  for (const length of lengths as Int32Array) lists.push([...(all as Int32Array).subarray(at, (at += length))]);
}

function readSpans(spans: Map<number, readonly DaySpan[]>, numbers: Float64Array): void {
  for (let i = 0; i < numbers.length; i += 3)
    spans.set(numbers[i]!, [...(spans.get(numbers[i]!) ?? []), { from: numbers[i + 1]!, to: numbers[i + 2]! }]);
}
