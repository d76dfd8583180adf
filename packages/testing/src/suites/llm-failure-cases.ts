import assert from 'node:assert/strict';
import { getFunctionCalls, TholeError } from '@thole/core';
import type { Case } from '../case.ts';
import { llmScenarios } from './llm-scenarios.ts';
import { assertCode, attempt, collect, split, textIn } from './llm-support.ts';
import type { LlmSubject } from './llm-support.ts';

/** Failed and incomplete answers, and how a model reports them. */
export const llmFailureCases: readonly Case<LlmSubject>[] = [
  {
    id: 'llm.empty',
    sentence: 'reports an empty answer as a final response without text or as MODEL_EMPTY',
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
    sentence: 'reports a block as a final response with MODEL_BLOCKED and the reason, not as an error',
    contracts: [22],
    check: async (subject) => {
      for (const stream of [false, true]) {
        const { final } = split(await collect(await subject.llm(llmScenarios.blocked), { stream }));
        assert.equal(final.errorCode, 'MODEL_BLOCKED');
        assert.ok(final.finishReason, 'the final response must have a finishReason');
      }
    },
  },
  {
    id: 'llm.max-tokens',
    sentence: 'reports an answer at the token limit as a final response with its text and the reason',
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
    sentence: 'throws the code of a rejected request, and whether and when to retry',
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
    sentence: 'throws a coded error after the partial responses of a broken stream, without a final one',
    contracts: [22],
    needs: ['cuts'],
    check: async (subject) => {
      const { responses, error } = await attempt(await subject.llm(llmScenarios['error-mid-stream']), { stream: true });
      assert.ok(TholeError.is(error), 'the error must be a TholeError');
      assert.ok(error.code.startsWith('MODEL_'), `expected a code MODEL_…, got ${error.code}: ${error.message}`);
      assert.equal(error.retryable, true);
      assert.ok(
        responses.every((response) => response.partial),
        'a broken stream must not have a final response',
      );
    },
  },
];
