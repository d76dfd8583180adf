import type { MemoryStore } from '@thole/core';
import { InMemoryMemoryStore } from '@thole/mem-services';
import { compareMemoryStores } from '@thole/testing';
import { expect, it } from 'vitest';
import { scopeMutants, withScopes } from './scope-mutants.ts';

type CreateStore = () => MemoryStore | Promise<MemoryStore>;

/**
 * Registers a test that compares a store with in-memory memory in random operations. `createStore` creates an empty store over
 * separate storage. The seed differs in each run unless `THOLE_SEED` sets it.
 */
export function compareWithMemory(name: string, createStore: CreateStore, operations: number): void {
  const seed = newSeed();
  it(`${name} equals in-memory memory in ${operations} random operations, seed ${seed} (contract 30)`, async () => {
    console.info(`${name}: THOLE_SEED=${seed}`);
    await compareMemoryStores(await createStore(), new InMemoryMemoryStore(), { seed, operations });
  });
}

/**
 * Registers a test for each defect of `scopeMutants`: the comparison must detect it. With 200 seeds, series of 400 operations
 * detected every defect.
 */
export function catchScopeMutants(name: string, createStore: CreateStore, operations: number): void {
  const seed = newSeed();
  it.each(scopeMutants)(`${name} fails the comparison if it %s (contract 30)`, async (_, change) => {
    const comparing = compareMemoryStores(withScopes(await createStore(), change), new InMemoryMemoryStore(), {
      seed,
      operations,
    });
    await expect(comparing).rejects.toThrow(`Seed ${seed}, operation`);
  });
}

function newSeed(): number {
  return Number(process.env.THOLE_SEED ?? Date.now() % 1_000_000);
}
