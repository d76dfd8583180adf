import { InMemorySessionService } from '@thole/mem-services';
import { runCases, sessionServiceCases } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { firstFailure } from './mutant.ts';
import { sessionMutants } from './session-mutants.ts';

const claims = ['lease', 'watch'];

describe('sessionServiceCases', () => {
  it('pass a correct service', async () => {
    const results = await runCases(sessionServiceCases, {
      claims,
      create: (runtime) => new InMemorySessionService({ runtime }),
    });
    expect(results.filter((result) => result.error !== undefined)).toEqual([]);
    expect(results.length).toBeGreaterThan(100);
  });

  for (const mutant of sessionMutants) {
    it(`fail a service that ${mutant.id} (contract ${mutant.contract})`, async () => {
      expect(await firstFailure(mutant, sessionServiceCases, claims)).toBeDefined();
    });
  }

  it('have a mutant for each of the contracts 1 to 13 and 30', () => {
    const broken = new Set(sessionMutants.map((mutant) => mutant.contract));
    expect([...broken].toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 30]);
  });
});
