import type { MemoryEntry } from '@thole/core';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomCases } from '../../../../test/servers/long.ts';
import { standardAnalyzer } from '../../src/analysis/standard-analyzer.ts';
import { fromColumns, toColumns } from '../../src/service/saved-columns.ts';
import type { Column } from '../../src/service/pack-columns.ts';
import { runAllSteps } from '../../src/service/time-slicer.ts';
import { rankTurns } from '../../src/signals/rank-turns.ts';
import { ScoringScratch } from '../../src/signals/scoring-scratch.ts';
import { readQuery } from '../../src/signals/read-query.ts';
import { RecallIndex } from '../../src/index/recall-index.ts';
import { chatTuning } from '../../src/signals/signals.ts';

const analyzer = standardAnalyzer();

const columnsOf = (index: RecallIndex): Column[] => runAllSteps(toColumns(index));
const indexFrom = (columns: readonly Column[]): RecallIndex => runAllSteps(fromColumns(columns, analyzer));

const scratch = new ScoringScratch();
const WORDS = 'park harbour piano garden bicycle letter winter teacher lantern kitchen'.split(' ');

interface Change {
  id: number;
  session: number;
  at: number;
  words: string[];
  isQuestion: boolean;
  isRemoval: boolean;
}

const change: fc.Arbitrary<Change> = fc.record({
  id: fc.nat({ max: 200 }),
  session: fc.nat({ max: 1 }),
  at: fc.nat({ max: 400 }),
  words: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 }),
  isQuestion: fc.boolean(),
  isRemoval: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
});

/** Lists of changes, often of the maximum length, so that sessions are long. */
const changes = (maxLength: number): fc.Arbitrary<Change[]> => fc.array(change, { maxLength, size: 'max' });

function apply(index: RecallIndex, { id, session, at, words, isQuestion, isRemoval }: Change): void {
  if (isRemoval) index.remove(`e${id}`);
  else index.put(entry({ id: `e${id}`, session, at, text: `${words.join(' ')}${isQuestion ? '?' : ' yesterday.'}` }));
}

function entry(p: { id: string; session: number; at: number; text: string }): MemoryEntry {
  const author = p.at % 2 === 0 ? 'Ann' : 'concierge';
  const content = { role: p.at % 2 === 0 ? ('user' as const) : ('model' as const), parts: [{ text: p.text }] };
  return { id: p.id, kind: 'turn', content, author, timestamp: 1_700_000_000 + p.at, sessionId: `s${p.session}` };
}

function search(index: RecallIndex, text: string): unknown {
  const { authors } = index;
  const query = readQuery(text, {
    analyzer,
    authors,
    years: () => index.years(),
    today: { day: 19_676 },
    isChat: true,
  });
  const options = { limit: 30, accepts: undefined, explain: true };
  return rankTurns(index, query, chatTuning, scratch, options).map(({ slot, ...rest }) => [
    index.turns.ids[slot],
    rest,
  ]);
}

const QUERIES = [
  ...WORDS.slice(0, 4),
  'Ann, the harbour garden in 2023?',
  'piano letter lantern',
  'What did you say of winter?',
];

describe('toColumns and fromColumns', () => {
  it('return an index with the same results, also after later additions and removals', () => {
    fc.assert(
      fc.property(changes(350), changes(60), (before, after) => {
        const index = new RecallIndex(analyzer);
        for (const each of before) apply(index, each);
        const loaded = indexFrom(structuredClone(columnsOf(index)));
        for (const query of QUERIES) expect(search(loaded, query)).toEqual(search(index, query));
        for (const each of after) for (const target of [index, loaded]) apply(target, each);
        for (const query of QUERIES) expect(search(loaded, query)).toEqual(search(index, query));
      }),
      { numRuns: randomCases(8, 40) },
    );
  });

  it('yield once for every hundred entries', () => {
    const index = new RecallIndex(analyzer);
    for (let i = 0; i < 1_000; i++) index.put(entry({ id: `e${i}`, session: i >> 4, at: i, text: 'The harbour.' }));
    expect([...toColumns(index)].length).toBeGreaterThanOrEqual(10);
    expect([...fromColumns(columnsOf(index), analyzer)].length).toBeGreaterThanOrEqual(10);
  });

  it('save no word, id, session, author or time of removed entries', () => {
    const index = new RecallIndex(analyzer);
    index.put(entry({ id: 'kept', session: 1, at: 2, text: 'The harbour.' }));
    const empty = JSON.stringify(columnsOf(index));
    index.put({
      id: 'secret-id',
      kind: 'note',
      content: { parts: [{ text: 'The xylophone, yesterday.' }] },
      author: 'Mallory',
      timestamp: 1_234_567_890,
    });
    index.put({
      ...entry({ id: 'secret-turn', session: 1, at: 3, text: 'The xylophone?' }),
      sessionId: 'secret-session',
    });
    index.remove('secret-id');
    index.remove('secret-turn');
    const saved = JSON.stringify(columnsOf(index));
    for (const secret of ['secret', 'xylophon', 'Mallory', '1234567890']) expect(saved).not.toContain(secret);
    expect(empty).toContain('harbour');
  });
});
