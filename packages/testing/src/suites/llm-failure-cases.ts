import assert from 'node:assert/strict';
import { getFunctionCalls, TholeError } from '@thole/core';
import type { Case } from '../case.ts';
import { llmScenarios } from './llm-scenarios.ts';
import { assertCode, attempt, collect, split, textIn } from './llm-support.ts';
import type { LlmSubject } from './llm-support.ts';

/** Answers that are none, or not all, and how a model tells of them. */
export const llmFailureCases: readonly Case<LlmSubject>[] = [
  {
    id: 'llm.empty',
    sentence: 'an answer of nothing is a final without words, or MODEL_EMPTY; nothing is made up',
    contracts: [22],
    check: async (subject) => {
      for (const stream of [false, true]) {
        const { responses, error } = await attempt(await subject.llm(llmScenarios.empty), { stream });
        if (error !== undefined) assertCode(error, 'MODEL_EMPTY');
        else assert.equal(split(responses).partials.length, 0);
        assert.equal(textIn(responses), '');
        assert.deepEqual(responses.flatMap(getFunctionCalls), []);
      }
    },
  },
  {
    id: 'llm.blocked',
    sentence: 'a block is a final with MODEL_BLOCKED and the reason, not an error that is thrown',
    contracts: [22],
    check: async (subject) => {
      for (const stream of [false, true]) {
        const { final } = split(await collect(await subject.llm(llmScenarios.blocked), { stream }));
        assert.equal(final.errorCode, 'MODEL_BLOCKED');
        assert.ok(final.finishReason, 'it says why');
      }
    },
  },
  {
    id: 'llm.max-tokens',
    sentence: 'an answer that ran out of tokens is a final with what there is, and the reason',
    contracts: [22],
    check: async (subject) => {
      for (const stream of [false, true]) {
        const { final } = split(await collect(await subject.llm(llmScenarios['max-tokens']), { stream }));
        assert.equal(textIn([final]), 'The harbour hotel has');
        assert.equal(final.finishReason, 'MAX_TOKENS');
        assert.equal(final.errorCode, undefined);
      }
    },
  },
  {
    id: 'llm.errors',
    sentence: 'what the provider refuses is thrown with its code, and says whether and when to try again',
    contracts: [22, 42],
    check: async (subject) => {
      for (const scenario of Object.values(llmScenarios)) {
        const expected = scenario.error;
        if (!expected) continue;
        for (const stream of [false, true]) {
          const { responses, error } = await attempt(await subject.llm(scenario), { stream });
          assert.deepEqual(responses, [], scenario.name);
          assertCode(error, expected.code);
          assert.equal(error.retryable, expected.retryable, scenario.name);
          assert.equal(error.retryAfterMs, expected.retryAfterMs, scenario.name);
        }
      }
    },
  },
  {
    id: 'llm.cut',
    sentence: 'a stream that breaks off throws a coded error after its partials: no final is made of half an answer',
    contracts: [22],
    needs: ['cuts'],
    check: async (subject) => {
      const { responses, error } = await attempt(await subject.llm(llmScenarios['error-mid-stream']), { stream: true });
      assert.ok(TholeError.is(error), 'it throws an error of ours');
      assert.ok(error.code.startsWith('MODEL_'), error.code);
      assert.equal(error.retryable, true);
      assert.ok(
        responses.every((response) => response.partial),
        'no final',
      );
    },
  },
];
