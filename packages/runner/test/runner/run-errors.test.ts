import { getFunctionCalls, getFunctionResponses } from '@thole/core';
import type { Agent, Content, Event, Llm, Plugin, Tool, Toolset } from '@thole/core';
import { calls, fails, says, ScriptedLlm, streams } from '@thole/testing';
import type { ScriptedAnswer } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import type { LlmAgentOptions } from '../../src/agents/llm-agent-options.ts';
import { SequentialAgent } from '../../src/agents/sequential-agent.ts';
import { Runner } from '../../src/runner/runner.ts';
import type { RunRequest } from '../../src/invocation/run-request.ts';
import type { RunnerOptions } from '../../src/runner/runner-options.ts';
import { answersIn, hello, houseOf, outcomeOf, ref, rootOf, toolOf } from '../support/llm-house.ts';
import type { LlmHouse } from '../support/llm-house.ts';

/** Ends in this error, which names the thing; then the session can be read, holds together, and takes the next turn. */
async function endsIn(
  house: LlmHouse,
  request: Partial<RunRequest>,
  expected: { code: string; naming: string },
): Promise<Event[]> {
  const { events, error } = await outcomeOf(house.runner.runAsync({ ...hello, ...request } as RunRequest));
  expect(error).toMatchObject({ code: expected.code, message: expect.stringContaining(expected.naming) });
  await holdsTogether(house);
  await nextTurnWorks(house);
  return events;
}

async function holdsTogether({ sessions, stored }: LlmHouse): Promise<void> {
  const { events, lastSeq } = await stored();
  expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: events.length }, (_, i) => i + 1));
  expect(lastSeq).toBe(events.length);
  expect(JSON.parse(JSON.stringify(events))).toEqual(events);
  expect((await sessions.listSessions({ appName: ref.appName, userId: ref.userId })).total).toBe(1);
}

/** By another runner, so that nothing is read but what is stored; its model must be sent every call with its answer. */
async function nextTurnWorks({ sessions, artifacts, runtime, stored }: LlmHouse): Promise<void> {
  const model = new ScriptedLlm(says('fine'));
  const agent = rootOf(model);
  const runner = new Runner({ appName: 'app', agent, sessionService: sessions, artifactService: artifacts, runtime });
  expect((await runner.runToCompletion({ ...hello, newMessage: 'and now?' })).text).toBe('fine');
  const { contents } = model.requests[0]!;
  contents.forEach((content, i) => {
    const called = getFunctionCalls({ content }).map(({ id }) => id);
    const answered = contents[i + 1] ? getFunctionResponses({ content: contents[i + 1] }).map(({ id }) => id) : [];
    if (called.length > 0) expect(answered).toEqual(called);
  });
  expect(contents.at(-1)!.parts).toEqual([{ text: 'and now?' }]);
  expect((await stored()).events.at(-1)!.content?.parts).toEqual([{ text: 'fine' }]);
}

const cyclic: { self?: unknown } = {};
cyclic.self = cyclic;

describe('what is wrong with a request', () => {
  it.each<[string, Partial<RunRequest>, string]>([
    ['a message with no parts', { newMessage: { role: 'user', parts: [] } }, 'newMessage.parts'],
    ['a message without a list of parts', { newMessage: { role: 'user' } }, 'newMessage.parts'],
    ['a part of no kind', { newMessage: { parts: [{ words: 'x' }] } as never }, 'newMessage.parts[0]'],
    ['a text that is a number', { newMessage: { parts: [{ text: 7 }] } as never }, 'newMessage.parts[0].text'],
    ['a role that is none', { newMessage: { role: 'system', parts: [{ text: 'x' }] } as never }, 'newMessage.role'],
    ['a file without data', { newMessage: { parts: [{ inlineData: {} }] } as never }, 'newMessage.parts[0].inlineData'],
    ['a message that is a list', { newMessage: ['x'] as never }, 'newMessage'],
    ['no message', { newMessage: undefined as never }, 'newMessage'],
    ['a cyclic value in the state delta', { stateDelta: { a: cyclic } as never }, 'stateDelta.a.self'],
    [
      'a cyclic value in a part',
      { newMessage: { parts: [{ text: 'x', more: cyclic }] } as never },
      'newMessage.parts[0].more',
    ],
  ])('%s is INVALID_INPUT that names it, with nothing stored (contract 22)', async (_what, request, naming) => {
    const house = await houseOf(rootOf(new ScriptedLlm()));
    const { error } = await outcomeOf(house.runner.runAsync({ ...hello, ...request } as RunRequest));
    expect(error).toMatchObject({ code: 'INVALID_INPUT', message: expect.stringContaining(naming) });
    expect((await house.stored()).events).toEqual([]);
    await nextTurnWorks(house);
  });

  it('state that the store refuses is VALUE_TOO_LARGE, with nothing stored and nothing recorded (contract 22)', async () => {
    const house = await houseOf(rootOf(new ScriptedLlm()));
    const { events, error } = await outcomeOf(
      house.runner.runAsync({ ...hello, stateDelta: { a: 'x'.repeat(2 ** 20) } }),
    );
    expect([events, error]).toMatchObject([[], { code: 'VALUE_TOO_LARGE' }]);
    expect((await house.stored()).events).toEqual([]);
    await nextTurnWorks(house);
  });

  it('an unknown session is SESSION_NOT_FOUND that names it, and makes none (contract 22)', async () => {
    const house = await houseOf(rootOf(new ScriptedLlm()));
    await endsIn(house, { sessionId: 'nowhere' }, { code: 'SESSION_NOT_FOUND', naming: 'nowhere' });
    expect(await house.sessions.getSession({ ...ref, sessionId: 'nowhere' })).toBeUndefined();
  });

  it('a session of another user is SESSION_NOT_FOUND (contract 1)', async () => {
    const house = await houseOf(rootOf(new ScriptedLlm()));
    await endsIn(house, { userId: 'bob' }, { code: 'SESSION_NOT_FOUND', naming: 's' });
  });
});

describe('what is wrong with agents', () => {
  const model = new ScriptedLlm();
  const named = (name: string, more: Partial<LlmAgentOptions> = {}): LlmAgent => new LlmAgent({ name, model, ...more });
  const run = (agent: Agent, more: Partial<RunnerOptions> = {}): Promise<LlmHouse> => houseOf(agent, more);

  it.each<[string, () => unknown, string, string]>([
    [
      'two tools of one name',
      () => named('root', { tools: [toolOf('look', () => 1), toolOf('look', () => 2)] }),
      'DUPLICATE_NAME',
      'look',
    ],
    [
      'two agents of one name',
      () => named('root', { subAgents: [named('twin'), named('twin')] }),
      'DUPLICATE_NAME',
      'twin',
    ],
    [
      'two agents of one name, far from each other',
      () => named('root', { subAgents: [named('a', { subAgents: [named('root')] })] }),
      'DUPLICATE_NAME',
      'root',
    ],
    ['an agent called user', () => named('user'), 'INVALID_INPUT', 'user'],
    [
      'an agent called user below another',
      () => named('root', { subAgents: [{ name: 'user', async *runAsync() {} }] }),
      'INVALID_INPUT',
      'user',
    ],
    ['a state key of outputKey that is none', () => named('root', { outputKey: '' }), 'INVALID_INPUT', 'outputKey'],
  ])('%s: refused when the agent is made, by name', (_what, make, code, naming) => {
    expect(make).toThrow(expect.objectContaining({ code, message: expect.stringContaining(naming) }));
  });

  it.each<[string, () => Agent]>([
    ['of an agent', () => new LlmAgent({ name: 'root', model: 'gemini-99' })],
    [
      'of an agent below a plan',
      () => new SequentialAgent({ name: 'root', subAgents: [new LlmAgent({ name: 'a', model: 'gemini-99' })] }),
    ],
  ])(
    'a model name nobody knows, %s: MODEL_UNKNOWN that names it when the runner is made, or gets the agent',
    async (_whose, make) => {
      const unknown = { code: 'MODEL_UNKNOWN', message: expect.stringContaining('gemini-99') };
      await expect(run(make())).rejects.toMatchObject(unknown);
      const house = await run(rootOf(new ScriptedLlm(says('still here'))));
      expect(() => (house.runner.agent = make())).toThrow(expect.objectContaining(unknown));
      expect((await house.runner.runToCompletion(hello)).text).toBe('still here');
    },
  );

  it('two tools of one name, one of them a toolset’s: DUPLICATE_NAME that names both when they meet (contract 24)', async () => {
    const toolset: Toolset = { getTools: async () => [toolOf('look', () => 2)], close: async () => {} };
    const house = await houseOf(rootOf(new ScriptedLlm(), { tools: [toolOf('look', () => 1), toolset] }));
    await endsIn(house, {}, { code: 'DUPLICATE_NAME', naming: 'look: tools[0] and look of the toolset tools[1]' });
  });

  it.each([
    ['a state key', '{mood}', 'the state key mood'],
    ['a user’s state key', '{user:mood}', 'the state key user:mood'],
    ['an artifact', '{artifact.plan.txt}', 'the artifact plan.txt'],
  ])('an instruction naming %s that is not there: STATE_KEY_MISSING that names it', async (_what, place, naming) => {
    const house = await houseOf(rootOf(new ScriptedLlm(), { instruction: `Say ${place}.` }));
    await endsIn(house, {}, { code: 'STATE_KEY_MISSING', naming });
  });
});

describe('a cyclic value in state', () => {
  it('set by a tool: an answer to the model that names the path, and the run goes on (contracts 5, 18)', async () => {
    const model = new ScriptedLlm(calls('write'), says('Sorry.'));
    const tool = toolOf('write', (_args, { state }) => state.set('a', cyclic as never));
    const house = await houseOf(rootOf(model, { tools: [tool] }));
    const { events, error } = await outcomeOf(house.runner.runAsync(hello));
    expect(error).toBeUndefined();
    expect(answersIn(events)[0]![1]['error']).toContain('state["a"].self');
    await holdsTogether(house);
    await nextTurnWorks(house);
  });

  it('set by a callback: CALLBACK_FAILED that names it, its cause the path (contracts 5, 21)', async () => {
    const house = await houseOf(
      rootOf(new ScriptedLlm(), { beforeAgentCallback: ({ state }) => state.set('a', cyclic as never) }),
    );
    await endsIn(house, {}, { code: 'CALLBACK_FAILED', naming: 'root failed in beforeAgentCallback' });
    expect((await house.stored()).state).toEqual({});
  });

  it('yielded by an agent: INVALID_INPUT that names the path (contract 5)', async () => {
    const agent: Agent = {
      name: 'root',
      async *runAsync({ invocationId }) {
        yield {
          id: 'e1',
          invocationId,
          author: 'root',
          timestamp: 0,
          actions: {
            stateDelta: { a: cyclic as never },
            artifactDelta: {},
            requestedAuthConfigs: {},
            requestedToolConfirmations: {},
          },
        };
      },
    };
    await endsIn(await houseOf(agent), {}, { code: 'INVALID_INPUT', naming: 'stateDelta["a"].self' });
  });

  it('written from outside a run: INVALID_INPUT that names the path, with nothing stored (contract 5)', async () => {
    const house = await houseOf(rootOf(new ScriptedLlm()));
    const writing = house.runner.updateSessionState({ ...ref, stateDelta: { a: cyclic } as never });
    await expect(writing).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('stateDelta["a"].self'),
    });
    expect((await house.stored()).events).toEqual([]);
    await nextTurnWorks(house);
  });
});

describe('a plugin or a callback that throws', () => {
  const broken = (): never => {
    throw new Error('broken');
  };
  const script = (): ScriptedAnswer[] => [calls('fail'), calls('look'), fails('MODEL_OVERLOADED'), says('x')];
  const tools = (): Tool[] => [toolOf('fail', broken), toolOf('look', () => 1)];
  const agentHooks = [
    'beforeAgentCallback',
    'afterAgentCallback',
    'beforeModelCallback',
    'afterModelCallback',
  ] as const;
  const otherHooks = [
    'onModelErrorCallback',
    'beforeToolCallback',
    'afterToolCallback',
    'onToolErrorCallback',
  ] as const;
  const runHooks = ['onUserMessageCallback', 'beforeRunCallback', 'onEventCallback', 'selectHistoryCallback'] as const;
  // Those that a failing model would hide are given one that answers.
  const scriptFor = (hook: string): ScriptedAnswer[] => (hook === 'afterAgentCallback' ? [says('x')] : script());

  it.each([...agentHooks, ...otherHooks, ...runHooks])(
    'a plugin in %s: PLUGIN_FAILED that names both (contract 21)',
    async (hook) => {
      const plugin: Plugin = { name: 'fragile', [hook]: broken };
      const house = await houseOf(rootOf(new ScriptedLlm(...scriptFor(hook)), { tools: tools() }), {
        plugins: [plugin],
      });
      await endsIn(house, {}, { code: 'PLUGIN_FAILED', naming: `fragile failed in ${hook}` });
    },
  );

  it.each([...agentHooks, ...otherHooks])(
    'an agent’s %s: CALLBACK_FAILED that names both (contract 21)',
    async (hook) => {
      const house = await houseOf(rootOf(new ScriptedLlm(...scriptFor(hook)), { tools: tools(), [hook]: broken }));
      await endsIn(house, {}, { code: 'CALLBACK_FAILED', naming: `root failed in ${hook}` });
    },
  );

  it.each(['instruction', 'globalInstruction'] as const)(
    'a function of %s: CALLBACK_FAILED that names it (contract 21)',
    async (option) => {
      const house = await houseOf(rootOf(new ScriptedLlm(), { [option]: broken }));
      await endsIn(house, {}, { code: 'CALLBACK_FAILED', naming: `${option} of root failed` });
    },
  );

  it('a tool that works on the request: TOOL_FAILED that names it (contract 22)', async () => {
    const passive: Tool = { name: 'preload', description: '', runAsync: async () => 1, processLlmRequest: broken };
    const house = await houseOf(rootOf(new ScriptedLlm(), { tools: [passive] }));
    await endsIn(house, {}, { code: 'TOOL_FAILED', naming: 'Tool preload of agent root failed in processLlmRequest' });
  });

  it('a toolset that is asked for its tools: TOOL_FAILED that names it (contract 22)', async () => {
    const toolset: Toolset = { getTools: broken, close: async () => {} };
    const house = await houseOf(rootOf(new ScriptedLlm(), { tools: [toolset] }));
    await endsIn(house, {}, { code: 'TOOL_FAILED', naming: 'The toolset tools[0] of agent root failed in getTools' });
  });

  it('an agent: AGENT_FAILED that names it, its error the cause (contract 22)', async () => {
    const house = await houseOf({ name: 'root', runAsync: broken as never });
    await endsIn(house, {}, { code: 'AGENT_FAILED', naming: 'Agent root' });
  });
});

describe('a tool that never returns', () => {
  it.each<[string, Partial<Tool>, object]>([
    ['its own', { timeoutMs: 50 }, {}],
    ['the run’s', {}, { toolTimeoutMs: 50 }],
  ])(
    'is answered at %s limit, by name; the run goes on, and so does the session (contract 18)',
    async (_whose, more, runConfig) => {
      const tool = toolOf('sleep', () => new Promise(() => {}), more);
      const house = await houseOf(rootOf(new ScriptedLlm(calls('sleep'), says('Too slow.')), { tools: [tool] }));
      const ending = outcomeOf(house.runner.runAsync({ ...hello, runConfig }));
      await house.runtime.advance(50);
      const { events, error } = await ending;
      expect(error).toBeUndefined();
      expect(answersIn(events)).toEqual([['sleep', { error: 'sleep did not answer within 50 ms.' }]]);
      await holdsTogether(house);
      await nextTurnWorks(house);
    },
  );

  it('and has no limit but the run’s: RUN_TIME_LIMIT, with the call answered as in doubt (contracts 18, 23)', async () => {
    const tool = toolOf('sleep', () => new Promise(() => {}));
    const house = await houseOf(rootOf(new ScriptedLlm(calls('sleep')), { tools: [tool] }));
    const ending = outcomeOf(house.runner.runAsync({ ...hello, runConfig: { timeLimitMs: 1_000 } }));
    await house.runtime.advance(2_000);
    expect((await ending).error?.code).toBe('RUN_TIME_LIMIT');
    expect(answersIn((await house.stored()).events)[0]![1]['error']).toContain('may or may not');
    await holdsTogether(house);
    await nextTurnWorks(house);
  });
});

describe('a model', () => {
  const partial = (text: string) => ({ content: { role: 'model' as const, parts: [{ text }] }, partial: true });

  it.each<[string, string, ScriptedAnswer]>([
    ['answers nothing', 'MODEL_EMPTY', { content: { role: 'model', parts: [] }, finishReason: 'STOP' }],
    ['ends before it has said anything', 'MODEL_INCOMPLETE', []],
    ['ends in the middle', 'MODEL_INCOMPLETE', [partial('Hel'), partial('lo')]],
    ['streams two finals', 'MODEL_PROTOCOL', [...streams('one'), says('two')]],
    ['breaks off with an error of its own', 'MODEL_FAILED', fails(new Error('socket hang up'))],
  ])('that %s: %s that names it, and no word of the half answer is kept (contract 22)', async (_what, code, answer) => {
    const house = await houseOf(rootOf(new ScriptedLlm(answer)));
    await endsIn(house, { runConfig: { streamingMode: 'sse' } }, { code, naming: 'scripted' });
    expect(JSON.stringify((await house.stored()).events)).not.toMatch(/Hel|one/);
  });

  it('that calls a made-up tool for ever: MODEL_STUCK after three steps, which names the agent (contract 18)', async () => {
    let asked = 0;
    const model: Llm = {
      model: 'confused',
      specVersion: 1,
      async *generateContentAsync() {
        asked++;
        yield calls('made_up');
      },
    };
    const house = await houseOf(new LlmAgent({ name: 'root', model }));
    const events = await endsIn(house, {}, { code: 'MODEL_STUCK', naming: 'root' });
    expect(asked).toBe(3);
    expect(answersIn(events).map(([, answer]) => answer['error'])).toEqual(
      Array.from({ length: 3 }, () => 'There is no tool made_up. There are no tools.'),
    );
  });

  it('that calls a made-up tool among good ones for ever: LLM_CALL_LIMIT (contract 19)', async () => {
    let asked = 0;
    const model: Llm = {
      model: 'confused',
      specVersion: 1,
      async *generateContentAsync() {
        yield asked++ % 2 ? calls('look') : calls('made_up');
      },
    };
    const house = await houseOf(new LlmAgent({ name: 'root', model, tools: [toolOf('look', () => 1)] }));
    await endsIn(house, { runConfig: { maxLlmCalls: 7 } }, { code: 'LLM_CALL_LIMIT', naming: '7' });
    expect(asked).toBe(7);
  });
});

describe('a history with calls that were never answered', () => {
  it('does not break later turns: the model is told that the outcome is unknown (contract 17)', async () => {
    const model = new ScriptedLlm(says('fine'));
    const house = await houseOf(rootOf(model, { tools: [toolOf('look', () => 1)] }));
    const content: Content = { role: 'model', parts: [{ functionCall: { id: 'c1', name: 'look', args: {} } }] };
    const session = (await house.sessions.getSession(ref))!;
    const actions = { stateDelta: {}, artifactDelta: {}, requestedAuthConfigs: {}, requestedToolConfirmations: {} };
    const event = { id: 'e1', invocationId: 'old', author: 'root', timestamp: 1, actions, content };
    await house.sessions.appendEvent({ session, event });
    expect((await house.runner.runToCompletion(hello)).text).toBe('fine');
    const answers = getFunctionResponses({ content: model.requests[0]!.contents[1] });
    expect(answers).toMatchObject([{ id: 'c1', name: 'look' }]);
    expect(JSON.stringify(answers)).toMatch(/unknown/i);
  });
});
