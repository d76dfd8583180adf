import type { Llm, LlmRequest, LlmResponse } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { llmCases, plays, register, runCases, ScriptedLlm } from '../src/index.ts';
import type { LlmScenario, LlmSubject } from '../src/index.ts';

const CALLS = 3; // a case asks at most as often at once

/** The answer of `plays`, in its parts. */
function answerOf(scenario: LlmScenario): LlmResponse[] {
  const { ending } = scenario;
  return plays(ending === 'cut' || ending === 'silence' ? { ...scenario, ending: 'stop' } : scenario) as LlmResponse[];
}

const finalOf = (scenario: LlmScenario): LlmResponse => [answerOf(scenario)].flat().at(-1)!;
const partialsOf = (scenario: LlmScenario): LlmResponse[] => [answerOf(scenario)].flat().slice(0, -1);

/** Abilities that a script lacks: it breaks off or falls silent within an answer, and knows when a call has ended. */
function played(change: (responses: LlmResponse[]) => LlmResponse[] = (responses) => responses): LlmSubject {
  let open = 0;
  const requests: LlmRequest[] = [];
  const llm = (scenario: LlmScenario): Llm => ({
    model: 'played',
    specVersion: 1,
    async *generateContentAsync(request, { stream, signal }) {
      open++;
      requests.push(structuredClone(request));
      try {
        signal.throwIfAborted();
        if (scenario.ending === 'error') throw plays(scenario);
        const ends = scenario.ending !== 'cut' && scenario.ending !== 'silence';
        yield* change([...(stream ? partialsOf(scenario) : []), ...(ends ? [finalOf(scenario)] : [])]);
        if (scenario.ending === 'cut') throw plays(scenario);
        if (scenario.ending === 'silence') await aborted(signal);
      } finally {
        open--;
      }
    },
  });
  return { llm, received: () => requests, allEnded: async () => expect(open).toBe(0) };
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    if (signal.aborted) reject(signal.reason as Error);
  });

/** Claims of a model that passes its request on unchanged. */
const PASSES_ON = ['thoughts', 'signatures', 'stop-sequences', 'request-model', 'images', 'answer-images'];

register({ describe, it }, llmCases, {
  name: 'ScriptedLlm',
  claims: PASSES_ON,
  create: () => {
    const models: ScriptedLlm[] = [];
    const llm = (scenario: LlmScenario): ScriptedLlm => {
      const model = new ScriptedLlm(...Array.from({ length: CALLS }, () => plays(scenario)));
      models.push(model);
      return model;
    };
    return { llm, received: () => models.flatMap(({ requests }) => requests) };
  },
});

register({ describe, it }, llmCases, {
  name: 'a model that plays every scenario',
  claims: [...PASSES_ON, 'cuts', 'stalls', 'connections'],
  create: () => played(),
});

describe('llmCases fail for a model with', () => {
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

  it('two final responses', async () => {
    const subject = played((responses) => responses.flatMap((each) => (each.partial ? [each] : [each, each])));
    expect(await failing(subject)).toContain('llm.stream');
  });

  it('no final response', async () => {
    expect(await failing(played((responses) => responses.filter((each) => each.partial)))).toContain('llm.stream');
  });

  it('partial responses that repeat earlier text', async () => {
    const subject = played((responses) => {
      let text = '';
      return responses.map((each) => (each.partial ? says((text += textOf(each)), { partial: true }) : each));
    });
    expect(await failing(subject)).toContain('llm.stream');
  });

  it('calls in a partial response', async () => {
    const subject = played((responses) =>
      responses.flatMap((each) => (each.partial ? [each] : [{ ...each, partial: true }, each])),
    );
    expect(await failing(subject)).toContain('llm.calls');
  });

  it('a final response with less than its partial ones', async () => {
    expect(
      await failing(played((responses) => responses.map((each) => (each.partial ? each : says('The'))))),
    ).toContain('llm.stream');
  });

  it('unrequested partial responses', async () => {
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

  it('a signal that it ignores', async () => {
    const subject = wrapped(
      (llm) => (request, options) =>
        llm.generateContentAsync(request, { ...options, signal: new AbortController().signal }),
    );
    expect(await failing(subject)).toEqual(
      expect.arrayContaining(['llm.aborted-before', 'llm.abort-while-silent', 'llm.abort-mid-stream']),
    );
  });

  it('a request that it changes', async () => {
    const subject = wrapped((llm) => (request, options) => {
      request.config.temperature = 1;
      return llm.generateContentAsync(request, options);
    });
    expect(await failing(subject)).toContain('llm.request-untouched');
  });
});
