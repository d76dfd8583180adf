import assert from 'node:assert/strict';
import type { VectorRow, VectorStore } from '@thole/core';
import type { Case } from '../case.ts';
import { ada, cosine, nearest, nearestIds, row } from './vector-fixture.ts';

const compass: readonly VectorRow[] = [
  row('north', [0, 1, 0]),
  row('east', [1, 0, 0]),
  row('north-east', [1, 1, 0]),
  row('south', [0, -1, 0]),
];

/** Storing, finding, replacing and deleting vectors. */
export const vectorBasicCases: readonly Case<VectorStore>[] = [
  {
    id: 'vector.nearest',
    sentence: 'returns the nearest first, with the cosine as score, for any vector lengths',
    contracts: [32],
    async check(store) {
      await store.upsert(ada, [row('long', [0, 5, 0]), row('short', [0.1, 0.1, 0]), row('back', [0, -3, 0])]);
      const found = await nearest(store, [0, 0.5, 0]);
      assert.deepEqual(
        found.map(({ id }) => id),
        ['long', 'short', 'back'],
      );
      for (const [i, expected] of [1, Math.SQRT1_2, -1].entries()) assertNear(found[i]!.score, expected);
    },
  },
  {
    id: 'vector.limit',
    sentence: 'returns the best entries up to the limit',
    contracts: [32],
    async check(store) {
      await store.upsert(ada, compass);
      const all = await nearestIds(store, [0.9, 1, 0]);
      assert.deepEqual(all, ['north-east', 'north', 'east', 'south']);
      for (const limit of [0, 1, 3, 4])
        assert.deepEqual(await nearestIds(store, [0.9, 1, 0], { limit }), all.slice(0, limit));
    },
  },
  {
    id: 'vector.min-score',
    sentence: 'treats minScore as a minimum cosine, also below zero',
    contracts: [32],
    async check(store) {
      await store.upsert(ada, compass);
      assert.deepEqual(await nearestIds(store, [0, 1, 0], { minScore: 0.99 }), ['north']);
      assert.deepEqual(await nearestIds(store, [0, 1, 0], { minScore: 0.5 }), ['north', 'north-east']);
      assert.equal((await nearestIds(store, [0, 1, 0], { minScore: -0.5 })).length, 3);
      assert.equal((await nearestIds(store, [0, 1, 0], { minScore: -1.001 })).length, 4);
      assert.deepEqual(await nearestIds(store, [0, 1, 0], { minScore: 0.999, limit: 1 }), ['north']);
    },
  },
  {
    id: 'vector.equals-by-id',
    sentence: 'orders equal scores by id',
    contracts: [32],
    async check(store) {
      await store.upsert(ada, [row('c', [1, 2, 0]), row('a', [1, 2, 0])]);
      await store.upsert(ada, [row('b', [1, 2, 0]), row('other', [1, 0, 0])]);
      assert.deepEqual(await nearestIds(store, [1, 2, 0]), ['a', 'b', 'c', 'other']);
    },
  },
  {
    id: 'vector.many',
    sentence: 'returns the results of an exact search for many vectors of many dimensions',
    contracts: [32],
    async check(store) {
      let seed = 7;
      const next = (): number => (seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32 - 0.5;
      const all = Array.from({ length: 400 }, (_, i) => row(`v${i}`, Array.from({ length: 60 }, next)));
      for (let from = 0; from < all.length; from += 150) await store.upsert(ada, all.slice(from, from + 150));
      for (const { vector } of all.slice(0, 5)) {
        const query = [...vector].map((x) => x + 0.3 * next());
        const exact = all.map(({ id, vector: other }) => ({ id, score: cosine(query, other) }));
        exact.sort((a, b) => b.score - a.score);
        const found = await nearest(store, query, { limit: 20 });
        assert.deepEqual(
          found.map(({ id }) => id),
          exact.slice(0, 20).map(({ id }) => id),
        );
        for (const [i, { score }] of found.entries()) assertNear(score, exact[i]!.score);
      }
    },
  },
  {
    id: 'vector.own-model',
    sentence: 'compares vectors of one model only; models may have different lengths',
    contracts: [32],
    async check(store) {
      await store.upsert(ada, [row('a', [1, 0]), row('b', [1, 0, 0, 0], 'n'), row('c', [0.9, 1], 'm2')]);
      assert.deepEqual(await nearestIds(store, [1, 0]), ['a']);
      assert.deepEqual(await nearestIds(store, [1, 0, 0, 0], { model: 'n' }), ['b']);
      assert.deepEqual(await nearestIds(store, [1, 0], { model: 'm2' }), ['c']);
      assert.deepEqual(await nearestIds(store, [1, 0], { model: 'M' }), []);
    },
  },
  {
    id: 'vector.replace',
    sentence: 'keeps one vector per id, the last',
    contracts: [32],
    async check(store) {
      await store.upsert(ada, [row('a', [1, 0, 0]), row('b', [0, 1, 0])]);
      await store.upsert(ada, [row('a', [0, 1, 0])]);
      const [first, second] = await nearest(store, [0, 1, 0]);
      assert.deepEqual([first!.id, second!.id], ['a', 'b']);
      assertNear(first!.score, 1);
    },
  },
  {
    id: 'vector.each-model',
    sentence: 'keeps one vector per id and model, and deletes those of all models together',
    contracts: [31, 32],
    async check(store) {
      await store.upsert(ada, [row('a', [1, 0, 0]), row('b', [0, 1, 0]), row('a', [0, 1], 'n')]);
      await store.upsert(ada, [row('b', [1, 0], 'n')]);
      await store.upsert(ada, [row('b', [0, 1], 'n')]);
      assert.deepEqual(await nearestIds(store, [1, 0, 0]), ['a', 'b']);
      assert.deepEqual(await nearestIds(store, [0, 1], { model: 'n' }), ['a', 'b']);
      await store.delete(ada, ['b']);
      assert.deepEqual(await nearestIds(store, [0, 1, 0]), ['a']);
      assert.deepEqual(await nearestIds(store, [0, 1], { model: 'n' }), ['a']);
      if (store.has) assert.deepEqual(await store.has(ada, { model: 'n', ids: ['a', 'b'] }), ['a']);
    },
  },
  {
    id: 'vector.twice-in-a-call',
    sentence: 'uses the last of two rows with one id in one call',
    contracts: [32],
    async check(store) {
      await store.upsert(ada, [row('a', [1, 0, 0]), row('b', [0, 1, 0]), row('a', [0, 0, 1])]);
      const [first] = await nearest(store, [0, 0, 1]);
      assert.equal(first!.id, 'a');
      assertNear(first!.score, 1);
      assert.equal((await nearest(store, [0, 0, 1])).length, 2);
    },
  },
  {
    id: 'vector.copied',
    sentence: 'copies its arguments and does not change them',
    contracts: [32],
    async check(store) {
      const original = row('a', [0, 3, 0]);
      await store.upsert(ada, [original]);
      assert.deepEqual([...original.vector], [0, 3, 0]);
      original.vector.fill(0);
      assertNear((await nearest(store, [0, 1, 0]))[0]!.score, 1);
    },
  },
  {
    id: 'vector.delete',
    sentence: 'does not find deleted ids, and ignores unknown ids',
    contracts: [32],
    async check(store) {
      await store.upsert(ada, compass);
      await store.delete(ada, ['north', 'nowhere', 'north']);
      await store.delete(ada, []);
      assert.deepEqual(await nearestIds(store, [0.9, 1, 0]), ['north-east', 'east', 'south']);
      await store.upsert(ada, [row('north', [0, 1, 0])]);
      assert.deepEqual(await nearestIds(store, [0, 1, 0], { limit: 1 }), ['north']);
    },
  },
  {
    id: 'vector.delete-everything',
    sentence: 'deletes everything of a user, of all models, and accepts new vectors of any length',
    contracts: [32],
    async check(store) {
      await store.upsert(ada, [...compass, row('other', [1, 0], 'n')]);
      await store.delete(ada, 'everything');
      assert.deepEqual(await nearestIds(store, [0, 1, 0]), []);
      assert.deepEqual(await nearestIds(store, [1, 0], { model: 'n' }), []);
      await store.upsert(ada, [row('a', [1, 0])]);
      assert.deepEqual(await nearestIds(store, [1, 0]), ['a']);
      await store.delete({ appName: 'hotel', userId: 'nobody' }, 'everything');
    },
  },
  {
    id: 'vector.concurrent',
    sentence: 'stores every id of concurrent upserts, and one row for the same id',
    contracts: [32],
    async check(store) {
      const rows = Array.from({ length: 24 }, (_, i) => row(`v${i}`, [1, i, 0]));
      await Promise.all([
        ...rows.map((each) => store.upsert(ada, [each])),
        ...Array.from({ length: 8 }, (_, i) => store.upsert(ada, [row('one', [0, 0, i + 1])])),
      ]);
      assert.equal((await nearest(store, [1, 0, 0], { limit: 100 })).length, 25);
      assertNear((await nearest(store, [0, 0, 1], { limit: 1 }))[0]!.score, 1);
    },
  },
  {
    id: 'vector.has',
    sentence: 'returns which ids have a vector of a model',
    contracts: [32],
    needs: ['has'],
    async check(store) {
      await store.upsert(ada, [...compass, row('other', [1, 0], 'n')]);
      const ids = ['north', 'nowhere', 'other', 'south'];
      const of = async (model: string): Promise<string[]> => (await store.has!(ada, { model, ids })).toSorted();
      assert.deepEqual(await of('m'), ['north', 'south']);
      assert.deepEqual(await of('n'), ['other']);
      assert.deepEqual(await of('x'), []);
      assert.deepEqual(await store.has!(ada, { model: 'm', ids: [] }), []);
      assert.deepEqual(await store.has!({ ...ada, userId: 'bob' }, { model: 'm', ids }), []);
    },
  },
  {
    id: 'vector.other-process',
    sentence: 'applies additions and deletions of another process in the next query',
    contracts: [32],
    needs: ['shared'],
    async check(store, t) {
      const other = await t.reopen!();
      await store.upsert(ada, compass);
      assert.deepEqual(await nearestIds(other, [0, 1, 0], { limit: 2 }), ['north', 'north-east']);
      await other.delete(ada, ['north']);
      assert.deepEqual(await nearestIds(store, [0, 1, 0], { limit: 2 }), ['north-east', 'east']);
    },
  },
];

function assertNear(score: number, expected: number): void {
  assert.ok(Math.abs(score - expected) < 1e-4, `expected a score of ${expected}, got ${score}`);
}
