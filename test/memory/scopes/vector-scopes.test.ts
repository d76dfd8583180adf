import type { MemoryScope, VectorStore } from '@thole/core';
import { InMemoryVectorStore } from '@thole/mem-services';
import { SqliteVecStore } from '@thole/sql-services';
import { afterAll, describe, expect, it } from 'vitest';
import { randomCases } from '../../servers/long.ts';
import { scopeMutants } from '../../mutants/scope-mutants.ts';
import { vectorsAtRandom } from './vectors-at-random.ts';

const opened: SqliteVecStore[] = [];
afterAll(async () => {
  for (const each of opened) await each.close();
});

const stores: readonly [name: string, make: () => VectorStore][] = [
  ['InMemoryVectorStore (int8)', () => new InMemoryVectorStore()],
  ['InMemoryVectorStore (float32)', () => new InMemoryVectorStore({ precision: 'float32' })],
  [
    'SqliteVecStore',
    () => {
      const store = new SqliteVecStore({ dbUrl: 'sqlite://:memory:' });
      opened.push(store);
      return store;
    },
  ],
];

function withScopes(store: VectorStore, change: (scope: MemoryScope) => MemoryScope): VectorStore {
  return {
    specVersion: 1,
    upsert: (scope, rows) => store.upsert(change(scope), rows),
    query: (scope, p) => store.query(change(scope), p),
    delete: (scope, ids) => store.delete(change(scope), ids),
  };
}

const seed = Number(process.env.THOLE_SEED ?? Date.now() % 1_000_000);
const operations = randomCases(280, 1_200);

describe.each(stores)(`%s, seed ${seed}`, { timeout: 120_000 }, (name, make) => {
  it(`isolates vectors of two users of two apps in ${operations} random operations (contract 30)`, async () => {
    console.info(`${name}: THOLE_SEED=${seed}`);
    await vectorsAtRandom(make(), { seed, operations });
  });

  it.each(scopeMutants)('fails the comparison if it %s (contract 30)', async (_, change) => {
    // A fixed seed: in a few of all series, no operation shows the difference.
    const living = vectorsAtRandom(withScopes(make(), change), { seed: 1, operations: 280 });
    await expect(living).rejects.toThrow('Seed 1, operation');
  });
});
