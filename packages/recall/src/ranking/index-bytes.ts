import type { Analyzer } from '../analyzer/analyzer.ts';
import { BY_USER } from '../index/turn-flags.ts';
import type { Column } from '../memory/segment-bytes.ts';
import type { DaySpan } from '../time/day-span.ts';
import { NOBODY } from './authors.ts';
import { RecallIndex } from './recall-index.ts';

/** Columns of each part: the words, the turns, the lists of words of turns. */
const [WORDS, TURNS, LISTS] = [4, 11, 2];

/** An index as columns, without any text: as it lies in memory, so that nothing of it is made anew when it is read. */
export function columnsOf(index: RecallIndex): Column[] {
  const { turns, words, wordsOf, sessions, authors } = index;
  const spans = [...index.spans].flatMap(([slot, list]) => list.flatMap(({ from, to }) => [slot, from, to]));
  return [
    ...words.save(),
    ...turns.save(),
    ...wordsOf.save(turns.end),
    sessions.save(),
    authors.save(),
    Float64Array.from(spans),
  ];
}

/** The index of which these are the columns. */
export function indexFrom(columns: readonly Column[], analyzer: Analyzer): RecallIndex {
  const index = new RecallIndex(analyzer);
  const { turns } = index;
  let at = 0;
  const next = (count: number): readonly Column[] => columns.slice(at, (at += count));
  index.words.load(next(WORDS));
  turns.load(next(TURNS));
  index.wordsOf.load(next(LISTS));
  const [sessions, authors, spans] = next(3);
  index.sessions.load(sessions as readonly string[]);
  index.authors.load(authors as readonly string[]);
  for (const slot of turns.slots()) {
    const author = turns.authors[slot]!;
    const asUser = (turns.flags[slot]! & BY_USER) !== 0;
    if (author !== NOBODY) index.authors.count(author, turns.sessions[slot]!, asUser, 1);
  }
  readSpans(index.spans, spans as Float64Array);
  return index;
}

function readSpans(spans: Map<number, readonly DaySpan[]>, numbers: Float64Array): void {
  for (let i = 0; i < numbers.length; i += 3)
    spans.set(numbers[i]!, [...(spans.get(numbers[i]!) ?? []), { from: numbers[i + 1]!, to: numbers[i + 2]! }]);
}
