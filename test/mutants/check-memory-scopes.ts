import type { MemoryStore } from '@thole/core';
import { InMemoryMemoryStore } from '@thole/mem-services';
import { compareMemoryStores } from '@thole/testing';
import { expect, it } from 'vitest';
import { scopeMutants, withScopes } from './scope-mutants.ts';

/**
 * Registers tests of one backend: it must equal in-memory memory in random operations, and must fail with each
 * defect in the ownership of memory. `fresh` creates a store over separate storage. The seed differs in each run
 * unless `THOLE_SEED` sets it. In 200 seeds, series of 400 operations found every defect.
 */
export function checkMemoryScopes(
  name: string,
  fresh: () => MemoryStore | Promise<MemoryStore>,
  operations: number = 1_200,
): void {
  const seed = Number(process.env.THOLE_SEED ?? Date.now() % 1_000_000);

  it(`${name} equals in-memory memory in ${operations} random operations, seed ${seed} (contract 30)`, async () => {
    console.info(`${name}: THOLE_SEED=${seed}`);
    await compareMemoryStores(await fresh(), new InMemoryMemoryStore(), { seed, operations });
  });

  it.each(scopeMutants)(`${name} would be caught if it %s (contract 30)`, async (_, change) => {
    const comparing = compareMemoryStores(withScopes(await fresh(), change), new InMemoryMemoryStore(), {
      seed,
      operations,
    });
    await expect(comparing).rejects.toThrow(`Seed ${seed}, operation`);
  });
}
