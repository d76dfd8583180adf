import { InMemoryCredentialService } from '@thole/mem-services';
import { credentialServiceCases, runCases } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { credentialMutants } from './credential-mutants.ts';
import { firstFailure } from './mutant.ts';

describe('credentialServiceCases', () => {
  it('pass a correct service', async () => {
    const results = await runCases(credentialServiceCases, {
      create: (runtime) => new InMemoryCredentialService({ runtime }),
    });
    expect(results.filter((result) => result.error !== undefined)).toEqual([]);
    expect(results.length).toBeGreaterThan(13);
  });

  for (const mutant of credentialMutants) {
    it(`fail a service that ${mutant.id} (contract ${mutant.contract})`, async () => {
      expect(await firstFailure(mutant, credentialServiceCases)).toBeDefined();
    });
  }
});
