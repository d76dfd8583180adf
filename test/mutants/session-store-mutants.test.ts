import { InMemorySessionStore } from '@thole/mem-services';
import { leaseStoreCases, runCases, sessionStoreCases } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { leaseStoreMutants } from './lease-store-mutants.ts';
import { sessionStoreMutants } from './session-store-mutants.ts';
import { waitingMutants } from './waiting-mutants.ts';

const claims = ['lease', 'watch', 'last-event'];
const cases = [...leaseStoreCases, ...sessionStoreCases];
const mutants = [...leaseStoreMutants, ...sessionStoreMutants, ...waitingMutants];

describe('leaseStoreCases and sessionStoreCases', () => {
  it('pass a correct store', async () => {
    const results = await runCases(cases, { claims, create: (runtime) => new InMemorySessionStore(runtime) });
    expect(results.filter(({ error }) => error !== undefined)).toEqual([]);
    expect(results.length).toBe(cases.length);
  });

  it.each(mutants)('fail a store that $id: $breaks', async ({ breaks, create }) => {
    const broken = cases.filter(({ id }) => id === breaks);
    const [result] = await runCases(broken, { claims, create: (runtime) => create(runtime), limitMs: 2_000 });
    expect(result?.error).toBeDefined();
  });

  it('have a mutant for each case', () => {
    const caught = new Set(mutants.map(({ breaks }) => breaks));
    expect(cases.map(({ id }) => id).filter((id) => !caught.has(id))).toEqual([]);
  });
});
