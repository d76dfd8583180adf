import type { MemoryStore } from '@thole/core';
import { InMemoryMemoryStore } from '@thole/mem-services';
import { compareMemoryStores } from '@thole/testing';
import { expect, it } from 'vitest';
import { scopeMutants, withScopes } from './scope-mutants.ts';

type Fresh = () => MemoryStore | Promise<MemoryStore>;

/**
 * Registers a test of a store: it must equal in-memory memory in random operations. `fresh` creates a store over separate
 * storage. The seed differs in each run unless `THOLE_SEED` sets it.
 */
export function compareWithMemory(name: string, fresh: Fresh, operations: number): void {
  const seed = newSeed();
  it(`${name} equals in-memory memory in ${operations} random operations, seed ${seed} (contract 30)`, async () => {
    console.info(`${name}: THOLE_SEED=${seed}`);
    await compareMemoryStores(await fresh(), new InMemoryMemoryStore(), { seed, operations });
  });
}

/**
 * Registers a test for each defect in the ownership of memory: the comparison must find it. In 200 seeds, series of 400
 * operations found every defect.
 */
export function catchScopeMutants(name: string, fresh: Fresh, operations: number): void {
  const seed = newSeed();
  it.each(scopeMutants)(`${name} would be caught if it %s (contract 30)`, async (_, change) => {
    const comparing = compareMemoryStores(withScopes(await fresh(), change), new InMemoryMemoryStore(), {
      seed,
      operations,
    });
    await expect(comparing).rejects.toThrow(`Seed ${seed}, operation`);
  });
}

function newSeed(): number {
  return Number(process.env.THOLE_SEED ?? Date.now() % 1_000_000);
}
