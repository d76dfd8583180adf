import type { UserRef, VectorQuery, VectorStore } from '@thole/core';
import { InMemoryVectorStore } from '@thole/mem-services';
import { runCases, vectorStoreCases } from '@thole/testing';
import { describe, expect, it } from 'vitest';

type Change = (store: InMemoryVectorStore) => Partial<VectorStore>;

const joinNames = ({ appName, userId }: UserRef): UserRef => ({ appName: 'all', userId: `${appName}/${userId}` });

/** Stores that break one promise each, with the case that must fail. */
const mutants: readonly (readonly [description: string, failingCase: string, change: Change])[] = [
  [
    'joins app and user into one name',
    'vector.scope-lookalikes',
    (store) => ({
      upsert: (scope, rows) => store.upsert(joinNames(scope), rows),
      query: (scope, p) => store.query(joinNames(scope), p),
      delete: (scope, ids) => store.delete(joinNames(scope), ids),
    }),
  ],
  [
    'deletes the vectors of all users of the app',
    'vector.scope',
    (store) => ({
      delete: async (scope, ids) => {
        await store.delete(scope, ids);
        if (ids === 'everything') await store.delete({ appName: 'hotel', userId: 'ada' }, ids);
      },
    }),
  ],
  [
    'compares vectors of all models',
    'vector.own-model',
    (store) => ({
      upsert: (scope, rows) =>
        store.upsert(
          scope,
          rows.map((row) => ({ ...row, model: `${row.vector?.length}` })),
        ),
      query: (scope, p) => store.query(scope, { ...p, model: `${p.vector?.length}` }),
    }),
  ],
  ['ignores minScore', 'vector.min-score', (store) => ({ query: (s, p) => store.query(s, without(p, 'minScore')) })],
  [
    'returns one result too many',
    'vector.limit',
    (store) => ({ query: (s, p) => store.query(s, { ...p, limit: p.limit + 1 }) }),
  ],
  [
    'returns distances instead of scores',
    'vector.nearest',
    (store) => ({ query: async (s, p) => (await store.query(s, p)).map((one) => ({ ...one, score: 1 - one.score })) }),
  ],
  [
    'returns results in another order',
    'vector.equals-by-id',
    (store) => ({ query: async (s, p) => (await store.query(s, p)).toReversed() }),
  ],
  [
    'keeps the first vector of an id',
    'vector.replace',
    (store) => ({
      upsert: async (scope, rows) => {
        if (rows.length !== 1 || (await store.has(scope, { model: rows[0]!.model, ids: [rows[0]!.id] })).length === 0)
          await store.upsert(scope, rows);
      },
    }),
  ],
  [
    'keeps one vector of an id for all models',
    'vector.each-model',
    (store) => ({
      upsert: async (scope, rows) => {
        if (rows.length === 1) await store.delete(scope, [rows[0]!.id]);
        await store.upsert(scope, rows);
      },
    }),
  ],
  [
    'deletes only the first of several ids',
    'vector.ids',
    (store) => ({ delete: (s, ids) => store.delete(s, Array.isArray(ids) ? ids.slice(0, 1) : ids) }),
  ],
  [
    'stores the rows before an invalid row',
    'vector.dimensions',
    (store) => ({
      upsert: async (scope, rows) => {
        if (!Array.isArray(rows) || rows.length === 0) return store.upsert(scope, rows);
        for (const row of rows) await store.upsert(scope, [row]);
      },
    }),
  ],
  ['ignores the signal', 'vector.aborted', (store) => ({ query: (s, p) => store.query(s, without(p, 'signal')) })],
  ['returns every id from has', 'vector.has', () => ({ has: async (_, p) => [...p.ids] })],
];

function without(p: VectorQuery, name: keyof VectorQuery): VectorQuery {
  return { ...p, [name]: undefined };
}

function mutantOf(change: Change): VectorStore {
  const store = new InMemoryVectorStore();
  return {
    specVersion: 1,
    upsert: (scope, rows) => store.upsert(scope, rows),
    query: (scope, p) => store.query(scope, p),
    delete: (scope, ids) => store.delete(scope, ids),
    has: (scope, p) => store.has(scope, p),
    ...change(store),
  };
}

describe('vectorStoreCases', () => {
  it.each(mutants)('fail a store that %s: %s (contracts 30, 32)', async (_, failingCase, change) => {
    const results = await runCases(vectorStoreCases, { claims: ['has'], create: () => mutantOf(change) });
    const failed = results.filter(({ error }) => error !== undefined).map(({ id }) => id);
    expect(failed).toContain(failingCase);
  });
});
