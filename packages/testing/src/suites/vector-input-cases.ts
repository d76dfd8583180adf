import assert from 'node:assert/strict';
import { TholeError } from '@thole/core';
import type { VectorRow, VectorStore } from '@thole/core';
import type { Case } from '../case.ts';
import { ada, nearest, nearestIds, row } from './vector-fixture.ts';

const INVALID_VECTORS: readonly (readonly number[])[] = [[], [0, 0], [NaN, 1], [1, Infinity], [-Infinity, 1]];

/** Invalid input. */
export const vectorInputCases: readonly Case<VectorStore>[] = [
  {
    id: 'vector.dimensions',
    sentence: 'rejects a vector whose length differs from the user’s other vectors and stores nothing',
    contracts: [32],
    async check(store) {
      await store.upsert(ada, [row('a', [1, 0])]);
      await expectInvalidInput(() => store.upsert(ada, [row('b', [1, 1]), row('c', [1, 0, 0])]));
      await expectInvalidInput(() => store.upsert(ada, [row('c', [1, 0, 0])]));
      await expectInvalidInput(() => store.upsert(ada, [row('d', [1, 0], 'n'), row('e', [1, 0, 0], 'n')]));
      await expectInvalidInput(() => nearest(store, [1, 0, 0]));
      assert.deepEqual(await nearestIds(store, [1, 0]), ['a']);
      assert.deepEqual(await nearestIds(store, [1, 0], { model: 'n' }), []);
      await store.upsert({ ...ada, userId: 'bob' }, [row('a', [1, 0, 0])]);
    },
  },
  {
    id: 'vector.nowhere',
    sentence: 'rejects a vector that is empty, zero or not finite and stores nothing',
    contracts: [32],
    async check(store) {
      await store.upsert(ada, [row('a', [1, 0])]);
      for (const numbers of INVALID_VECTORS) {
        await expectInvalidInput(() => store.upsert(ada, [row('b', [1, 1]), row('c', numbers)]));
        await expectInvalidInput(() => nearest(store, numbers));
      }
      const found = await nearest(store, [1, 0]);
      assert.deepEqual(
        found.map(({ id }) => id),
        ['a'],
      );
      assert.ok(Number.isFinite(found[0]!.score), 'the score must be a finite number');
    },
  },
  {
    id: 'vector.bad-input',
    sentence: 'rejects rows, ids, limits and scores of the wrong type',
    contracts: [32],
    async check(store) {
      const rows: readonly unknown[] = [
        'rows',
        [undefined],
        [{ ...row('a', [1, 0]), id: '' }],
        [{ ...row('a', [1, 0]), id: 7 }],
        [{ ...row('a', [1, 0]), model: '' }],
        [{ ...row('a', [1, 0]), model: undefined }],
        [{ ...row('a', [1, 0]), vector: [1, 0] }],
        [{ ...row('a', [1, 0]), vector: undefined }],
      ];
      for (const bad of rows) await expectInvalidInput(() => store.upsert(ada, bad as VectorRow[]));
      const queries: readonly object[] = [
        { limit: -1 },
        { limit: 1.5 },
        { limit: '3' },
        { limit: undefined },
        { minScore: NaN },
        { minScore: '1' },
        { model: '' },
        { model: 7 },
        { vector: [1, 0] },
      ];
      for (const bad of queries) await expectInvalidInput(() => nearest(store, [1, 0], bad));
      for (const bad of ['a', undefined, [7], ['']] as never[]) await expectInvalidInput(() => store.delete(ada, bad));
      assert.deepEqual(await nearestIds(store, [1, 0]), []);
      await store.upsert(ada, []);
    },
  },
  {
    id: 'vector.aborted',
    sentence: 'throws the reason of an aborted signal in a query',
    contracts: [32],
    async check(store) {
      await store.upsert(ada, [row('a', [1, 0])]);
      const reason = new Error('enough');
      await assert.rejects(nearest(store, [1, 0], { signal: AbortSignal.abort(reason) }), (error) => error === reason);
    },
  },
];

async function expectInvalidInput(work: () => Promise<unknown>): Promise<void> {
  await assert.rejects(work, (error) => TholeError.is(error, 'INVALID_INPUT'));
}
