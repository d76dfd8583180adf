import { TholeError } from '@thole/core';
import type { Llm, LlmResponse } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { hangs, llmCases, register, runCases, ScriptedLlm } from '../src/index.ts';
import type { LlmScenario, LlmSubject, ScriptedAnswer } from '../src/index.ts';

const CALLS = 3; // a case asks at most as often at once

function finalOf({ thoughts, pieces, calls, ending }: LlmScenario): LlmResponse {
  if (ending === 'blocked') return { finishReason: 'SAFETY', errorCode: 'MODEL_BLOCKED' };
  const parts = [
    ...(thoughts ? [{ text: thoughts.join(''), thought: true }] : []),
    ...(pieces ? [{ text: pieces.join('') }] : []),
    ...(calls ?? []).map((call) => ({ functionCall: { ...call } })),
  ];
  return { content: { role: 'model', parts }, finishReason: ending === 'max-tokens' ? 'MAX_TOKENS' : 'STOP' };
}

const partialsOf = ({ thoughts = [], pieces = [] }: LlmScenario): LlmResponse[] =>
  [...thoughts.map((text) => ({ text, thought: true })), ...pieces.map((text) => ({ text }))].map((part) => ({
    partial: true,
    content: { role: 'model', parts: [part] },
  }));

function errorOf({ error, ending }: LlmScenario): TholeError | undefined {
  if (ending === 'cut') return new TholeError('MODEL_INCOMPLETE', 'The stream broke off.');
  return error && new TholeError(error.code, 'The provider refused.', { retryAfterMs: error.retryAfterMs });
}

function scripted(scenario: LlmScenario): ScriptedLlm {
  const answer: ScriptedAnswer =
    scenario.ending === 'silence' ? hangs() : (errorOf(scenario) ?? [...partialsOf(scenario), finalOf(scenario)]);
  return new ScriptedLlm(...Array.from({ length: CALLS }, () => answer));
}

/** What a script cannot do: it breaks off and falls silent in the middle, and knows when a call has ended. */
function played(change: (responses: LlmResponse[]) => LlmResponse[] = (responses) => responses): LlmSubject {
  let open = 0;
  const llm = (scenario: LlmScenario): Llm => ({
    model: 'played',
    specVersion: 1,
    async *generateContentAsync(_request, { stream, signal }) {
      open++;
      try {
        signal.throwIfAborted();
        if (scenario.ending === 'error') throw errorOf(scenario);
        const ends = scenario.ending !== 'cut' && scenario.ending !== 'silence';
        yield* change([...(stream ? partialsOf(scenario) : []), ...(ends ? [finalOf(scenario)] : [])]);
        if (scenario.ending === 'cut') throw errorOf(scenario);
        if (scenario.ending === 'silence') await aborted(signal);
      } finally {
        open--;
      }
    },
  });
  return { llm, allEnded: async () => expect(open).toBe(0) };
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    if (signal.aborted) reject(signal.reason as Error);
  });

register({ describe, it }, llmCases, { name: 'ScriptedLlm', claims: ['thoughts'], create: () => ({ llm: scripted }) });

register({ describe, it }, llmCases, {
  name: 'a model that plays every scenario',
  claims: ['thoughts', 'cuts', 'stalls', 'connections'],
  create: () => played(),
});

describe('a model that breaks a promise is caught', () => {
  const failing = async (subject: LlmSubject): Promise<string[]> => {
    const claims = ['thoughts', 'cuts', 'stalls', 'connections'];
    const results = await runCases(llmCases, { claims, create: () => subject, limitMs: 200 });
    return results.filter((result) => 'error' in result).map(({ id }) => id);
  };
  const textOf = (response: LlmResponse): string =>
    response.content?.parts?.map((part) => part.text ?? '').join('') ?? '';
  const says = (text: string, more: LlmResponse = {}): LlmResponse => ({
    content: { role: 'model', parts: [{ text }] },
    finishReason: 'STOP',
    ...more,
  });
  const wrapped = (generate: (llm: Llm) => Llm['generateContentAsync']): LlmSubject => {
    const sound = played();
    return {
      ...sound,
      llm: async (scenario) => {
        const llm = await sound.llm(scenario);
        return { model: llm.model, specVersion: 1, generateContentAsync: generate(llm) };
      },
    };
  };

  it('two finals', async () => {
    const subject = played((responses) => responses.flatMap((each) => (each.partial ? [each] : [each, each])));
    expect(await failing(subject)).toContain('llm.stream');
  });

  it('no final', async () => {
    expect(await failing(played((responses) => responses.filter((each) => each.partial)))).toContain('llm.stream');
  });

  it('partials that repeat what came before', async () => {
    const subject = played((responses) => {
      let text = '';
      return responses.map((each) => (each.partial ? says((text += textOf(each)), { partial: true }) : each));
    });
    expect(await failing(subject)).toContain('llm.stream');
  });

  it('calls in a partial', async () => {
    const subject = played((responses) =>
      responses.flatMap((each) => (each.partial ? [each] : [{ ...each, partial: true }, each])),
    );
    expect(await failing(subject)).toContain('llm.calls');
  });

  it('a final with less than its partials', async () => {
    expect(
      await failing(played((responses) => responses.map((each) => (each.partial ? each : says('The'))))),
    ).toContain('llm.stream');
  });

  it('partials that nobody asked for', async () => {
    const subject = wrapped(
      (llm) => (request, options) => llm.generateContentAsync(request, { ...options, stream: true }),
    );
    expect(await failing(subject)).toContain('llm.text');
  });

  it('errors without a code', async () => {
    const subject = wrapped(
      (llm) =>
        async function* (request, options) {
          try {
            yield* llm.generateContentAsync(request, options);
          } catch {
            throw new Error('429');
          }
        },
    );
    expect(await failing(subject)).toEqual(['llm.errors', 'llm.cut']);
  });

  it('a signal that is not listened to', async () => {
    const subject = wrapped(
      (llm) => (request, options) =>
        llm.generateContentAsync(request, { ...options, signal: new AbortController().signal }),
    );
    expect(await failing(subject)).toEqual(
      expect.arrayContaining(['llm.aborted-before', 'llm.abort-while-silent', 'llm.abort-mid-stream']),
    );
  });

  it('a request that is changed', async () => {
    const subject = wrapped((llm) => (request, options) => {
      request.config.temperature = 1;
      return llm.generateContentAsync(request, options);
    });
    expect(await failing(subject)).toContain('llm.request-untouched');
  });
});
