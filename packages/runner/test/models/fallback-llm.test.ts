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

/** A scripted model with its own name. */
function named(name: string, ...answers: ScriptedAnswer[]): ScriptedLlm {
  return Object.defineProperty(new ScriptedLlm(...answers), 'model', { value: name });
}

async function ask(
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
  it('asks the first model alone while that answers, and says who did', async () => {
    const [a, b] = [named('a', says('from a')), named('b')];
    const { texts, final } = await ask(new FallbackLlm({ models: [a, b] }));
    expect(texts).toEqual(['from a']);
    expect(final).toMatchObject({ modelVersion: 'a', customMetadata: { answeredBy: 'a' } });
    expect(b.requests).toEqual([]);
  });

  it('keeps what the model says of its version and its metadata', async () => {
    const answer = { ...says('yes'), modelVersion: 'a-2026', customMetadata: { region: 'north' } };
    const { final } = await ask(new FallbackLlm({ models: [named('a', answer as LlmResponse)] }));
    expect(final).toMatchObject({ modelVersion: 'a-2026', customMetadata: { region: 'north', answeredBy: 'a' } });
  });

  it.each(['MODEL_RATE_LIMITED', 'MODEL_OVERLOADED', 'MODEL_UNAVAILABLE', 'MODEL_TIMEOUT', 'MODEL_INCOMPLETE'])(
    'asks the next model, with its own name, after %s',
    async (code) => {
      const runtime = new FixedRuntime();
      const [a, b] = [named('a', fails(code)), named('b', says('from b'))];
      const { texts, final } = await ask(new FallbackLlm({ models: [a, b], runtime }));
      expect(texts).toEqual(['from b']);
      expect(final!.customMetadata).toEqual({ answeredBy: 'b' });
      expect([a.requests, b.requests]).toEqual([[{ ...request, model: 'a' }], [{ ...request, model: 'b' }]]);
      expect(runtime.logs).toMatchObject([{ level: 'warn', fields: { model: 'a', code } }]);
    },
  );

  it.each(['MODEL_AUTH', 'MODEL_BAD_REQUEST', 'MODEL_CONTEXT_TOO_LONG', 'SCHEMA_UNSUPPORTED'])(
    'throws %s unchanged, because another model would not help',
    async (code) => {
      const thrown = new TholeError(code, 'No.');
      const b = named('b');
      expect((await ask(new FallbackLlm({ models: [named('a', thrown), b] }))).error).toBe(thrown);
      expect(b.requests).toEqual([]);
    },
  );

  it('throws after a partial response: no second model continues another’s text', async () => {
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
    const { texts, error } = await ask(new FallbackLlm({ models: [a, b] }), { stream: true });
    expect([texts, error?.code, b.requests]).toEqual([['The har'], 'MODEL_INCOMPLETE', []]);
  });

  it('streams the partials of the model that answers', async () => {
    const models = [named('a', fails('MODEL_OVERLOADED')), named('b', streams('Hel', 'lo'))];
    const { texts, final } = await ask(new FallbackLlm({ models }), { stream: true });
    expect(texts).toEqual(['Hel', 'lo', 'Hello']);
    expect(final!.customMetadata).toEqual({ answeredBy: 'b' });
  });

  it('throws what the last model threw when all fail, and names the others with their codes', async () => {
    const last = new TholeError('MODEL_RATE_LIMITED', 'Come back.', { retryAfterMs: 2000, details: { id: 'r1' } });
    const models = [named('a', fails('MODEL_OVERLOADED')), named('b', fails('MODEL_TIMEOUT')), named('c', last)];
    const { error } = await ask(new FallbackLlm({ models }));
    expect(error).toMatchObject({ code: 'MODEL_RATE_LIMITED', message: 'Come back.', retryAfterMs: 2000, cause: last });
    expect(error!.details).toEqual({
      id: 'r1',
      earlier: [
        { model: 'a', code: 'MODEL_OVERLOADED' },
        { model: 'b', code: 'MODEL_TIMEOUT' },
      ],
    });
  });

  it('names the others too when the next model refuses, and wraps what has no code', async () => {
    const refused = named('b', fails('MODEL_AUTH'));
    const odd = named('b', new Error('odd'));
    for (const [b, code] of [
      [refused, 'MODEL_AUTH'],
      [odd, 'MODEL_FAILED'],
    ] as const) {
      const { error } = await ask(new FallbackLlm({ models: [named('a', fails('MODEL_OVERLOADED')), b, named('c')] }));
      expect(error).toMatchObject({ code, details: { earlier: [{ model: 'a', code: 'MODEL_OVERLOADED' }] } });
    }
  });

  it('never falls back from an abort (contract 23)', async () => {
    const abort = new AbortController();
    const b = named('b');
    const asked = ask(new FallbackLlm({ models: [named('a', hangs()), b] }), { signal: abort.signal });
    abort.abort(new TholeError('MODEL_TIMEOUT', 'The caller has no more time.'));
    expect((await asked).error).toBe(abort.signal.reason);
    expect(b.requests).toEqual([]);
  });

  it('falls back after what `shouldFallBack` says, and after nothing else', async () => {
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
    expect((await ask(llm)).texts).toEqual(['longer']);
    expect((await ask(llm)).error!.code).toBe('MODEL_OVERLOADED');
    expect(seen).toEqual([
      ['a', 'MODEL_CONTEXT_TOO_LONG'],
      ['a', 'MODEL_OVERLOADED'],
    ]);
  });

  it('asks the models that `route` names, in its order, and all where it names none', async () => {
    const [a, b, c] = [named('a', says('a')), named('b', fails('MODEL_OVERLOADED')), named('c', says('c'), says('c'))];
    const routes: (readonly Llm[] | undefined)[] = [[b, c], undefined, [c]];
    const llm = new FallbackLlm({ models: [a, b, c], route: async () => routes.shift() });
    const texts = [];
    for (let i = 0; i < 3; i++) texts.push(...(await ask(llm)).texts);
    expect(texts).toEqual(['c', 'a', 'c']);
    expect(b.requests.length).toBe(1);
  });

  it('gives `route` the request of the caller, and throws what it throws', async () => {
    let seen: LlmRequest | undefined;
    const llm = new FallbackLlm({
      models: [named('a')],
      route: (asked) => {
        seen = asked;
        throw new TholeError('INVALID_INPUT', 'No way.');
      },
    });
    expect((await ask(llm)).error!.message).toBe('No way.');
    expect(seen).toEqual(request);
  });

  it('asks a model that failed after the others, until its cooldown is over (contract 43)', async () => {
    const runtime = new FixedRuntime();
    const a = named('a', fails('MODEL_OVERLOADED'), says('a'), says('a'));
    const b = named('b', says('b'), says('b'), fails('MODEL_OVERLOADED'));
    const llm = new FallbackLlm({ models: [a, b], cooldownMs: 30_000, runtime });
    const answers = [(await ask(llm)).texts];
    await runtime.advance(29_999);
    answers.push((await ask(llm)).texts);
    answers.push((await ask(llm)).texts); // b fails: a is asked, resting or not
    expect(answers.flat()).toEqual(['b', 'b', 'a']);
    await runtime.advance(1);
    expect((await ask(llm)).texts).toEqual(['a']);
    expect([a.requests.length, b.requests.length]).toEqual([3, 3]);
  });

  it('begins with the first model each time where there is no cooldown', async () => {
    const a = named('a', fails('MODEL_OVERLOADED'), says('a'));
    const llm = new FallbackLlm({ models: [a, named('b', says('b'))] });
    expect([(await ask(llm)).texts, (await ask(llm)).texts]).toEqual([['b'], ['a']]);
  });

  it('has the given name, or the names of its models', () => {
    const models = [named('a'), named('b')];
    expect(new FallbackLlm({ models }).model).toBe('a, b');
    expect(new FallbackLlm({ models, name: 'either' }).model).toBe('either');
  });

  it('serves an agent like any model, and the event says who answered', async () => {
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
  ])('refuses %s', (_what, options, sentence) => {
    expect(() => new FallbackLlm(options as FallbackLlmOptions)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining(sentence) }),
    );
  });

  it.each([[[]], [['b']], ['b']])('rejects a result of route that is not a list of models: %j', async (answer) => {
    const llm = new FallbackLlm({ models: [named('a')], route: () => answer as unknown as Llm[] });
    expect((await ask(llm)).error).toMatchObject({ code: 'INVALID_INPUT' });
  });
});

const failing = (): ScriptedLlm => new ScriptedLlm(...Array.from({ length: 3 }, () => fails('MODEL_UNAVAILABLE')));

register({ describe, it }, llmCases, {
  name: 'FallbackLlm over a model that is not there and one that is',
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
