import { TholeError } from '@thole/core';
import type { Llm, LlmRequest, LlmResponse } from '@thole/core';
import { fails, FixedRuntime, hangs, llmCases, plays, register, says, ScriptedLlm, streams } from '@thole/testing';
import type { LlmScenario, ScriptedAnswer } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { FallbackLlm } from '../../src/models/fallback-llm.ts';
import type { FallbackLlmOptions } from '../../src/models/fallback-llm.ts';
import { hello, createSetup, rootOf } from '../support/llm-setup.ts';

const request: LlmRequest = {
  model: 'of the caller',
  contents: [{ role: 'user', parts: [{ text: 'Hi.' }] }],
  config: {},
};

/** Returns a scripted model with this name. */
function named(name: string, ...answers: ScriptedAnswer[]): ScriptedLlm {
  return Object.defineProperty(new ScriptedLlm(...answers), 'model', { value: name });
}

async function callLlm(
  llm: Llm,
  p: { stream?: boolean; signal?: AbortSignal } = {},
): Promise<{ texts: string[]; final: LlmResponse | undefined; error: TholeError | undefined }> {
  const { stream = false, signal = new AbortController().signal } = p;
  const responses: LlmResponse[] = [];
  let error: TholeError | undefined;
  try {
    for await (const response of llm.generateContentAsync(request, { stream, signal })) responses.push(response);
  } catch (thrown) {
    error = thrown as TholeError;
  }
  const texts = responses.map(({ content }) => content?.parts?.[0]?.text ?? '');
  return { texts, final: responses.find(({ partial }) => !partial), error };
}

describe('FallbackLlm', () => {
  it('calls only the first model while it answers, and names it in the response', async () => {
    const [a, b] = [named('a', says('from a')), named('b')];
    const { texts, final } = await callLlm(new FallbackLlm({ models: [a, b] }));
    expect(texts).toEqual(['from a']);
    expect(final).toMatchObject({ modelVersion: 'a', customMetadata: { answeredBy: 'a' } });
    expect(b.requests).toEqual([]);
  });

  it('keeps modelVersion and metadata of the model', async () => {
    const answer = { ...says('yes'), modelVersion: 'a-2026', customMetadata: { region: 'north' } };
    const { final } = await callLlm(new FallbackLlm({ models: [named('a', answer as LlmResponse)] }));
    expect(final).toMatchObject({ modelVersion: 'a-2026', customMetadata: { region: 'north', answeredBy: 'a' } });
  });

  it('names the model that answered, and all earlier errors, if its models are FallbackLlms', async () => {
    const nest = (...answers: ScriptedAnswer[]): FallbackLlm => {
      const [a, b] = [named('a', fails('MODEL_OVERLOADED')), named('b', ...answers)];
      const inner = new FallbackLlm({ name: 'inner', models: [a, b] });
      return new FallbackLlm({ models: [named('first', fails('MODEL_UNAVAILABLE')), inner] });
    };
    const { final } = await callLlm(nest(says('yes')));
    expect(final).toMatchObject({ modelVersion: 'b', customMetadata: { answeredBy: 'b' } });
    const { error } = await callLlm(nest(fails('MODEL_TIMEOUT')));
    expect(error).toMatchObject({
      code: 'MODEL_TIMEOUT',
      details: {
        earlier: [
          { model: 'first', code: 'MODEL_UNAVAILABLE' },
          { model: 'a', code: 'MODEL_OVERLOADED' },
        ],
      },
    });
  });

  it.each(['MODEL_RATE_LIMITED', 'MODEL_OVERLOADED', 'MODEL_UNAVAILABLE', 'MODEL_TIMEOUT', 'MODEL_INCOMPLETE'])(
    'calls the next model, with the name of that model, after %s',
    async (code) => {
      const runtime = new FixedRuntime();
      const [a, b] = [named('a', fails(code)), named('b', says('from b'))];
      const { texts, final } = await callLlm(new FallbackLlm({ models: [a, b], runtime }));
      expect(texts).toEqual(['from b']);
      expect(final!.customMetadata).toEqual({ answeredBy: 'b' });
      expect([a.requests, b.requests]).toEqual([[{ ...request, model: 'a' }], [{ ...request, model: 'b' }]]);
      expect(runtime.logs).toMatchObject([{ level: 'warn', fields: { model: 'a', code } }]);
    },
  );

  it('logs the error of a fallback with its causes to the logger of the run', async () => {
    const refused = new TholeError('MODEL_UNAVAILABLE', 'No connection.', { cause: new Error('ECONNREFUSED') });
    const model = new FallbackLlm({ models: [named('a', refused), named('b', says('from b'))] });
    const { runner, runtime } = await createSetup(rootOf(model));
    expect((await runner.runToCompletion(hello)).text).toBe('from b');
    expect(runtime.logs).toMatchObject([
      { level: 'warn', fields: { model: 'a', code: 'MODEL_UNAVAILABLE', causes: [{ error: 'Error: ECONNREFUSED' }] } },
    ]);
  });

  it.each(['MODEL_AUTH', 'MODEL_BAD_REQUEST', 'MODEL_CONTEXT_TOO_LONG', 'SCHEMA_UNSUPPORTED'])(
    'throws %s unchanged, because another model would not help',
    async (code) => {
      const thrown = new TholeError(code, 'No.');
      const b = named('b');
      expect((await callLlm(new FallbackLlm({ models: [named('a', thrown), b] }))).error).toBe(thrown);
      expect(b.requests).toEqual([]);
    },
  );

  it('throws after a partial response, because no other model can continue its text', async () => {
    const broken: ScriptedAnswer = [];
    const a: Llm = {
      model: 'a',
      specVersion: 1,
      async *generateContentAsync() {
        yield { partial: true, content: { role: 'model', parts: [{ text: 'The har' }] } };
        throw new TholeError('MODEL_INCOMPLETE', 'It broke off.');
      },
    };
    const b = named('b', broken);
    const { texts, error } = await callLlm(new FallbackLlm({ models: [a, b] }), { stream: true });
    expect([texts, error?.code, b.requests]).toEqual([['The har'], 'MODEL_INCOMPLETE', []]);
  });

  it('streams the partials of the model that answers', async () => {
    const models = [named('a', fails('MODEL_OVERLOADED')), named('b', streams('Hel', 'lo'))];
    const { texts, final } = await callLlm(new FallbackLlm({ models }), { stream: true });
    expect(texts).toEqual(['Hel', 'lo', 'Hello']);
    expect(final!.customMetadata).toEqual({ answeredBy: 'b' });
  });

  it('throws the error of the last model if all fail, with names and codes of the others', async () => {
    const last = new TholeError('MODEL_RATE_LIMITED', 'Come back.', { retryAfterMs: 2000, details: { id: 'r1' } });
    const models = [named('a', fails('MODEL_OVERLOADED')), named('b', fails('MODEL_TIMEOUT')), named('c', last)];
    const { error } = await callLlm(new FallbackLlm({ models }));
    expect(error).toMatchObject({ code: 'MODEL_RATE_LIMITED', message: 'Come back.', retryAfterMs: 2000, cause: last });
    expect(error!.details).toEqual({
      id: 'r1',
      earlier: [
        { model: 'a', code: 'MODEL_OVERLOADED' },
        { model: 'b', code: 'MODEL_TIMEOUT' },
      ],
    });
  });

  it('names earlier models also for an error without fallback, and wraps unknown errors', async () => {
    const unauthorized = named('b', fails('MODEL_AUTH'));
    const odd = named('b', new Error('odd'));
    for (const [b, code] of [
      [unauthorized, 'MODEL_AUTH'],
      [odd, 'MODEL_FAILED'],
    ] as const) {
      const { error } = await callLlm(
        new FallbackLlm({ models: [named('a', fails('MODEL_OVERLOADED')), b, named('c')] }),
      );
      expect(error).toMatchObject({ code, details: { earlier: [{ model: 'a', code: 'MODEL_OVERLOADED' }] } });
    }
  });

  it('does not fall back after an abort (contract 23)', async () => {
    const abort = new AbortController();
    const b = named('b');
    const outcome = callLlm(new FallbackLlm({ models: [named('a', hangs()), b] }), { signal: abort.signal });
    abort.abort(new TholeError('MODEL_TIMEOUT', 'The caller has no more time.'));
    expect((await outcome).error).toBe(abort.signal.reason);
    expect(b.requests).toEqual([]);
  });

  it('falls back only if `shouldFallBack` returns true', async () => {
    const seen: unknown[] = [];
    const shouldFallBack: FallbackLlmOptions['shouldFallBack'] = (error, { model }) => {
      seen.push([model, (error as TholeError).code]);
      return TholeError.is(error, 'MODEL_CONTEXT_TOO_LONG');
    };
    const models = (): Llm[] => [
      named('a', fails('MODEL_CONTEXT_TOO_LONG'), fails('MODEL_OVERLOADED')),
      named('b', says('longer')),
    ];
    const llm = new FallbackLlm({ models: models(), shouldFallBack });
    expect((await callLlm(llm)).texts).toEqual(['longer']);
    expect((await callLlm(llm)).error!.code).toBe('MODEL_OVERLOADED');
    expect(seen).toEqual([
      ['a', 'MODEL_CONTEXT_TOO_LONG'],
      ['a', 'MODEL_OVERLOADED'],
    ]);
  });

  it('calls the models that `route` returns, in this order, and all for undefined', async () => {
    const [a, b, c] = [named('a', says('a')), named('b', fails('MODEL_OVERLOADED')), named('c', says('c'), says('c'))];
    const routes: (readonly Llm[] | undefined)[] = [[b, c], undefined, [c]];
    const llm = new FallbackLlm({ models: [a, b, c], route: async () => routes.shift() });
    const texts = [];
    for (let i = 0; i < 3; i++) texts.push(...(await callLlm(llm)).texts);
    expect(texts).toEqual(['c', 'a', 'c']);
    expect(b.requests.length).toBe(1);
  });

  it('passes the request of the caller to `route`, and throws its error', async () => {
    let seen: LlmRequest | undefined;
    const llm = new FallbackLlm({
      models: [named('a')],
      route: (received) => {
        seen = received;
        throw new TholeError('INVALID_INPUT', 'No way.');
      },
    });
    expect((await callLlm(llm)).error!.message).toBe('No way.');
    expect(seen).toEqual(request);
  });

  it('calls a failed model after the others until its cooldown is over (contract 43)', async () => {
    const runtime = new FixedRuntime();
    const a = named('a', fails('MODEL_OVERLOADED'), says('a'), says('a'));
    const b = named('b', says('b'), says('b'), fails('MODEL_OVERLOADED'));
    const llm = new FallbackLlm({ models: [a, b], cooldownMs: 30_000, runtime });
    const answers = [(await callLlm(llm)).texts];
    await runtime.advance(29_999);
    answers.push((await callLlm(llm)).texts);
    answers.push((await callLlm(llm)).texts); // b fails, so a is called during its cooldown
    expect(answers.flat()).toEqual(['b', 'b', 'a']);
    await runtime.advance(1);
    expect((await callLlm(llm)).texts).toEqual(['a']);
    expect([a.requests.length, b.requests.length]).toEqual([3, 3]);
  });

  it('starts with the first model each time without a cooldown', async () => {
    const a = named('a', fails('MODEL_OVERLOADED'), says('a'));
    const llm = new FallbackLlm({ models: [a, named('b', says('b'))] });
    expect([(await callLlm(llm)).texts, (await callLlm(llm)).texts]).toEqual([['b'], ['a']]);
  });

  it('has the given name, or the names of its models', () => {
    const models = [named('a'), named('b')];
    expect(new FallbackLlm({ models }).model).toBe('a, b');
    expect(new FallbackLlm({ models, name: 'either' }).model).toBe('either');
  });

  it('works in an agent, and the event names the model that answered', async () => {
    const models = [named('a', fails('MODEL_UNAVAILABLE')), named('b', says('Welcome.'))];
    const setup = await createSetup(rootOf(new FallbackLlm({ models })));
    await Array.fromAsync(setup.runner.runAsync(hello));
    const { events } = await setup.stored();
    expect(events.at(-1)).toMatchObject({ modelVersion: 'b', customMetadata: { answeredBy: 'b' } });
  });

  it.each<[string, object, string]>([
    ['no models', {}, 'models of FallbackLlm must be a list of models'],
    ['an empty list', { models: [] }, 'models of FallbackLlm must name at least one model.'],
    ['a name instead of a model', { models: ['gpt-5'] }, 'models of FallbackLlm: [0] must be a model'],
    ['a misspelt option', { models: [named('a')], cooldown: 1 }, 'FallbackLlm has no option cooldown.'],
    ['an empty name', { models: [named('a')], name: '' }, 'name of FallbackLlm must be a string that is not empty.'],
    ['a route that is not a function', { models: [named('a')], route: 'a' }, 'route of FallbackLlm must be a function'],
    [
      'a negative cooldown',
      { models: [named('a')], cooldownMs: -1 },
      'cooldownMs of FallbackLlm must be an integer ≥ 0.',
    ],
  ])('rejects %s', (_name, options, sentence) => {
    expect(() => new FallbackLlm(options as FallbackLlmOptions)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining(sentence) }),
    );
  });

  it.each([[[]], [['b']], ['b']])('rejects a result of route that is not a list of models: %j', async (answer) => {
    const llm = new FallbackLlm({ models: [named('a')], route: () => answer as unknown as Llm[] });
    expect((await callLlm(llm)).error).toMatchObject({ code: 'INVALID_INPUT' });
  });
});

const failing = (): ScriptedLlm => new ScriptedLlm(...Array.from({ length: 3 }, () => fails('MODEL_UNAVAILABLE')));

register({ describe, it }, llmCases, {
  name: 'FallbackLlm over an unavailable and an available model',
  claims: ['thoughts', 'signatures', 'stop-sequences', 'images', 'answer-images'],
  create: () => {
    const models: ScriptedLlm[] = [];
    const llm = (scenario: LlmScenario): FallbackLlm => {
      const model = new ScriptedLlm(...Array.from({ length: 3 }, () => plays(scenario)));
      models.push(model);
      return new FallbackLlm({ models: [failing(), model] });
    };
    return { llm, received: () => models.flatMap(({ requests }) => requests) };
  },
});
