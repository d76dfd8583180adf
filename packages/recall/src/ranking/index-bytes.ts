import type { Analyzer } from '../analyzer/analyzer.ts';
import type { Column } from '../memory/segment-bytes.ts';
import type { DaySpan } from '../time/day-span.ts';
import { RecallIndex } from './recall-index.ts';

/** An index as columns, without any text: words and names by their number, and for each turn what is known of it. */
export function columnsOf(index: RecallIndex): Column[] {
  const { turns, words } = index;
  const slots = [...turns.slots()];
  const lists = slots.map((slot) => index.wordsOf.get(slot));
  const spans = slots.flatMap((slot, i) => (index.spans.get(slot) ?? []).flatMap(({ from, to }) => [i, from, to]));
  return [
    Array.from({ length: words.length }, (_, number) => words.wordOf(number)),
    Array.from({ length: index.sessions.length }, (_, session) => index.sessions.nameOf(session)),
    Array.from({ length: index.authors.length }, (_, author) => index.authors.nameOf(author)),
    slots.map((slot) => turns.ids[slot]!),
    Float64Array.from(slots, (slot) => turns.times[slot]!),
    Int32Array.from(slots, (slot) => turns.lengths[slot]!),
    Int32Array.from(slots, (slot) => turns.authors[slot]!),
    Int32Array.from(slots, (slot) => turns.sessions[slot]!),
    Uint8Array.from(slots, (slot) => turns.flags[slot]!),
    Int32Array.from(lists, (list) => list.length),
    joined(lists),
    Float64Array.from(spans),
  ];
}

function joined(lists: readonly Uint32Array[]): Int32Array {
  const all = new Int32Array(lists.reduce((sum, list) => sum + list.length, 0));
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  return all;
}

/** The index of which these are the columns. */
export function indexFrom(columns: readonly Column[], analyzer: Analyzer): RecallIndex {
  const [words, sessions, authors, ids] = columns as string[][];
  const [times, lengths, authorOf, sessionOf, flags, counts, numbers, spans] = columns.slice(4) as Int32Array[];
  const index = new RecallIndex(analyzer);
  for (const name of authors!) index.authors.numberOf(name);
  const spansOf = new Map<number, DaySpan[]>();
  for (let i = 0; i < spans!.length; i += 3) {
    const list = spansOf.get(spans![i]!) ?? [];
    list.push({ from: spans![i + 1]!, to: spans![i + 2]! });
    spansOf.set(spans![i]!, list);
  }
  // Free numbers have no word, and no turn has one of them.
  const numberOf = words!.map((word) => (word === '' ? 0 : index.words.numberOf(word)));
  const sessionNumbers = sessions!.map((name) => index.sessions.numberOf(name));
  let at = 0;
  for (let i = 0; i < ids!.length; i++) {
    const list: number[] = [];
    for (const end = at + counts![i]!; at < end; at++) list.push(numberOf[numbers![at]!]!);
    index.place(
      {
        id: ids![i]!,
        time: times![i]!,
        length: lengths![i]!,
        author: authorOf![i]!,
        session: sessionNumbers[sessionOf![i]!]!,
        flags: flags![i]!,
      },
      list,
      spansOf.get(i) ?? [],
    );
  }
  return index;
}
