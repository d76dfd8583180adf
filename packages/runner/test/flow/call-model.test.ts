import { TholeError } from '@thole/core';
import type { Event, Llm, LlmRequest, LlmResponse, Plugin } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { calls, fails, ignores, modelNamed, says, ScriptedLlm, streams } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import type { LlmAgentOptions } from '../../src/agents/llm-agent-options.ts';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import type { Run } from '../../src/runner/run.ts';
import { Runner } from '../../src/runner/runner.ts';
import { hello, createSetup, outcomeOf, rootOf, settle, textsIn, toolOf } from '../support/llm-setup.ts';

const sse = { ...hello, runConfig: { streamingMode: 'sse' as const } };
const partial = (text: string): LlmResponse => ({ content: { role: 'model', parts: [{ text }] }, partial: true });

describe('A model', () => {
  it.each<[string, string, LlmResponse | LlmResponse[]]>([
    ['ends without a final response', 'MODEL_INCOMPLETE', [partial('Hel')]],
    ['yields no response', 'MODEL_INCOMPLETE', []],
    ['yields two final responses', 'MODEL_PROTOCOL', [says('one'), says('two')]],
    ['yields a partial after its final response', 'MODEL_PROTOCOL', [says('one'), partial('two')]],
    [
      'yields a call in a partial',
      'MODEL_PROTOCOL',
      [{ content: { parts: [{ functionCall: { name: 'x', args: {} } }] }, partial: true }, says('one')],
    ],
    ['answers without parts', 'MODEL_EMPTY', { content: { role: 'model', parts: [] }, finishReason: 'STOP' }],
    ['answers without a content', 'MODEL_EMPTY', {}],
    ['answers with an empty text', 'MODEL_EMPTY', says('')],
    ['throws an error that is not a TholeError', 'MODEL_FAILED', fails(new Error('socket hang up')) as never],
  ])('that %s ends the run with %s, and the next turn works (contract 22)', async (_name, code, answer) => {
    const { runner, stored } = await createSetup(rootOf(new ScriptedLlm(answer, says('Back.'))));
    const { error } = await outcomeOf(runner.runAsync(sse));
    expect(error?.code).toBe(code);
    expect(TholeError.is(error)).toBe(true);
    expect(textsIn((await stored()).events)).toEqual(['user: hello', `root: ${code}`]);
    expect((await runner.runToCompletion(hello)).text).toBe('Back.');
  });

  it.each([
    ['its finish reason is STOP', { content: { role: 'model' as const, parts: [] }, finishReason: 'STOP' }],
    ['it has no finish reason', {}],
  ])('that answers without parts says that %s', async (sentence, answer) => {
    const { runner } = await createSetup(rootOf(new ScriptedLlm(answer)));
    const { error } = await outcomeOf(runner.runAsync(hello));
    expect(error?.message).toBe(`The answer of model scripted is empty, and ${sentence}.`);
  });

  it.each([
    ['a rejected promise', async () => Promise.reject(new Error('socket hang up'))],
    ['a generator that is not async', () => [][Symbol.iterator]()],
    ['nothing', () => undefined],
  ])('that returns %s ends the run with MODEL_PROTOCOL and names the correct form', async (_, generateContentAsync) => {
    const { runner } = await createSetup(rootOf({ model: 'm', specVersion: 1, generateContentAsync } as never));
    await expect(runner.runToCompletion(hello)).rejects.toMatchObject({
      code: 'MODEL_PROTOCOL',
      message: expect.stringMatching(/^Model m must return an async generator \(async \*generateContentAsync\), got /),
    });
  });

  it('that throws ends the run with its error as the cause', async () => {
    const cause = new Error('socket hang up');
    const { runner } = await createSetup(rootOf(new ScriptedLlm(cause)));
    await expect(runner.runToCompletion(hello)).rejects.toMatchObject({ code: 'MODEL_FAILED', cause });
  });

  it('that streams without streamingMode adds no partial events to the run', async () => {
    const model = {
      model: 'chatty',
      specVersion: 1 as const,
      generateContentAsync: async function* () {
        yield* streams('a', 'b');
      },
    };
    const { runner } = await createSetup(rootOf(model as never));
    expect(textsIn(await Array.fromAsync(runner.runAsync(hello)))).toEqual(['root: ab']);
  });

  it('that ignores its signal does not delay an abort, and is not called again', async () => {
    const model = new ScriptedLlm(ignores(), says('Back.'));
    const { runner } = await createSetup(rootOf(model));
    const run = runner.runAsync(hello);
    const ending = outcomeOf(run);
    await settle();
    run.abort();
    expect((await ending).error?.code).toBe('RUN_ABORTED');
    expect(model.requests.length).toBe(1);
    expect((await runner.runToCompletion(hello)).text).toBe('Back.');
  });
});

describe('The stream of a model', () => {
  it.each([
    ['is left by its reader', async (run: Run) => void (await run.return!())],
    ['is aborted', async (run: Run) => (run.abort(), run.done)],
  ])('is closed if the run %s at a partial event (contract 23)', async (_name, end) => {
    let closed = 0;
    const model: Llm = {
      model: 'open',
      specVersion: 1,
      async *generateContentAsync() {
        try {
          yield partial('Hel');
          yield partial('lo');
          yield says('Hello');
        } finally {
          closed++;
        }
      },
    };
    const { runner } = await createSetup(new LlmAgent({ name: 'root', model }));
    const run = runner.runAsync(sse);
    await run.next();
    await end(run);
    await settle();
    expect(closed).toBe(1);
  });
});

describe('A model answer with a finish reason and without content', () => {
  it.each<LlmResponse>([
    { finishReason: 'MAX_TOKENS' },
    { finishReason: 'SAFETY', errorCode: 'MODEL_BLOCKED', errorMessage: 'blocked' },
  ])('is stored as an event, not as an error: $finishReason', async (answer) => {
    const { runner, stored } = await createSetup(rootOf(new ScriptedLlm(answer), { outputKey: 'kept' }));
    const { events, error } = await outcomeOf(runner.runAsync(hello));
    expect(error).toBeUndefined();
    expect(events[0]).toMatchObject(answer);
    expect((await stored()).state).toEqual({});
  });
});

describe('Hooks of a model call', () => {
  it('run in order, plugins before callbacks of the agent, also for partials (contract 21)', async () => {
    const seen: string[] = [];
    const textIn = (response: LlmResponse): string => response.content!.parts![0]!.text!;
    const plugin: Plugin = {
      name: 'watch',
      beforeModelCallback: () => void seen.push('plugin before'),
      afterModelCallback: ({ llmResponse }) => void seen.push(`plugin after ${textIn(llmResponse)}`),
    };
    const agent = rootOf(new ScriptedLlm(streams('a', 'b')), {
      beforeModelCallback: [() => void seen.push('first before'), async () => void seen.push('second before')],
      afterModelCallback: ({ response }) => void seen.push(`after ${textIn(response)}`),
    });
    const { runner } = await createSetup(agent, { plugins: [plugin] });
    await Array.fromAsync(runner.runAsync(sse));
    expect(seen).toEqual(
      ['plugin before', 'first before', 'second before'].concat(
        ['a', 'b', 'ab'].flatMap((text) => [`plugin after ${text}`, `after ${text}`]),
      ),
    );
  });

  it('replace a model call with their first answer, which does not count as a call', async () => {
    const model = new ScriptedLlm(says('Asked.'));
    let answers = 0;
    const cached = (): LlmResponse | undefined => (answers++ === 0 ? calls('look') : undefined);
    const expectAtLeast = (count: number): void => {
      expect(answers).toBeGreaterThanOrEqual(count);
    };
    const beforeModelCallback = [(): undefined => undefined, cached, (): void => expectAtLeast(2)];
    const { runner } = await createSetup(rootOf(model, { beforeModelCallback, tools: [toolOf('look', () => 1)] }));
    expect((await runner.runToCompletion({ ...hello, runConfig: { maxLlmCalls: 1 } })).text).toBe('Asked.');
    expect(model.requests.length).toBe(1);
  });

  it('may change the request without an effect on stored events', async () => {
    const model = new ScriptedLlm(says('Hi.'), says('Hi.'));
    const beforeModelCallback = ({ request }: { request: LlmRequest }): void => {
      request.config.temperature = 0;
      request.contents = [{ role: 'user', parts: [{ text: 'changed' }] }];
    };
    const agent = rootOf(model, { beforeModelCallback, generateContentConfig: { temperature: 1 } });
    const { runner, stored } = await createSetup(agent);
    await runner.runToCompletion(hello);
    expect(model.requests[0]).toMatchObject({
      config: { temperature: 0 },
      contents: [{ parts: [{ text: 'changed' }] }],
    });
    expect(agent.generateContentConfig).toEqual({ temperature: 1 });
    expect(textsIn((await stored()).events)).toEqual(['user: hello', 'root: Hi.']);
  });

  it('write state that is stored with the event of the model (F267)', async () => {
    const agent = rootOf(new ScriptedLlm(says('Hi.')), {
      beforeModelCallback: ({ context }) => context.state.set('asked', 1),
    });
    const { runner, stored } = await createSetup(agent);
    const [event] = await Array.fromAsync(runner.runAsync(hello));
    expect(event!.actions.stateDelta).toEqual({ asked: 1 });
    expect((await stored()).state).toEqual({ asked: 1 });
  });

  it('replace an error with an answer, which afterModelCallback receives', async () => {
    const agent = rootOf(new ScriptedLlm(fails('MODEL_OVERLOADED')), {
      onModelErrorCallback: ({ error }) =>
        TholeError.is(error, 'MODEL_OVERLOADED') ? says('Later, please.') : undefined,
      afterModelCallback: ({ response }) => ({ ...response, modelVersion: 'none' }),
    });
    const { runner } = await createSetup(agent);
    const [event] = await Array.fromAsync(runner.runAsync(hello));
    expect(event).toMatchObject({ modelVersion: 'none', content: { parts: [{ text: 'Later, please.' }] } });
  });

  it.each(['beforeModelCallback', 'afterModelCallback'] as const)(
    'end the run if %s of the agent throws, and the next turn works (contract 21)',
    async (callback) => {
      let isBroken = true;
      const broken = (): undefined => {
        if (isBroken) throw new Error('broken');
      };
      const { runner } = await createSetup(
        rootOf(new ScriptedLlm(...(callback === 'afterModelCallback' ? [says('x')] : []), says('Back.')), {
          [callback]: broken,
        }),
      );
      const { error } = await outcomeOf(runner.runAsync(hello));
      expect(error).toMatchObject({ code: 'CALLBACK_FAILED', message: `Agent root failed in ${callback}.` });
      isBroken = false;
      expect((await runner.runToCompletion(hello)).text).toBe('Back.');
    },
  );

  it('end the run if a plugin throws, and name the plugin (contract 21)', async () => {
    const plugin: Plugin = {
      name: 'bad',
      afterModelCallback: () => {
        throw new Error('broken');
      },
    };
    const { runner } = await createSetup(
      rootOf(new ScriptedLlm(says('x')), { onModelErrorCallback: () => expect.unreachable() }),
      { plugins: [plugin] },
    );
    const { error }: { events: Event[]; error: { code?: string; message?: string } | undefined } = await outcomeOf(
      runner.runAsync(hello),
    );
    expect(error).toMatchObject({ code: 'PLUGIN_FAILED', message: 'Plugin bad failed in afterModelCallback.' });
  });
});

describe('request.model', () => {
  const choosing = (name: unknown): { beforeModelCallback: LlmAgentOptions['beforeModelCallback'] } => ({
    beforeModelCallback: ({ request }) => void (request.model = name as string),
  });

  it('is the name of the agent’s model when beforeModelCallback is called', async () => {
    const seen: unknown[] = [];
    const look: LlmAgentOptions['beforeModelCallback'] = ({ request }) => void seen.push(request.model);
    const named = new LlmAgent({ name: 'root', model: 'by-name', beforeModelCallback: look });
    const setups = [
      await createSetup(rootOf(new ScriptedLlm(says('Hi.')), { beforeModelCallback: look })),
      await createSetup(named, { models: [modelNamed('by-name', new ScriptedLlm(says('Hi.')))] }),
    ];
    for (const { runner } of setups) await runner.runToCompletion(hello);
    expect(seen).toEqual(['scripted', 'by-name']);
  });

  it.each(['', 'm'.repeat(600)])('may be any name if it is that of the agent’s model: %#', async (name) => {
    const scripted = new ScriptedLlm(says('Hi.'));
    const model: Llm = {
      ...{ model: name, specVersion: 1 },
      generateContentAsync: (request, options) => scripted.generateContentAsync(request, options),
    };
    const { runner } = await createSetup(rootOf(model));
    expect((await runner.runToCompletion(hello)).text).toBe('Hi.');
    expect(scripted.requests[0]!.model).toBe(name);
  });

  it('selects a model of the runner’s factories, which is counted under its name', async () => {
    const other = new ScriptedLlm({ ...says('Yes.'), usageMetadata: { totalTokenCount: 7 } });
    const large: Llm = {
      ...{ model: 'large-1', specVersion: 1 },
      generateContentAsync: (request, options) => other.generateContentAsync(request, options),
    };
    const counted: string[] = [];
    const costOf = (_: unknown, model: string): number => counted.push(model);
    const rootAgent = rootOf(new ScriptedLlm(), choosing('large'));
    const app = { name: 'app', rootAgent, models: [modelNamed('large', large)], costOf };
    const runner = new Runner({ app, sessionService: new InMemorySessionService(), autoCreateSession: true });
    const { events } = await runner.runToCompletion(hello);
    expect([events[0]!.modelVersion, other.requests[0]!.model]).toEqual(['large-1', 'large-1']);
    expect(new Set(counted)).toEqual(new Set(['large-1']));
  });

  it('is sent to the model object of the agent if no factory supports it', async () => {
    const model = new ScriptedLlm(says('Hi.'), fails(new Error('socket hang up')) as never);
    const { runner } = await createSetup(rootOf(model, choosing('large')));
    expect((await runner.runToCompletion(hello)).events[0]!.modelVersion).toBe('large');
    expect(model.requests[0]!.model).toBe('large');
    await expect(runner.runToCompletion(hello)).rejects.toThrow('Model large failed.');
  });

  it('does not replace the model object of the agent if a callback does not change the name', async () => {
    for (const name of ['scripted', undefined]) {
      const model = new ScriptedLlm(says('Hi.'));
      const models = [modelNamed('scripted', new ScriptedLlm(says('No.')))];
      const { runner } = await createSetup(rootOf(model, choosing(name)), { models });
      expect((await runner.runToCompletion(hello)).text).toBe('Hi.');
      expect(model.requests[0]!.model).toBe('scripted');
    }
  });

  it('does not replace the modelVersion of an answer', async () => {
    const model = new ScriptedLlm({ ...says('Hi.'), modelVersion: 'large-2' });
    const { runner } = await createSetup(rootOf(model, choosing('large')));
    expect((await runner.runToCompletion(hello)).events[0]!.modelVersion).toBe('large-2');
  });

  it('ends the run if it is not a name, or if no factory supports it and the agent has a name', async () => {
    for (const [name, problem] of [
      [7, 'must be a string, got a number.'],
      ['', 'must not be empty.'],
    ]) {
      const { runner } = await createSetup(rootOf(new ScriptedLlm(), choosing(name)));
      await expect(runner.runToCompletion(hello)).rejects.toMatchObject({
        code: 'INVALID_INPUT',
        message: `model of the request ${problem}`,
      });
    }
    const agent = new LlmAgent({ name: 'root', model: 'by-name', ...choosing('large') });
    const named = await createSetup(agent, { models: [modelNamed('by-name', new ScriptedLlm())] });
    await expect(named.runner.runToCompletion(hello)).rejects.toMatchObject({ code: 'MODEL_UNKNOWN' });
  });
});
