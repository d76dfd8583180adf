import { textOf } from '@thole/core';
import type { MemoryEntry } from '@thole/core';
import * as fc from 'fast-check';
import { wordRanking } from '@thole/recall';
import type { Analyzer, MemoryIndex, Scored } from '@thole/recall';
import { describe, expect, it } from 'vitest';
import { chatTuning, messageTuning } from '../../src/signals/signals.ts';
import { rankByDefinition } from './reference-ranking.ts';
import type { QueryParts } from './reference-ranking.ts';

const scope = { appName: 'hotel', userId: 'alice' };
const BEGIN = Date.parse('2023-05-07') / 1000 - 40 * 86_400;

const word = fc.constantFrom('apple', 'boat', 'cat', 'dog', 'egg', 'frog', 'goat', 'rare');
const text = fc
  .tuple(fc.array(word, { maxLength: 8 }), fc.constantFrom('', '?', ' on 2023-05-07', ' today', ' in may 2023?'))
  .map(([words, end]) => words.join(' ') + end);
const turn = fc.record({
  id: fc.integer({ min: 0, max: 60 }).map((n) => `t${n}`),
  session: fc.constantFrom('s1', 's2', 's3', undefined),
  author: fc.constantFrom('Ada', 'Bob'),
  day: fc.integer({ min: 0, max: 80 }),
  text,
});
const step = fc.oneof({ arbitrary: turn, weight: 8 }, { arbitrary: fc.record({ remove: turn }), weight: 1 });
const queryParts: fc.Arbitrary<QueryParts> = fc.record({
  words: fc.uniqueArray(word, { maxLength: 4 }),
  about: fc.constantFrom(undefined, 'Ada', 'Bob'),
  on: fc.constantFrom(undefined, undefined, '2023-05-07'),
  when: fc.boolean(),
});

function entryOf({
  id,
  session,
  author,
  day,
  text: content,
}: {
  id: string;
  session: string | undefined;
  author: string;
  day: number;
  text: string;
}): MemoryEntry {
  const timestamp = BEGIN + day * 86_400;
  return {
    id,
    kind: 'turn',
    content: { parts: [{ text: content }] },
    author,
    timestamp,
    ...(session && { sessionId: session }),
  };
}

/** Returns a query. No turn contains "When" or a name, so only `words` are searched. */
function queryOf({ words, about, on, when }: QueryParts): string {
  return [when && 'When', about, ...words, on].filter(Boolean).join(' ');
}

function indexOf(entries: Iterable<MemoryEntry>, tuning: 'chat' | 'messages'): MemoryIndex {
  const index = wordRanking({ analyzer, chatLength: tuning === 'chat' ? Infinity : 0 }).createIndex(scope);
  for (const entry of entries) index.put(entry);
  return index;
}

/** Returns a function for integers ≥ 0 below a limit, the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** An analyzer without the words that only mean a time. */
const analyzer: Analyzer = {
  id: 'without-times',
  words: (input) =>
    (input.toLowerCase().match(/[a-z]+/g) ?? []).filter((each) => !/^(when|on|today|in|may)$/.test(each)),
};

describe.each([
  ['chat', chatTuning],
  ['messages', messageTuning],
] as const)('wordRanking of %s', (kind, { weights, bm25 }) => {
  it('returns the scores of the definition after any additions, changes and removals', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 120, size: 'max' }), queryParts, async (steps, query) => {
        const index = indexOf([], kind);
        const remaining = new Map<string, MemoryEntry>();
        for (const change of steps) {
          if ('remove' in change) {
            index.remove(change.remove.id);
            remaining.delete(change.remove.id);
          } else {
            index.put(entryOf(change));
            remaining.set(change.id, entryOf(change));
          }
        }
        fc.pre([...remaining.values()].some(({ author }) => author === query.about) || query.about === undefined);
        fc.pre(query.words.length > 0 || query.about === undefined);
        // A memory without words is always a chat.
        fc.pre(
          kind === 'chat' ||
            [...remaining.values()].some((entry) => analyzer.words(textOf(entry.content), 'entry').length > 0),
        );
        const entries = [...remaining.values()];
        const expected = new Map(
          rankByDefinition(entries, query, { weights, ...bm25 }).map(({ id, score }) => [id, score]),
        );
        const found = await index.rank(queryOf(query), { limit: 1000, explain: true });
        expect(found.map(({ id }) => id).sort()).toEqual([...expected.keys()].sort());
        for (const { id, score, explanation } of found) {
          expect(score).toBeCloseTo(expected.get(id)!, 8);
          expect(Object.values(explanation!).reduce((sum, added) => sum + added, 0)).toBeCloseTo(score, 10);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('returns identical results for any limit, filter and order of insertion', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(turn, { maxLength: 150, size: 'max' }),
        queryParts,
        fc.integer({ min: 1, max: 5 }),
        async (turns, parts, limit) => {
          const entries = new Map(turns.map((each) => [each.id, entryOf(each)]));
          const index = indexOf(entries.values(), kind);
          const reversed = indexOf([...entries.values()].reverse(), kind);
          const query = queryOf(parts);
          const all = await index.rank(query, { limit: 1000 });
          expect(await index.rank(query, { limit })).toEqual(all.slice(0, limit));
          expect(await reversed.rank(query, { limit })).toEqual(all.slice(0, limit));
          const even = (id: string): boolean => Number(id.slice(1)) % 2 === 0;
          const filtered: Scored[] = await index.rank(query, { limit, accepts: even });
          expect(filtered).toEqual(all.filter(({ id }) => even(id)).slice(0, limit));
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe('wordRanking with changes', () => {
  it('returns the best turns in a large memory that grows and shrinks between searches', async () => {
    const random = numbers(7);
    // Frequent and rare words; sessions one after the other and mixed.
    const wordAt = (): string => 'abcdefghijklmnop'.charAt(Math.min(random(16), random(16))).repeat(3);
    const index = wordRanking({ analyzer }).createIndex(scope);
    const remaining = new Map<string, MemoryEntry>();
    for (let i = 0; i < 3000; i++) {
      const words = Array.from({ length: 1 + random(9) }, wordAt).join(' ') + (random(4) === 0 ? '?' : '');
      const session = i % 500 < 250 ? `s${i >> 4}` : `m${random(12)}`;
      const author = random(2) === 0 ? 'Ada' : 'Bob';
      // Some turns are inserted between earlier ones.
      const day = (i - (random(2) === 0 ? random(i) : 0)) / 100;
      remaining.set(`t${i}`, entryOf({ id: `t${i}`, session, author, day, text: words }));
      index.put(remaining.get(`t${i}`)!);
      if (random(4) === 0) {
        const removed = `t${random(i + 1)}`;
        index.remove(removed);
        remaining.delete(removed);
      }
      if (i % 50 !== 49) continue;
      const query = `${random(2) === 0 ? 'Ada ' : ''}${Array.from({ length: 1 + random(4) }, wordAt).join(' ')}`;
      const all = await index.rank(query, { limit: 10_000 });
      for (const limit of [1, 3, 10]) expect(await index.rank(query, { limit })).toEqual(all.slice(0, limit));
      if (i % 250 === 249)
        expect(all).toEqual(await indexOf(remaining.values(), 'chat').rank(query, { limit: 10_000 }));
    }
  });

  it('returns the same results if turns are inserted between others later', async () => {
    const turn = (i: number, day: number, text: string): MemoryEntry =>
      entryOf({ id: `t${i}`, session: 's', author: 'Ada', day, text });
    const first = Array.from({ length: 24 }, (_, i) =>
      turn(i, i, i === 0 ? 'plum plum plum' : i === 15 || i === 22 ? 'plum' : 'figs'),
    );
    const late = Array.from({ length: 30 }, (_, i) => turn(100 + i, 12 + i / 100, 'figs and nuts'));
    const others = ['o1', 'o2', 'o3'].map((id, day) =>
      entryOf({ id, session: 'o', author: 'Ada', day, text: 'plum plum' }),
    );
    const index = indexOf([...others, ...first, ...late], 'chat');
    const inOrder = indexOf([...others, ...first.slice(0, 13), ...late, ...first.slice(13)], 'chat');
    const found = await index.rank('plum', { limit: 4 });
    expect(found).toEqual(await inOrder.rank('plum', { limit: 4 }));
    expect(found.map(({ id }) => id)).toContain('t0');
  });
});

describe('wordRanking with frequent and rare words in many sessions', () => {
  const random = numbers(11);
  const rare = ['fig', 'plum', 'kiwi'];
  const common = ['tea', 'rice', 'milk'];
  // Sessions of one turn and of many turns; most have only frequent words.
  const entries = Array.from({ length: 900 }, (_, i) => {
    const session = i < 760 ? `s${i}` : `l${i % 3}`;
    const words = Array.from({ length: 2 + random(6) }, () => common[random(3)]!);
    if (random(30) === 0)
      words.splice(random(words.length), 0, rare[random(3)]!, ...(random(2) === 0 ? [rare[random(3)]!] : []));
    const text = words.join(' ') + (random(4) === 0 ? '?' : '');
    return entryOf({ id: `t${i}`, session, author: random(2) === 0 ? 'Ada' : 'Bob', day: i / 50, text });
  });
  const index = indexOf(entries, 'chat');

  it.each(['fig tea', 'plum rice tea', 'kiwi fig milk', 'tea rice'])(
    'returns the scores of the definition for "%s"',
    async (query) => {
      const reference = rankByDefinition(
        entries,
        { words: query.split(' ') },
        { weights: chatTuning.weights, ...chatTuning.bm25 },
      );
      const expected = new Map(reference.map(({ id, score }) => [id, score]));
      const all = await index.rank(query, { limit: 1000 });
      expect(all.map(({ id }) => id).sort()).toEqual([...expected.keys()].sort());
      for (const { id, score } of all) expect(score).toBeCloseTo(expected.get(id)!, 8);
      for (const limit of [1, 5, 20, 100]) expect(await index.rank(query, { limit })).toEqual(all.slice(0, limit));
    },
  );

  it('returns the same first results for any limit, also after removals', async () => {
    const shrinking = indexOf(entries, 'chat');
    for (let i = 0; i < 200; i++) {
      shrinking.remove(`t${random(900)}`);
      const words = [
        rare[random(3)]!,
        common[random(3)]!,
        ...(random(2) === 0 ? [common[random(3)]!, rare[random(3)]!] : []),
      ];
      const all = await shrinking.rank(words.join(' '), { limit: 1000 });
      for (const limit of [1, 3, 10])
        expect(await shrinking.rank(words.join(' '), { limit })).toEqual(all.slice(0, limit));
    }
  });
});

describe('wordRanking scores', () => {
  it.each([
    ['answer', ['so so so so tea?', 'fig']],
    ['session', ['fig?', 'fig', 'so', 'so', 'so', 'so', 'so', ...Array.from({ length: 12 }, () => 'so '.repeat(80))]],
  ])('divides the signal %s by its largest value, even in a session with only frequent words', async (_, texts) => {
    const turnsOf = (session: string, texts: readonly string[]): MemoryEntry[] =>
      texts.map((text, i) =>
        entryOf({ id: `${session}-${i}`, session, author: i % 2 === 0 ? 'Ada' : 'Bob', day: i, text }),
      );
    const entries = Array.from({ length: 600 }, (_each, i) => [
      ...turnsOf(`tea${i}`, ['tea?', 'so']),
      ...turnsOf(`none${i}`, ['so']),
      ...(i < 5 ? turnsOf(`fig${i}`, texts) : []),
    ]).flat();
    const tuning = { weights: chatTuning.weights, ...chatTuning.bm25 };
    const reference = rankByDefinition(entries, { words: ['fig', 'tea'] }, tuning);
    const expected = new Map(reference.map(({ id, score }) => [id, score]));
    const found = await indexOf(entries, 'chat').rank('fig tea', { limit: 5 });
    expect(found.map(({ id }) => id)).toEqual(['fig0-1', 'fig1-1', 'fig2-1', 'fig3-1', 'fig4-1']);
    for (const { id, score } of found) expect(score).toBeCloseTo(expected.get(id)!, 8);
  });

  it('counts variants half for adjacent words too', async () => {
    const spaced: Analyzer = { id: 'spaced', words: (input) => input.split(' ') };
    const index = wordRanking({ analyzer: spaced, chatLength: 0 }).createIndex(scope);
    const texts = ['fig plum', '~fig ~plum', 'milk milk'];
    for (const [i, each] of texts.entries())
      index.put(entryOf({ id: `t${i}`, session: `s${i}`, author: 'Ada', day: i, text: each }));
    const found = await index.rank('fig plum ~fig ~plum', { limit: 3, explain: true });
    const { phrase } = messageTuning.weights;
    expect(found.map(({ id, explanation }) => [id, explanation!['phrase']])).toEqual([
      ['t0', phrase],
      ['t1', phrase / 2],
    ]);
  });
});
