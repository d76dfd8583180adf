import assert from 'node:assert/strict';
import type { Case } from '../case.ts';
import { llmScenarios } from './llm-scenarios.ts';
import { attempt, collect, request, split, textIn, whole } from './llm-support.ts';
import type { LlmSubject } from './llm-support.ts';

/** Calls that end before their answer does, and calls beside each other. */
export const llmEndingCases: readonly Case<LlmSubject>[] = [
  {
    id: 'llm.aborted-before',
    sentence: 'a signal that is aborted already ends the call before anything is answered',
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
    sentence: 'aborting the signal ends a call that is not answered',
    contracts: [23],
    check: async (subject) => {
      for (const stream of [false, true]) {
        const abort = new AbortController();
        const attempted = attempt(await subject.llm(llmScenarios.silent), { stream, signal: abort.signal });
        await Promise.resolve();
        abort.abort();
        const { responses, error } = await attempted;
        assert.deepEqual(responses, []);
        assert.notEqual(error, undefined);
      }
      await subject.allEnded?.();
    },
  },
  {
    id: 'llm.abort-mid-stream',
    sentence: 'aborting the signal ends an answer in its middle, and its connection',
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
    sentence: 'leaving the loop at a partial ends the call',
    contracts: [23],
    check: async (subject) => {
      const llm = await subject.llm(llmScenarios.stream);
      let seen = 0;
      for await (const response of llm.generateContentAsync(request(), {
        stream: true,
        signal: new AbortController().signal,
      })) {
        seen++;
        assert.equal(response.partial, true);
        break;
      }
      assert.equal(seen, 1);
      await subject.allEnded?.();
    },
  },
  {
    id: 'llm.leave-stalled',
    sentence: 'leaving the loop closes the connection of an answer that is still to come',
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
    sentence: 'calls at the same time do not mix, and a finished one leaves nothing behind',
    contracts: [23],
    check: async (subject) => {
      const llm = await subject.llm(llmScenarios.stream);
      const answers = await Promise.all([0, 1, 2].map(() => collect(llm, { stream: true })));
      for (const answer of answers) assert.equal(textIn(split(answer).partials), whole(llmScenarios.stream.pieces));
      await subject.allEnded?.();
    },
  },
];
