import { llmCases, runCases } from '@thole/testing';
import type { LlmSubject } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { llmMutants, subjectWith } from './llm-mutants.ts';

const claims = ['thoughts', 'signatures', 'stop-sequences', 'request-model', 'images', 'answer-images'];

async function failed(create: () => LlmSubject): Promise<string[]> {
  const results = await runCases(llmCases, { create, claims, limitMs: 2_000 });
  return results.filter(({ error }) => error !== undefined).map(({ id }) => id);
}

describe('llmCases', () => {
  it('pass a model that sends its request unchanged', async () => {
    expect(await failed(() => subjectWith((request) => request))).toEqual([]);
  });

  for (const mutant of llmMutants) {
    it(`fail a model that ${mutant.id} (contract ${mutant.contract})`, async () => {
      const ids = await failed(mutant.create);
      expect(ids).toContain(mutant.caughtBy);
      expect(llmCases.find(({ id }) => id === mutant.caughtBy)?.contracts).toContain(mutant.contract);
    });
  }

  it('have a mutant for each case llm.sends-…', () => {
    const cases = llmCases.filter(({ id }) => id.startsWith('llm.sends-'));
    const caught = new Set(llmMutants.map(({ caughtBy }) => caughtBy));
    expect(cases.map(({ id }) => id).filter((id) => !caught.has(id))).toEqual([]);
  });
});
