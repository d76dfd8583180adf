import assert from 'node:assert/strict';
import { deepFreeze, getFunctionCalls, TholeError } from '@thole/core';
import type { Llm, LlmRequest, LlmResponse } from '@thole/core';
import type { Case } from '../case.ts';
import { llmScenarios } from './llm-scenarios.ts';
import type { LlmScenario } from './llm-scenarios.ts';

/** What the `llm` cases are run over: a model whose other side plays a scenario, at each call anew. */
export interface LlmSubject {
  llm(scenario: LlmScenario): Llm | Promise<Llm>;
  /** Resolves when the other side has no call open any more; claimed as `connections`. */
  allEnded?(): Promise<void>;
}

/**
 * The promises of core's `Llm`. Claims: `connections` (the other side can tell when a call has ended), `cuts` and `stalls`
 * (it can break off, or fall silent, in the middle of an answer), `thoughts` (the provider shows the model's thinking).
 */
export const llmCases: readonly Case<LlmSubject>[] = [
  {
    id: 'llm.names-itself',
    sentence: 'a model has a name and says which version of the contract it keeps',
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
    sentence: 'an answer that is not streamed is one final, with the whole text and why it ended',
    contracts: [15],
    check: async (subject) => {
      for (const scenario of [llmScenarios.text, llmScenarios.stream]) {
        const responses = await collect(await subject.llm(scenario), { stream: false });
        assert.equal(responses.length, 1);
        assert.equal(textIn(responses), whole(scenario.pieces));
        assert.ok(!responses[0]!.partial);
        assert.ok(responses[0]!.finishReason, 'it says why it ended');
        assert.equal(responses[0]!.content?.role, 'model');
      }
    },
  },
  {
    id: 'llm.stream',
    sentence:
      'a streamed answer is partials with only what is new, then exactly one final, last, with the whole of them',
    contracts: [15],
    check: async (subject) => {
      const { partials, final } = await streamed(subject, llmScenarios.stream);
      assert.ok(partials.length > 1, 'it came in pieces');
      assert.equal(textIn(partials), whole(llmScenarios.stream.pieces));
      assert.equal(textIn([final]), textIn(partials));
    },
  },
  {
    id: 'llm.thoughts',
    sentence: 'thoughts are streamed and kept apart from the text, and the final has the whole of both',
    contracts: [15],
    needs: ['thoughts'],
    check: async (subject) => {
      const { partials, final } = await streamed(subject, llmScenarios.thinking);
      assert.equal(thoughtsIn(partials), whole(llmScenarios.thinking.thoughts));
      assert.equal(thoughtsIn([final]), whole(llmScenarios.thinking.thoughts));
      assert.equal(textIn(partials), whole(llmScenarios.thinking.pieces));
      assert.equal(textIn([final]), whole(llmScenarios.thinking.pieces));
    },
  },
  {
    id: 'llm.calls',
    sentence: 'calls stand in the final alone, whole and in order, streamed or not',
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
          assert.equal(new Set(ids).size, ids.length, 'no two calls share an id');
        }
      }
    },
  },
  {
    id: 'llm.text-then-call',
    sentence: 'text before a call is streamed, and the final has both',
    contracts: [15],
    check: async (subject) => {
      const { partials, final } = await streamed(subject, llmScenarios['text-then-call']);
      assert.equal(textIn(partials), 'Let me look.');
      assert.equal(textIn([final]), 'Let me look.');
      assert.deepEqual(
        getFunctionCalls(final).map(({ name }) => name),
        ['find_rooms'],
      );
    },
  },
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
    id: 'llm.request-untouched',
    sentence: 'the request is read and never changed: it may be frozen and asked again',
    contracts: [9],
    check: async (subject) => {
      const frozen = deepFreeze(request());
      for (const stream of [false, true]) await collect(await subject.llm(llmScenarios.text), { stream }, frozen);
      assert.deepEqual(frozen, request());
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

interface Asked {
  stream: boolean;
  signal?: AbortSignal | undefined;
}

const request = (): LlmRequest => ({
  contents: [{ role: 'user', parts: [{ text: 'Is there a room?' }] }],
  config: {
    systemInstruction: 'Be kind.',
    tools: [
      {
        functionDeclarations: [
          {
            name: 'find_rooms',
            description: 'Finds rooms.',
            parametersJsonSchema: { type: 'object', properties: { city: { type: 'string' } } },
          },
        ],
      },
    ],
  },
});

async function attempt(
  llm: Llm,
  { stream, signal = new AbortController().signal }: Asked,
  asked = request(),
): Promise<{ responses: LlmResponse[]; error?: unknown }> {
  const responses: LlmResponse[] = [];
  try {
    for await (const response of llm.generateContentAsync(asked, { stream, signal })) responses.push(response);
    return { responses };
  } catch (error) {
    return { responses, error };
  }
}

async function collect(llm: Llm, asked: Asked, of = request()): Promise<LlmResponse[]> {
  const { responses, ...thrown } = await attempt(llm, asked, of);
  if ('error' in thrown) throw thrown.error;
  return responses;
}

async function streamed(
  subject: LlmSubject,
  scenario: LlmScenario,
): Promise<{ partials: LlmResponse[]; final: LlmResponse }> {
  return split(await collect(await subject.llm(scenario), { stream: true }));
}

function split(responses: readonly LlmResponse[]): { partials: LlmResponse[]; final: LlmResponse } {
  const partials = responses.filter((response) => response.partial);
  const finals = responses.filter((response) => !response.partial);
  assert.equal(finals.length, 1, 'exactly one final');
  assert.equal(responses.at(-1), finals[0], 'the final is last');
  return { partials, final: finals[0]! };
}

function assertCode(error: unknown, code: string): asserts error is TholeError {
  assert.ok(TholeError.is(error), `it throws an error of ours, with ${code}`);
  assert.equal(error.code, code);
}

const partsOf = (responses: readonly LlmResponse[]) => responses.flatMap((response) => response.content?.parts ?? []);
const whole = (pieces: readonly string[] = []): string => pieces.join('');
const textIn = (responses: readonly LlmResponse[]): string =>
  partsOf(responses)
    .map((part) => (part.thought ? '' : (part.text ?? '')))
    .join('');
const thoughtsIn = (responses: readonly LlmResponse[]): string =>
  partsOf(responses)
    .map((part) => (part.thought ? (part.text ?? '') : ''))
    .join('');
