import type { MemoryStore } from '@thole/core';
import { InMemoryMemoryStore } from '@thole/mem-services';
import { compareMemoryStores } from '@thole/testing';
import { expect, it } from 'vitest';
import { rounds } from '../servers/long.ts';
import { scopeMutants, withScopes } from './scope-mutants.ts';

type Fresh = () => MemoryStore | Promise<MemoryStore>;

/** The seed differs in each run unless `THOLE_SEED` sets it. */
const seed = Number(process.env.THOLE_SEED ?? Date.now() % 1_000_000);

/**
 * Registers a test of one backend: it must equal in-memory memory in random operations. `fresh` creates a store over
 * separate storage. In 150 series of 400 operations, each defect of `checkScopeMutants` was caught in each series.
 */
export function checkMemoryScopes(name: string, fresh: Fresh, operations: number = rounds(400, 1_200)): void {
  it(`${name} equals in-memory memory in ${operations} random operations, seed ${seed} (contract 30)`, async () => {
    console.info(`${name}: THOLE_SEED=${seed}`);
    await compareMemoryStores(await fresh(), new InMemoryMemoryStore(), { seed, operations });
  });
}

/** Registers a test for each defect in the ownership of memory: the series must fail. One backend is enough. */
export function checkScopeMutants(name: string, fresh: Fresh): void {
  it.each(scopeMutants)(`${name} would be caught if it %s (contract 30)`, async (_, change) => {
    const comparing = compareMemoryStores(withScopes(await fresh(), change), new InMemoryMemoryStore(), { seed });
    await expect(comparing).rejects.toThrow(`Seed ${seed}, operation`);
  });
}
