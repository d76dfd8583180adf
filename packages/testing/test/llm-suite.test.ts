import { TholeError } from '@thole/core';
import type { Llm, LlmRequest, LlmResponse } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { llmCases, plays, register, runCases, ScriptedLlm } from '../src/index.ts';
import type { LlmScenario, LlmSubject } from '../src/index.ts';

const CALLS = 3; // maximum number of calls of a case to one model

/** Returns the responses of `plays`, as if the scenario ended normally. */
function answerOf(scenario: LlmScenario): LlmResponse[] {
  const { ending } = scenario;
  return plays(ending === 'cut' || ending === 'silence' ? { ...scenario, ending: 'stop' } : scenario) as LlmResponse[];
}

const finalOf = (scenario: LlmScenario): LlmResponse => [answerOf(scenario)].flat().at(-1)!;
const partialsOf = (scenario: LlmScenario): LlmResponse[] => [answerOf(scenario)].flat().slice(0, -1);

/** Returns a subject that can do more than a script: it can stop within an answer, and it counts open calls. */
function createSubject(change: (responses: LlmResponse[]) => LlmResponse[] = (responses) => responses): LlmSubject {
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
        if (scenario.ending === 'silence') await untilAborted(signal);
      } finally {
        open--;
      }
    },
  });
  return { llm, received: () => requests, allEnded: async () => expect(open).toBe(0) };
}

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    if (signal.aborted) reject(signal.reason as Error);
  });

/** Claims of a model that receives requests unchanged. */
const COMMON_CLAIMS = ['thoughts', 'signatures', 'stop-sequences', 'request-model', 'images', 'answer-images'];

register({ describe, it }, llmCases, {
  name: 'ScriptedLlm',
  claims: COMMON_CLAIMS,
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
  claims: [...COMMON_CLAIMS, 'cuts', 'stalls', 'connections'],
  create: () => createSubject(),
});

describe('llmCases', () => {
  const failedCases = async (subject: LlmSubject): Promise<string[]> => {
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
  const wrapModel = (generate: (llm: Llm) => Llm['generateContentAsync']): LlmSubject => {
    const subject = createSubject();
    return {
      ...subject,
      llm: async (scenario) => {
        const llm = await subject.llm(scenario);
        return { model: llm.model, specVersion: 1, generateContentAsync: generate(llm) };
      },
    };
  };

  it('name the error that a model threw instead of the expected one', async () => {
    const subject = wrapModel(
      () =>
        async function* () {
          yield await Promise.reject(new TholeError('NOT_WRITTEN', 'toRequest is not written yet.'));
        },
    );
    const results = await runCases(llmCases, { claims: ['cuts'], create: () => subject, limitMs: 200 });
    const errorOf = (id: string): string => String(results.find((result) => result.id === id)?.error);
    expect(errorOf('llm.errors')).toContain('got NOT_WRITTEN: toRequest is not written yet.');
    expect(errorOf('llm.cut')).toContain('got NOT_WRITTEN: toRequest is not written yet.');
  });

  it('fail for a model with two final responses', async () => {
    const subject = createSubject((responses) => responses.flatMap((each) => (each.partial ? [each] : [each, each])));
    expect(await failedCases(subject)).toContain('llm.stream');
  });

  it('fail for a model with no final response', async () => {
    expect(await failedCases(createSubject((responses) => responses.filter((each) => each.partial)))).toContain(
      'llm.stream',
    );
  });

  it('fail for a model with partial responses that repeat earlier text', async () => {
    const subject = createSubject((responses) => {
      let text = '';
      return responses.map((each) => (each.partial ? says((text += textOf(each)), { partial: true }) : each));
    });
    expect(await failedCases(subject)).toContain('llm.stream');
  });

  it('fail for a model with calls in a partial response', async () => {
    const subject = createSubject((responses) =>
      responses.flatMap((each) => (each.partial ? [each] : [{ ...each, partial: true }, each])),
    );
    expect(await failedCases(subject)).toContain('llm.calls');
  });

  it('fail for a model with a final response with less text than its partial responses', async () => {
    expect(
      await failedCases(createSubject((responses) => responses.map((each) => (each.partial ? each : says('The'))))),
    ).toContain('llm.stream');
  });

  it('fail for a model with unrequested partial responses', async () => {
    const subject = wrapModel(
      (llm) => (request, options) => llm.generateContentAsync(request, { ...options, stream: true }),
    );
    expect(await failedCases(subject)).toContain('llm.text');
  });

  it('fail for a model with errors without a code', async () => {
    const subject = wrapModel(
      (llm) =>
        async function* (request, options) {
          try {
            yield* llm.generateContentAsync(request, options);
          } catch {
            throw new Error('429');
          }
        },
    );
    expect(await failedCases(subject)).toEqual(['llm.errors', 'llm.cut']);
  });

  it('fail for a model that ignores its signal', async () => {
    const subject = wrapModel(
      (llm) => (request, options) =>
        llm.generateContentAsync(request, { ...options, signal: new AbortController().signal }),
    );
    expect(await failedCases(subject)).toEqual(
      expect.arrayContaining(['llm.aborted-before', 'llm.abort-while-silent', 'llm.abort-mid-stream']),
    );
  });

  it('fail for a model that changes its request', async () => {
    const subject = wrapModel((llm) => (request, options) => {
      request.config.temperature = 1;
      return llm.generateContentAsync(request, options);
    });
    expect(await failedCases(subject)).toContain('llm.request-untouched');
  });
});
