import { getFunctionCalls, textOf } from '@thole/core';
import { calls, callsAll, fails, modelNamed, says, ScriptedLlm, streams, thinks } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import {
  answersIn,
  hello,
  createSetup,
  outcomeOf,
  rootOf,
  stringsSchema,
  textsIn,
  toolOf,
} from '../support/llm-setup.ts';

describe('a turn of an LlmAgent', () => {
  it('answers, and sees the whole conversation in the next turn', async () => {
    const model = new ScriptedLlm(says('Hi.'), says('Again.'));
    const { runner } = await createSetup(rootOf(model));
    await runner.runToCompletion(hello);
    const { text } = await runner.runToCompletion({ ...hello, newMessage: 'and?' });
    expect(text).toBe('Again.');
    expect(model.requests[1]!.contents.map((content) => [content.role, textOf(content)])).toEqual([
      ['user', 'hello'],
      ['model', 'Hi.'],
      ['user', 'and?'],
    ]);
    model.assertDone();
  });

  it('finds a model that is given by name among the runner’s factories', async () => {
    const model = new ScriptedLlm(says('Hi.'));
    const agent = new LlmAgent({ name: 'root', model: 'some-model' });
    const { runner } = await createSetup(agent, { models: [modelNamed('some-model', model)] });
    expect((await runner.runToCompletion(hello)).text).toBe('Hi.');
  });

  it('runs tools and asks the model again with their answers, in call order (contract 18)', async () => {
    const model = new ScriptedLlm(callsAll(['slow', {}, 'a'], ['fast', {}, 'b']), says('Done.'));
    let release = (): void => {};
    const slow = toolOf('slow', () => new Promise((resolve) => (release = () => resolve('slow one'))));
    const fast = toolOf('fast', () => {
      queueMicrotask(() => release());
      return { quick: true };
    });
    const { runner, stored } = await createSetup(rootOf(model, { tools: [slow, fast] }));
    const events = await Array.fromAsync(runner.runAsync(hello));
    // Each answer is a separate event, stored when it was ready.
    expect(answersIn(events)).toEqual([
      ['fast', { quick: true }],
      ['slow', { result: 'slow one' }],
    ]);
    const [, , answers] = model.requests[1]!.contents;
    expect(answers!.parts!.map((part) => part.functionResponse!.name)).toEqual(['slow', 'fast']);
    expect((await stored()).events.length).toBe(5);
  });

  it('shows partials and the whole under one event id, and keeps the whole alone (contract 15)', async () => {
    const model = new ScriptedLlm(streams('Hel', 'lo'));
    const { runner, stored } = await createSetup(rootOf(model));
    const events = await Array.fromAsync(runner.runAsync({ ...hello, runConfig: { streamingMode: 'sse' } }));
    expect(textsIn(events)).toEqual(['root: Hel', 'root: lo', 'root: Hello']);
    expect(new Set(events.map(({ id }) => id)).size).toBe(1);
    expect(events.map(({ partial }) => partial)).toEqual([true, true, undefined]);
    expect(textsIn((await stored()).events)).toEqual(['user: hello', 'root: Hello']);
  });

  it('gives a call without an id one, in the whole alone, and runs it once', async () => {
    let ran = 0;
    const model = new ScriptedLlm([...streams('Let me ', 'see.').slice(0, 2), calls('look')], says('Seen.'));
    const { runner } = await createSetup(rootOf(model, { tools: [toolOf('look', () => ++ran)] }));
    const events = await Array.fromAsync(runner.runAsync({ ...hello, runConfig: { streamingMode: 'sse' } }));
    const withCalls = events.filter((event) => getFunctionCalls(event).length > 0);
    expect(withCalls.length).toBe(1);
    expect(getFunctionCalls(withCalls[0]!)[0]!.id).toMatch(/^thole-call-/);
    expect(ran).toBe(1);
  });

  it('creates unique ids for calls of a model that numbers them again in each answer', async () => {
    const model = new ScriptedLlm(calls('look', { n: 1 }, 'call_0'), calls('look', { n: 2 }, 'call_0'), says('Seen.'));
    const seen: unknown[] = [];
    const { runner } = await createSetup(rootOf(model, { tools: [toolOf('look', ({ n }) => seen.push(n))] }));
    const events = await Array.fromAsync(runner.runAsync(hello));
    const ids = events.flatMap((event) => getFunctionCalls(event).map(({ id }) => id));
    expect(new Set(ids).size).toBe(2);
    expect(seen).toEqual([1, 2]);
  });

  it('runs a call that one answer holds twice once (contract 18)', async () => {
    let ran = 0;
    const model = new ScriptedLlm(callsAll(['look', { n: 1 }, 'a'], ['look', { n: 1 }, 'a']), says('Seen.'));
    const { runner } = await createSetup(rootOf(model, { tools: [toolOf('look', () => ++ran)] }));
    await runner.runToCompletion(hello);
    expect(ran).toBe(1);
  });

  it('takes a forced call back after the first step', async () => {
    const model = new ScriptedLlm(calls('look'), says('Seen.'));
    const generateContentConfig = {
      toolConfig: { functionCallingConfig: { mode: 'ANY' as const, allowedFunctionNames: ['look'] } },
    };
    const { runner } = await createSetup(rootOf(model, { generateContentConfig, tools: [toolOf('look', () => 1)] }));
    await runner.runToCompletion(hello);
    expect(model.requests.map(({ config }) => config.toolConfig!.functionCallingConfig!.mode)).toEqual(['ANY', 'AUTO']);
  });

  it('ends with LLM_CALL_LIMIT when the invocation has made all its model calls (contract 19)', async () => {
    const model = new ScriptedLlm(calls('look'), calls('look'));
    const { runner } = await createSetup(rootOf(model, { tools: [toolOf('look', () => 1)] }));
    const { error } = await outcomeOf(runner.runAsync({ ...hello, runConfig: { maxLlmCalls: 2 } }));
    expect(error?.code).toBe('LLM_CALL_LIMIT');
  });

  it('ends with MODEL_STUCK after three calls of a tool that is not there (contract 18)', async () => {
    const model = new ScriptedLlm(calls('made_up'), calls('made_up'), calls('made_up'), says('Back.'));
    const { runner } = await createSetup(rootOf(model, { tools: [toolOf('look', () => 1)] }));
    const { events, error } = await outcomeOf(runner.runAsync(hello));
    expect(error?.code).toBe('MODEL_STUCK');
    expect(answersIn(events).map(([, { error: sentence }]) => sentence)).toEqual(
      Array.from({ length: 3 }, () => 'There is no tool made_up. The tools are: look.'),
    );
    expect((await runner.runToCompletion(hello)).text).toBe('Back.');
  });

  it('resets the count of stuck steps after a valid call', async () => {
    const model = new ScriptedLlm(calls('x'), calls('x'), calls('look'), calls('x'), calls('x'), says('Done.'));
    const { runner } = await createSetup(rootOf(model, { tools: [toolOf('look', () => 1)] }));
    expect((await runner.runToCompletion(hello)).text).toBe('Done.');
  });

  it('keeps its answer under outputKey, without thoughts, where its afterAgentCallback sees it (contract 20)', async () => {
    const model = new ScriptedLlm(thinks('Hm.', 'Hi.'));
    let seen: unknown;
    const agent = rootOf(model, {
      outputKey: 'greeting',
      afterAgentCallback: ({ state }) => void (seen = state.get('greeting')),
    });
    const { runner, stored } = await createSetup(agent);
    await runner.runToCompletion(hello);
    expect((await stored()).state).toEqual({ greeting: 'Hi.' });
    expect(seen).toBe('Hi.');
  });

  it('keeps what its beforeAgentCallback answered in its place (contract 20)', async () => {
    const beforeAgentCallback = () => ({ parts: [{ text: 'Closed.' }] });
    const { runner, stored } = await createSetup(rootOf(new ScriptedLlm(), { outputKey: 'kept', beforeAgentCallback }));
    await runner.runToCompletion(hello);
    expect((await stored()).state).toEqual({ kept: 'Closed.' });
  });

  it('keeps nothing for partials, calls or errors (contract 20)', async () => {
    const deltas: unknown[] = [];
    const plugin = {
      name: 'ear',
      onEventCallback: ({ event }: { event: import('@thole/core').Event }) =>
        void deltas.push(event.actions.stateDelta),
    };
    const model = new ScriptedLlm([...streams('a', 'b').slice(0, 2), calls('look')], {
      ...says('half of'),
      errorCode: 'MODEL_BLOCKED',
    });
    const { runner, stored } = await createSetup(
      rootOf(model, { outputKey: 'kept', tools: [toolOf('look', () => 1)] }),
      {
        plugins: [plugin],
      },
    );
    await runner.runToCompletion({ ...hello, runConfig: { streamingMode: 'sse' } });
    expect(deltas.every((delta) => JSON.stringify(delta) === '{}')).toBe(true);
    expect((await stored()).state).toEqual({});
  });

  it('never keeps another agent’s answer under its outputKey (contract 20)', async () => {
    const child = new LlmAgent({ name: 'child', model: new ScriptedLlm(says('I am the child.')) });
    const model = new ScriptedLlm(calls('transfer_to_agent', { agentName: 'child' }));
    const { runner, stored } = await createSetup(rootOf(model, { outputKey: 'mine', subAgents: [child] }));
    expect((await runner.runToCompletion(hello)).text).toBe('I am the child.');
    expect((await stored()).state).toEqual({});
  });

  it('stores and keeps what a plugin made of the answer (contract 16)', async () => {
    const plugin = {
      name: 'redact',
      onEventCallback: ({ event }: { event: import('@thole/core').Event }) =>
        event.author === 'root'
          ? { ...event, content: { role: 'model' as const, parts: [{ text: '***' }] } }
          : undefined,
    };
    const { runner, stored } = await createSetup(rootOf(new ScriptedLlm(says('secret')), { outputKey: 'kept' }), {
      plugins: [plugin],
    });
    await runner.runToCompletion(hello);
    expect((await stored()).state).toEqual({ kept: '***' });
  });

  it('runs a call with the arguments that a plugin left in it (contract 16)', async () => {
    const seen: unknown[] = [];
    const plugin = {
      name: 'redact',
      onEventCallback: ({ event }: { event: import('@thole/core').Event }) =>
        getFunctionCalls(event).length > 0
          ? {
              ...event,
              content: {
                role: 'model' as const,
                parts: [{ functionCall: { ...getFunctionCalls(event)[0]!, args: { card: '***' } } }],
              },
            }
          : undefined,
    };
    const model = new ScriptedLlm(calls('pay', { card: '4711' }), says('Paid.'));
    const { runner } = await createSetup(rootOf(model, { tools: [toolOf('pay', (args) => void seen.push(args))] }), {
      plugins: [plugin],
    });
    await runner.runToCompletion(hello);
    expect(seen).toEqual([{ card: '***' }]);
  });

  it('runs nothing of an answer that a plugin dropped', async () => {
    let ran = 0;
    const plugin = {
      name: 'drop',
      onEventCallback: ({ event }: { event: import('@thole/core').Event }) =>
        getFunctionCalls(event).length > 0 ? null : undefined,
    };
    const { runner } = await createSetup(
      rootOf(new ScriptedLlm(calls('look')), { tools: [toolOf('look', () => ++ran)] }),
      {
        plugins: [plugin],
      },
    );
    await runner.runToCompletion(hello);
    expect(ran).toBe(0);
  });

  it('lets the next turn work after an error of the model (contract 22)', async () => {
    const model = new ScriptedLlm(fails('MODEL_OVERLOADED'), says('Back.'));
    const { runner, stored } = await createSetup(rootOf(model));
    expect((await outcomeOf(runner.runAsync(hello))).error?.code).toBe('MODEL_OVERLOADED');
    expect((await runner.runToCompletion(hello)).text).toBe('Back.');
    expect((await stored()).events[1]!.errorCode).toBe('MODEL_OVERLOADED');
  });
});

describe('a typed answer', () => {
  const outputSchema = stringsSchema('city');

  it('is asked for by the provider’s own means where there are no tools, and kept parsed (contract 20)', async () => {
    const model = new ScriptedLlm(says('{"city":"Oslo"}'));
    const { runner, stored } = await createSetup(rootOf(model, { outputSchema, outputKey: 'where' }));
    expect((await runner.runToCompletion(hello)).output).toEqual({ city: 'Oslo' });
    expect(model.requests[0]!.config).toMatchObject({
      responseMimeType: 'application/json',
      responseJsonSchema: { required: ['city'] },
    });
    expect((await stored()).state).toEqual({ where: { city: 'Oslo' } });
  });

  it('comes as a call where there are tools, and ends the turn as text', async () => {
    const model = new ScriptedLlm(calls('look'), calls('set_model_response', { city: 'Oslo' }));
    const { runner, stored } = await createSetup(
      rootOf(model, { outputSchema, outputKey: 'where', tools: [toolOf('look', () => 1)] }),
    );
    expect((await runner.runToCompletion(hello)).output).toEqual({ city: 'Oslo' });
    expect(model.requests[0]!.config.responseJsonSchema).toBeUndefined();
    expect((await stored()).state).toEqual({ where: { city: 'Oslo' } });
  });

  it('goes back to the model with what is wrong, at most twice, and is not stored meanwhile (contract 20)', async () => {
    const model = new ScriptedLlm(says('Oslo'), says('{"town":"Oslo"}'), says('```json\n{"city":"Oslo"}\n```'));
    const { runner, stored } = await createSetup(rootOf(model, { outputSchema }));
    expect((await runner.runToCompletion(hello)).text).toBe('{"city":"Oslo"}');
    expect(textOf(model.requests[1]!.contents.at(-1))).toBe('The answer must be only JSON.');
    expect(textOf(model.requests[2]!.contents.at(-1))).toBe('The answer does not fit: city: expected string.');
    expect(model.requests[2]!.contents.length).toBe(3);
    expect((await stored()).events.length).toBe(2);
  });

  it('counts the tokens of answers that did not fit with the one that did (contract 20)', async () => {
    const counted = (text: string, totalTokenCount: number) => ({
      ...says(text),
      usageMetadata: { promptTokenCount: 1, totalTokenCount },
    });
    const model = new ScriptedLlm(counted('Oslo', 10), counted('{}', 20), {
      ...counted('{"city":"Oslo"}', 30),
      usageMetadata: { totalTokenCount: 30, thoughtsTokenCount: 3 },
    });
    const { runner, stored } = await createSetup(rootOf(model, { outputSchema }));
    const whole = { promptTokenCount: 2, totalTokenCount: 60, thoughtsTokenCount: 3 };
    expect((await runner.runToCompletion(hello)).usage).toEqual(whole);
    expect((await stored()).events[1]!.usageMetadata).toEqual(whole);
  });

  it('is undefined if a callback’s replacement is not JSON, and the text is kept', async () => {
    const beforeAgentCallback = () => ({ parts: [{ text: 'Closed.' }] });
    const { runner } = await createSetup(rootOf(new ScriptedLlm(), { outputSchema, beforeAgentCallback }));
    expect(await runner.runToCompletion(hello)).toMatchObject({ text: 'Closed.', output: undefined });
  });

  it('counts them once, in the next event that is stored (contract 20)', async () => {
    const counted = { usageMetadata: { totalTokenCount: 1 } };
    const model = new ScriptedLlm(
      { ...says('Oslo'), ...counted },
      { ...calls('made_up'), ...counted },
      { ...says('{"city":"Oslo"}'), ...counted },
    );
    const { runner, stored } = await createSetup(rootOf(model, { outputSchema }));
    expect((await runner.runToCompletion(hello)).usage).toEqual({ totalTokenCount: 3 });
    expect((await stored()).events.flatMap(({ usageMetadata }) => usageMetadata?.totalTokenCount ?? [])).toEqual([
      2, 1,
    ]);
  });

  it('names the number of attempts in the error and starts again in the next turn (contract 20)', async () => {
    const bad = { ...says('x'), usageMetadata: { totalTokenCount: 5 } };
    const model = new ScriptedLlm(bad, bad, bad, { ...says('{"city":"Oslo"}'), usageMetadata: { totalTokenCount: 1 } });
    const { runner } = await createSetup(rootOf(model, { outputSchema }));
    const { error } = await outcomeOf(runner.runAsync(hello));
    expect(error).toMatchObject({ code: 'OUTPUT_INVALID', details: { usageMetadata: { totalTokenCount: 15 } } });
    expect((await runner.runToCompletion(hello)).usage).toEqual({ totalTokenCount: 1 });
  });

  it.each([
    ['as text', [says('a'), says('b'), says('c')], []],
    ['as calls', Array.from({ length: 3 }, () => calls('set_model_response', {})), [toolOf('look', () => 1)]],
  ])('ends with OUTPUT_INVALID when it never fits, %s (contract 20)', async (_how, answers, tools) => {
    const model = new ScriptedLlm(...answers, says('{"city":"Oslo"}'));
    const { runner } = await createSetup(rootOf(model, { outputSchema, tools }));
    expect((await outcomeOf(runner.runAsync(hello))).error?.code).toBe('OUTPUT_INVALID');
    expect((await runner.runToCompletion(hello)).output).toEqual({ city: 'Oslo' });
  });
});

describe('handing over', () => {
  it('runs the other agent in the same invocation and continues it with the next message (contract 29)', async () => {
    const other = new LlmAgent({
      name: 'other',
      description: 'Knows rooms.',
      model: new ScriptedLlm(says('Rooms!'), says('More rooms!')),
    });
    const model = new ScriptedLlm(calls('transfer_to_agent', { agentName: 'other' }));
    const { runner } = await createSetup(rootOf(model, { subAgents: [other] }));
    const events = await Array.fromAsync(runner.runAsync(hello));
    expect(events.map(({ author }) => author)).toEqual(['root', 'root', 'other']);
    expect(events[1]!.actions.transferToAgent).toBe('other');
    expect(new Set(events.map(({ invocationId }) => invocationId)).size).toBe(1);
    expect((await runner.runToCompletion(hello)).text).toBe('More rooms!');
  });

  it('uses the nearest model above where an agent has none', async () => {
    const model = new ScriptedLlm(calls('transfer_to_agent', { agentName: 'other' }), says('Me too.'));
    const { runner } = await createSetup(rootOf(model, { subAgents: [new LlmAgent({ name: 'other' })] }));
    expect((await runner.runToCompletion(hello)).text).toBe('Me too.');
  });

  it('answers a model that names no target with those there are', async () => {
    const model = new ScriptedLlm(calls('transfer_to_agent', { agentName: 'nobody' }), says('Myself, then.'));
    const { runner } = await createSetup(rootOf(model, { subAgents: [new LlmAgent({ name: 'other' })] }));
    const events = await Array.fromAsync(runner.runAsync(hello));
    expect(answersIn(events)).toEqual([['transfer_to_agent', { error: 'agentName must be one of other.' }]]);
  });

  it('gives an agent that sees the current turn alone the user’s message after a transfer', async () => {
    const inner = new ScriptedLlm(says('Rooms!'));
    const other = new LlmAgent({ name: 'other', model: inner, includeContents: 'none' });
    const { runner } = await createSetup(
      rootOf(new ScriptedLlm(calls('transfer_to_agent', { agentName: 'other' })), { subAgents: [other] }),
    );
    await runner.runToCompletion(hello);
    expect(textOf(inner.requests[0]!.contents[0])).toBe('hello');
  });
});

describe('calls that are answered later', () => {
  const later = toolOf('approve', () => ({ status: 'asked' }), { isLongRunning: true });

  it('pause the invocation, and the answer continues it (contract 28)', async () => {
    const model = new ScriptedLlm(calls('approve', {}, 'c1'), says('Approved.'));
    const { runner } = await createSetup(rootOf(model, { tools: [later] }));
    const events = await Array.fromAsync(runner.runAsync(hello));
    expect(events[0]!.longRunningToolIds).toEqual(['c1']);
    expect(answersIn(events)).toEqual([['approve', { status: 'asked' }]]);
    const answer = {
      role: 'user' as const,
      parts: [{ functionResponse: { id: 'c1', name: 'approve', response: { ok: true } } }],
    };
    expect((await runner.runToCompletion({ ...hello, newMessage: answer })).text).toBe('Approved.');
    expect(model.requests[1]!.contents[2]!.parts![0]!.functionResponse!.response).toEqual({ ok: true });
  });

  it('leave no answer where the tool gives nothing, and keep what it wrote', async () => {
    const silent = toolOf('approve', (_args, { state }) => state.set('asked', true), { isLongRunning: true });
    const { runner, stored } = await createSetup(rootOf(new ScriptedLlm(calls('approve')), { tools: [silent] }));
    const events = await Array.fromAsync(runner.runAsync(hello));
    expect(answersIn(events)).toEqual([]);
    expect((await stored()).state).toEqual({ asked: true });
  });

  it('do not keep the other calls of the turn from being put into words', async () => {
    const model = new ScriptedLlm(callsAll(['approve'], ['look']), says('Looked; approval is pending.'));
    const { runner } = await createSetup(rootOf(model, { tools: [later, toolOf('look', () => 1)] }));
    expect((await runner.runToCompletion(hello)).text).toBe('Looked; approval is pending.');
  });
});
