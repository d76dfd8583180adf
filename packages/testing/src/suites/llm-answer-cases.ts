import assert from 'node:assert/strict';
import { getFunctionCalls } from '@thole/core';
import { deepFreeze } from '@thole/core/kit';
import type { Case } from '../case.ts';
import { llmScenarios } from './llm-scenarios.ts';
import { collect, request, split, collectStream, textIn, thoughtsIn, whole } from './llm-support.ts';
import type { LlmSubject } from './llm-support.ts';

/** Answers of a model, streamed and complete. */
export const llmAnswerCases: readonly Case<LlmSubject>[] = [
  {
    id: 'llm.names-itself',
    sentence: 'has a name and the version of the contract',
    contracts: [15],
    check: async (subject) => {
      const llm = await subject.llm(llmScenarios.text);
      assert.equal(typeof llm.model, 'string');
      assert.notEqual(llm.model, '');
      assert.equal(llm.specVersion, 1);
    },
  },
  {
    id: 'llm.text',
    sentence: 'returns one final response with the whole text and the finish reason without streaming',
    contracts: [15],
    check: async (subject) => {
      for (const scenario of [llmScenarios.text, llmScenarios.stream]) {
        const responses = await collect(await subject.llm(scenario), { stream: false });
        assert.equal(responses.length, 1);
        assert.equal(textIn(responses), whole(scenario.pieces));
        assert.ok(!responses[0]!.partial, 'the only response must not be partial');
        assert.ok(responses[0]!.finishReason, 'the final response must have a finishReason');
        assert.equal(responses[0]!.content?.role, 'model');
      }
    },
  },
  {
    id: 'llm.stream',
    sentence: 'streams partial responses with new text only, then one final response with the whole text',
    contracts: [15],
    check: async (subject) => {
      const { partials, final } = await collectStream(subject, llmScenarios.stream);
      assert.ok(partials.length > 1, 'there must be several partial responses');
      assert.equal(textIn(partials), whole(llmScenarios.stream.pieces));
      assert.equal(textIn([final]), textIn(partials));
    },
  },
  {
    id: 'llm.thoughts',
    sentence: 'streams thoughts separately from the text and has both in the final response',
    contracts: [15],
    needs: ['thoughts'],
    check: async (subject) => {
      const { partials, final } = await collectStream(subject, llmScenarios.thinking);
      assert.equal(thoughtsIn(partials), whole(llmScenarios.thinking.thoughts));
      assert.equal(thoughtsIn([final]), whole(llmScenarios.thinking.thoughts));
      assert.equal(textIn(partials), whole(llmScenarios.thinking.pieces));
      assert.equal(textIn([final]), whole(llmScenarios.thinking.pieces));
    },
  },
  {
    id: 'llm.calls',
    sentence: 'returns calls in the final response only, complete and in order, streamed or not',
    contracts: [15],
    check: async (subject) => {
      for (const scenario of [llmScenarios.call, llmScenarios['parallel-calls']]) {
        for (const stream of [false, true]) {
          const responses = await collect(await subject.llm(scenario), { stream });
          const { partials, final } = split(responses);
          assert.deepEqual(partials.flatMap(getFunctionCalls), []);
          assert.deepEqual(
            getFunctionCalls(final).map(({ name, args }) => ({ name, args })),
            scenario.calls?.map(({ name, args }) => ({ name, args })),
          );
          const ids = getFunctionCalls(final).flatMap(({ id }) => id ?? []);
          assert.equal(new Set(ids).size, ids.length, 'the ids of calls must differ');
        }
      }
    },
  },
  {
    id: 'llm.text-then-call',
    sentence: 'streams the text before a call and has both in the final response',
    contracts: [15],
    check: async (subject) => {
      const { partials, final } = await collectStream(subject, llmScenarios['text-then-call']);
      assert.equal(textIn(partials), 'Let me look.');
      assert.equal(textIn([final]), 'Let me look.');
      assert.deepEqual(
        getFunctionCalls(final).map(({ name }) => name),
        ['find_rooms'],
      );
    },
  },
  {
    id: 'llm.request-untouched',
    sentence: 'never changes the request, which may be frozen and sent again',
    contracts: [9],
    check: async (subject) => {
      const frozen = deepFreeze(request());
      for (const stream of [false, true]) await collect(await subject.llm(llmScenarios.text), { stream }, frozen);
      assert.deepEqual(frozen, request());
    },
  },
];
