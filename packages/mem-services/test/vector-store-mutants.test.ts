import type { UserRef, VectorQuery, VectorStore } from '@thole/core';
import { InMemoryVectorStore } from '@thole/mem-services';
import { runCases, vectorStoreCases } from '@thole/testing';
import { expect, it } from 'vitest';

type Change = (kept: InMemoryVectorStore) => Partial<VectorStore>;

const joined = ({ appName, userId }: UserRef): UserRef => ({ appName: 'all', userId: `${appName}/${userId}` });

/** Stores that are nearly right, each with the case that finds it out. */
const mutants: readonly (readonly [wrong: string, foundBy: string, change: Change])[] = [
  [
    'joins app and user into one name',
    'vector.scope-lookalikes',
    (kept) => ({
      upsert: (scope, rows) => kept.upsert(joined(scope), rows),
      query: (scope, p) => kept.query(joined(scope), p),
      delete: (scope, ids) => kept.delete(joined(scope), ids),
    }),
  ],
  [
    'deletes everything of all users of the app',
    'vector.scope',
    (kept) => ({
      delete: async (scope, ids) => {
        await kept.delete(scope, ids);
        if (ids === 'everything') await kept.delete({ appName: 'hotel', userId: 'ada' }, ids);
      },
    }),
  ],
  [
    'compares vectors of all models',
    'vector.own-model',
    (kept) => ({
      upsert: (scope, rows) =>
        kept.upsert(
          scope,
          rows.map((row) => ({ ...row, model: `${row.vector?.length}` })),
        ),
      query: (scope, p) => kept.query(scope, { ...p, model: `${p.vector?.length}` }),
    }),
  ],
  ['passes minScore over', 'vector.min-score', (kept) => ({ query: (s, p) => kept.query(s, without(p, 'minScore')) })],
  [
    'answers one too many',
    'vector.limit',
    (kept) => ({ query: (s, p) => kept.query(s, { ...p, limit: p.limit + 1 }) }),
  ],
  [
    'answers distances for scores',
    'vector.nearest',
    (kept) => ({ query: async (s, p) => (await kept.query(s, p)).map((one) => ({ ...one, score: 1 - one.score })) }),
  ],
  [
    'answers in another order',
    'vector.equals-by-id',
    (kept) => ({ query: async (s, p) => (await kept.query(s, p)).toReversed() }),
  ],
  [
    'keeps the first vector of an id',
    'vector.replace',
    (kept) => ({
      upsert: async (scope, rows) => {
        if (rows.length !== 1 || (await kept.has(scope, { model: rows[0]!.model, ids: [rows[0]!.id] })).length === 0)
          await kept.upsert(scope, rows);
      },
    }),
  ],
  [
    'deletes the first of several ids',
    'vector.ids',
    (kept) => ({ delete: (s, ids) => kept.delete(s, Array.isArray(ids) ? ids.slice(0, 1) : ids) }),
  ],
  [
    'stores row by row, and what came before a bad one',
    'vector.dimensions',
    (kept) => ({
      upsert: async (scope, rows) => {
        if (!Array.isArray(rows) || rows.length === 0) return kept.upsert(scope, rows);
        for (const row of rows) await kept.upsert(scope, [row]);
      },
    }),
  ],
  ['passes the signal over', 'vector.aborted', (kept) => ({ query: (s, p) => kept.query(s, without(p, 'signal')) })],
  ['has everything', 'vector.has', () => ({ has: async (_, p) => [...p.ids] })],
];

function without(p: VectorQuery, name: keyof VectorQuery): VectorQuery {
  return { ...p, [name]: undefined };
}

function mutantOf(change: Change): VectorStore {
  const kept = new InMemoryVectorStore();
  return {
    specVersion: 1,
    upsert: (scope, rows) => kept.upsert(scope, rows),
    query: (scope, p) => kept.query(scope, p),
    delete: (scope, ids) => kept.delete(scope, ids),
    has: (scope, p) => kept.has(scope, p),
    ...change(kept),
  };
}

it.each(mutants)('finds out a store that %s, by %s (contracts 30, 32)', async (_, foundBy, change) => {
  const results = await runCases(vectorStoreCases, { claims: ['has'], create: () => mutantOf(change) });
  const broken = results.filter(({ error }) => error !== undefined).map(({ id }) => id);
  expect(broken).toContain(foundBy);
});
