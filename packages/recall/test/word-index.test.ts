import * as fc from 'fast-check';
import { standardAnalyzer, WordIndex } from '@thole/recall';
import type { Analyzer } from '@thole/recall';
import { describe, expect, it } from 'vitest';

const plain: Analyzer = { id: 'plain', words: (text) => text.split(' ').filter(Boolean) };

function indexOf(texts: readonly string[], analyzer: Analyzer = plain): WordIndex {
  const index = new WordIndex({ analyzer });
  texts.forEach((text, i) => index.put(`t${i}`, text, i));
  return index;
}

const ids = (index: WordIndex, query: string, limit = 100): string[] =>
  index.search(query, { limit }).map((one) => one.id);

/** BM25 as it stands in books, over all texts. */
function byTheBook(texts: ReadonlyMap<string, string>, query: string): { id: string; score: number }[] {
  const entries = [...texts].map(([id, text]) => ({ id, words: plain.words(text, 'entry') }));
  const average = entries.reduce((sum, { words }) => sum + words.length, 0) / entries.length;
  const [k1, b] = average <= 40 ? [0.9, 0.5] : [1.2, 0.75];
  const scored = entries.map(({ id, words }) => {
    let score = 0;
    for (const word of new Set(plain.words(query, 'query'))) {
      const count = words.filter((one) => one === word).length;
      const having = entries.filter((entry) => entry.words.includes(word)).length;
      const idf = Math.log(1 + (entries.length - having + 0.5) / (having + 0.5));
      if (count > 0) score += (idf * (k1! + 1) * count) / (count + k1! * (1 - b! + (b! * words.length) / average));
    }
    return { id, score };
  });
  return scored.filter(({ score }) => score > 0);
}

const word = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'rare');
const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(' '));
const long = fc.array(word, { minLength: 60, maxLength: 90 }).map((words) => words.join(' '));
const id = fc.constantFrom('t0', 't1', 't2', 't3', 't4', 't5');
const step = fc.oneof(
  fc.record({ put: id, text: fc.oneof(text, text, long), time: fc.integer({ min: 0, max: 3 }) }),
  fc.record({ remove: id }),
);

describe('WordIndex', () => {
  it('scores as BM25 does, whatever came, changed and went before', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), text, (steps, query) => {
        const index = new WordIndex({ analyzer: plain });
        const texts = new Map<string, string>();
        for (const one of steps) {
          if ('put' in one) {
            index.put(one.put, one.text, one.time);
            texts.set(one.put, one.text);
          } else expect(index.remove(one.remove)).toBe(texts.delete(one.remove));
        }
        const found = index.search(query, { limit: 100 });
        const expected = new Map(byTheBook(texts, query).map((one) => [one.id, one.score]));
        expect(index.size).toBe(texts.size);
        expect(found.map((one) => one.id).sort()).toEqual([...expected.keys()].sort());
        for (const one of found) expect(one.score).toBeCloseTo(expected.get(one.id)!, 10);
      }),
    );
  });

  it('answers the same as an index that was made anew from what is left', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), text, fc.integer({ min: 0, max: 6 }), (steps, query, limit) => {
        const index = new WordIndex({ analyzer: plain });
        const left = new Map<string, [string, number]>();
        for (const one of steps) {
          if ('put' in one) {
            index.put(one.put, one.text, one.time);
            left.set(one.put, [one.text, one.time]);
          } else {
            index.remove(one.remove);
            left.delete(one.remove);
          }
        }
        const anew = new WordIndex({ analyzer: plain });
        for (const [key, [value, time]] of [...left].reverse()) anew.put(key, value, time);
        expect(index.search(query, { limit })).toEqual(anew.search(query, { limit }));
        expect(anew.search(query, { limit })).toEqual(anew.search(query, { limit: 100 }).slice(0, limit));
      }),
    );
  });

  it('puts the rarer word, the more frequent one and the shorter text first', () => {
    expect(ids(indexOf(['a b', 'a', 'a', 'rare b']), 'a rare')[0]).toBe('t3');
    expect(ids(indexOf(['a b c', 'a a c', 'b b b']), 'a')).toEqual(['t1', 't0']);
    expect(ids(indexOf(['a b c d', 'a b', 'c']), 'a')).toEqual(['t1', 't0']);
  });

  it('puts the newer of equals first, then orders by id, and those without a time last', () => {
    const index = new WordIndex({ analyzer: plain });
    for (const [key, time] of [
      ['z', 1],
      ['m', 2],
      ['b', 1],
      ['n', undefined],
    ] as const)
      index.put(key, 'same', time);
    expect(ids(index, 'same')).toEqual(['m', 'b', 'z', 'n']);
    expect(ids(index, 'same', 2)).toEqual(['m', 'b']);
  });

  it('asks whether an entry is accepted only where it would be among the answers', () => {
    const index = indexOf(['a', 'a b', 'a b c', 'a b c d']);
    const asked: string[] = [];
    const found = index.search('a', {
      limit: 1,
      accepts(one) {
        asked.push(one);
        return one !== 't0';
      },
    });
    expect(found.map((one) => one.id)).toEqual(['t1']);
    expect(asked).toEqual(['t0', 't1']);
  });

  it('forgets the words of what was removed, and takes no more room after many changes', () => {
    const index = new WordIndex({ analyzer: plain });
    const empty = index.bytes;
    for (let i = 0; i < 100; i++) index.put('t', `word${i} common ${'x '.repeat(i)}`, i);
    const once = index.bytes;
    for (let i = 0; i < 5_000; i++) index.put('t', `word${i} common`, i);
    expect(index.bytes).toBeLessThanOrEqual(once);
    index.remove('t');
    expect(ids(index, 'common')).toEqual([]);
    expect(index.bytes).toBeLessThanOrEqual(empty + 2_000);
  });

  it('counts a word that is repeated beyond all measure no less than one repeated often', () => {
    expect(ids(indexOf(['a '.repeat(300), `${'a '.repeat(3)}${'b '.repeat(297)}`]), 'a')).toEqual(['t0', 't1']);
  });

  it('holds words like __proto__ and constructor as any other', () => {
    const index = indexOf(['__proto__ constructor', 'toString'], standardAnalyzer());
    expect(ids(index, 'constructor')).toEqual(['t0']);
    expect(ids(index, '__proto__')).toEqual(['t0']);
    expect(ids(index, 'hasOwnProperty')).toEqual([]);
  });
});
