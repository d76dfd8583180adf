import assert from 'node:assert/strict';
import type { Case } from '../case.ts';
import { llmScenarios } from './llm-scenarios.ts';
import { attempt, collect, request, split, textIn, whole } from './llm-support.ts';
import type { LlmSubject } from './llm-support.ts';

/** Calls that end before their answer, and concurrent calls. */
export const llmEndingCases: readonly Case<LlmSubject>[] = [
  {
    id: 'llm.aborted-before',
    sentence: 'ends the call before any response if the signal is aborted already',
    contracts: [23],
    check: async (subject) => {
      const { responses, error } = await attempt(await subject.llm(llmScenarios.text), {
        stream: true,
        signal: AbortSignal.abort(),
      });
      assert.deepEqual(responses, []);
      assert.notEqual(error, undefined);
    },
  },
  {
    id: 'llm.abort-while-silent',
    sentence: 'ends a call without an answer when the signal is aborted',
    contracts: [23],
    check: async (subject) => {
      for (const stream of [false, true]) {
        const abort = new AbortController();
        const pending = attempt(await subject.llm(llmScenarios.silent), { stream, signal: abort.signal });
        await Promise.resolve();
        abort.abort();
        const { responses, error } = await pending;
        assert.deepEqual(responses, []);
        assert.notEqual(error, undefined);
      }
      await subject.allEnded?.();
    },
  },
  {
    id: 'llm.abort-mid-stream',
    sentence: 'ends an answer and its connection when the signal is aborted within it',
    contracts: [23],
    needs: ['stalls'],
    check: async (subject) => {
      const abort = new AbortController();
      const llm = await subject.llm(llmScenarios['silent-mid-stream']);
      const responses = llm
        .generateContentAsync(request(), { stream: true, signal: abort.signal })
        [Symbol.asyncIterator]();
      assert.equal((await responses.next()).value?.partial, true);
      const next = responses.next();
      abort.abort();
      await assert.rejects(next);
      await subject.allEnded?.();
    },
  },
  {
    id: 'llm.leave',
    sentence: 'ends the call when the loop is left at a partial response',
    contracts: [23],
    check: async (subject) => {
      const llm = await subject.llm(llmScenarios.stream);
      let count = 0;
      for await (const response of llm.generateContentAsync(request(), {
        stream: true,
        signal: new AbortController().signal,
      })) {
        count++;
        assert.equal(response.partial, true);
        break;
      }
      assert.equal(count, 1);
      await subject.allEnded?.();
    },
  },
  {
    id: 'llm.leave-stalled',
    sentence: 'closes the connection of a pending answer when the loop is left',
    contracts: [23],
    needs: ['stalls', 'connections'],
    check: async (subject) => {
      const llm = await subject.llm(llmScenarios['silent-mid-stream']);
      for await (const _ of llm.generateContentAsync(request(), { stream: true, signal: new AbortController().signal }))
        break;
      await subject.allEnded!();
    },
  },
  {
    id: 'llm.calls-apart',
    sentence: 'keeps concurrent calls apart and leaves no open call',
    contracts: [23],
    check: async (subject) => {
      const llm = await subject.llm(llmScenarios.stream);
      const answers = await Promise.all([0, 1, 2].map(() => collect(llm, { stream: true })));
      for (const answer of answers) assert.equal(textIn(split(answer).partials), whole(llmScenarios.stream.pieces));
      await subject.allEnded?.();
    },
  },
];
