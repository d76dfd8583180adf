import { InMemoryArtifactService } from '@thole/mem-services';
import { artifactServiceCases, runCases } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { artifactMutants } from './artifact-mutants.ts';
import { firstFailure } from './mutant.ts';

describe('artifactServiceCases', () => {
  it('pass a correct service', { timeout: 30_000 }, async () => {
    const results = await runCases(artifactServiceCases, {
      create: (runtime) => new InMemoryArtifactService({ runtime, maxBytes: 65_536 }),
    });
    expect(results.filter((result) => result.error !== undefined)).toEqual([]);
    expect(results.length).toBeGreaterThan(24);
  });

  for (const mutant of artifactMutants) {
    it(`fail a service that ${mutant.id} (contract ${mutant.contract})`, { timeout: 30_000 }, async () => {
      expect(await firstFailure(mutant, artifactServiceCases)).toBeDefined();
    });
  }
});
