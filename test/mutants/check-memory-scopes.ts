import type { MemoryStore } from '@thole/core';
import { InMemoryMemoryStore } from '@thole/mem-services';
import { compareMemoryStores } from '@thole/testing';
import { expect, it } from 'vitest';
import { scopeMutants, withScopes } from './scope-mutants.ts';

/**
 * Registers tests of one backend: it does at random what memory in this process does, and each fault in whose memory it is
 * would be seen. `fresh` makes a store over storage of its own; the seed is another in each run unless `THOLE_SEED` says it.
 */
export function checkMemoryScopes(name: string, fresh: () => MemoryStore | Promise<MemoryStore>): void {
  const seed = Number(process.env.THOLE_SEED ?? Date.now() % 1_000_000);

  it(`${name} equals in-memory memory in 1,200 random operations of confusable users, seed ${seed} (contract 30)`, async () => {
    console.info(`${name}: THOLE_SEED=${seed}`);
    await compareMemoryStores(await fresh(), new InMemoryMemoryStore(), { seed });
  });

  it.each(scopeMutants)(`${name} would be caught if it %s (contract 30)`, async (_, change) => {
    const comparing = compareMemoryStores(withScopes(await fresh(), change), new InMemoryMemoryStore(), { seed });
    await expect(comparing).rejects.toThrow(`Seed ${seed}, operation`);
  });
}
