import { getFunctionResponses, TholeError } from '@thole/core';
import type { Agent, Content, Llm, Plugin, Tool, Toolset } from '@thole/core';
import { calls, fails, says, ScriptedLlm, streams } from '@thole/testing';
import type { ScriptedAnswer } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { answersIn, hello, createSetup, outcomeOf, ref, rootOf, toolOf } from '../support/llm-setup.ts';
import { expectConsistentSession, expectError, expectNextTurn } from '../support/usable-session.ts';

const cyclic: { self?: unknown } = {};
cyclic.self = cyclic;

describe('A cyclic value in state', () => {
  it('becomes an error for the model if a tool sets it, and the run continues (contracts 5, 18)', async () => {
    const model = new ScriptedLlm(calls('write'), says('Sorry.'));
    const tool = toolOf('write', (_args, { state }) => state.set('a', cyclic as never));
    const setup = await createSetup(rootOf(model, { tools: [tool] }));
    const { events, error } = await outcomeOf(setup.runner.runAsync(hello));
    expect(error).toBeUndefined();
    expect(answersIn(events)[0]![1]['error']).toContain('state["a"].self');
    await expectConsistentSession(setup);
    await expectNextTurn(setup);
  });

  it('ends the run with CALLBACK_FAILED if a callback sets it (contracts 5, 21)', async () => {
    const setup = await createSetup(
      rootOf(new ScriptedLlm(), { beforeAgentCallback: ({ state }) => state.set('a', cyclic as never) }),
    );
    await expectError(setup, {}, { code: 'CALLBACK_FAILED', messagePart: 'root failed in beforeAgentCallback' });
    expect((await setup.stored()).state).toEqual({});
  });

  it('ends the run with INVALID_INPUT if an agent yields it (contract 5)', async () => {
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
    await expectError(await createSetup(agent), {}, { code: 'INVALID_INPUT', messagePart: 'stateDelta["a"].self' });
  });

  it('is rejected by updateState with INVALID_INPUT, and nothing is stored (contract 5)', async () => {
    const setup = await createSetup(rootOf(new ScriptedLlm()));
    const writing = setup.runner.updateSessionState({ ...ref, stateDelta: { a: cyclic } as never });
    await expect(writing).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('stateDelta["a"].self'),
    });
    expect((await setup.stored()).events).toEqual([]);
    await expectNextTurn(setup);
  });
});

describe('An error of a hook or tool', () => {
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
  // After a failed model call, afterAgentCallback is not called.
  const scriptFor = (hook: string): ScriptedAnswer[] => (hook === 'afterAgentCallback' ? [says('x')] : script());

  it.each([...agentHooks, ...otherHooks, ...runHooks])(
    'ends the run with PLUGIN_FAILED if a plugin throws in %s (contract 21)',
    async (hook) => {
      const plugin: Plugin = { name: 'fragile', [hook]: broken };
      const setup = await createSetup(rootOf(new ScriptedLlm(...scriptFor(hook)), { tools: tools() }), {
        plugins: [plugin],
      });
      await expectError(setup, {}, { code: 'PLUGIN_FAILED', messagePart: `fragile failed in ${hook}` });
    },
  );

  it.each([...agentHooks, ...otherHooks])(
    'ends the run with CALLBACK_FAILED if %s of the agent throws (contract 21)',
    async (hook) => {
      const setup = await createSetup(rootOf(new ScriptedLlm(...scriptFor(hook)), { tools: tools(), [hook]: broken }));
      await expectError(setup, {}, { code: 'CALLBACK_FAILED', messagePart: `root failed in ${hook}` });
    },
  );

  it.each(['instruction', 'globalInstruction'] as const)(
    'ends the run with CALLBACK_FAILED if an %s function throws (contract 21)',
    async (option) => {
      const setup = await createSetup(rootOf(new ScriptedLlm(), { [option]: broken }));
      await expectError(setup, {}, { code: 'CALLBACK_FAILED', messagePart: `${option} of root failed` });
    },
  );

  it('ends the run with TOOL_FAILED if processLlmRequest of a tool throws (contract 22)', async () => {
    const passive: Tool = { name: 'preload', description: '', runAsync: async () => 1, processLlmRequest: broken };
    const setup = await createSetup(rootOf(new ScriptedLlm(), { tools: [passive] }));
    await expectError(
      setup,
      {},
      { code: 'TOOL_FAILED', messagePart: 'Tool preload of agent root failed in processLlmRequest' },
    );
  });

  it('ends the run with TOOL_FAILED if getTools of a toolset throws (contract 22)', async () => {
    const toolset: Toolset = { getTools: broken, close: async () => {} };
    const setup = await createSetup(rootOf(new ScriptedLlm(), { tools: [toolset] }));
    await expectError(
      setup,
      {},
      { code: 'TOOL_FAILED', messagePart: 'The toolset tools[0] of agent root failed in getTools.' },
    );
  });

  it('repeats the message of a TholeError of getTools, which contains no secrets', async () => {
    const cause = new TholeError('MCP_SERVER_FAILED', 'The MCP server "stdio" ended with code 1.');
    const toolset: Toolset = { getTools: () => Promise.reject(cause), close: async () => {} };
    const setup = await createSetup(rootOf(new ScriptedLlm(), { tools: [toolset] }));
    const messagePart = 'The toolset tools[0] of agent root failed in getTools: The MCP server "stdio" ended';
    await expectError(setup, {}, { code: 'TOOL_FAILED', messagePart });
  });

  it('ends the run with AGENT_FAILED if an agent throws (contract 22)', async () => {
    const setup = await createSetup({ name: 'root', runAsync: broken as never });
    await expectError(setup, {}, { code: 'AGENT_FAILED', messagePart: 'Agent root' });
  });
});

describe('A tool that never returns', () => {
  it.each<[string, Partial<Tool>, object]>([
    ['of the tool', { timeoutMs: 50 }, {}],
    ['of the run', {}, { toolTimeoutMs: 50 }],
  ])(
    'gets an error as its answer at the time limit %s, and the run continues (contract 18)',
    async (_, more, runConfig) => {
      const tool = toolOf('sleep', () => new Promise(() => {}), more);
      const setup = await createSetup(rootOf(new ScriptedLlm(calls('sleep'), says('Too slow.')), { tools: [tool] }));
      const ending = outcomeOf(setup.runner.runAsync({ ...hello, runConfig }));
      await setup.runtime.advance(50);
      const { events, error } = await ending;
      expect(error).toBeUndefined();
      expect(answersIn(events)).toEqual([['sleep', { error: 'sleep did not answer within 50 ms.' }]]);
      await expectConsistentSession(setup);
      await expectNextTurn(setup);
    },
  );

  it('is answered as in doubt when the run reaches its own time limit (contracts 18, 23)', async () => {
    const tool = toolOf('sleep', () => new Promise(() => {}));
    const setup = await createSetup(rootOf(new ScriptedLlm(calls('sleep')), { tools: [tool] }));
    const ending = outcomeOf(setup.runner.runAsync({ ...hello, runConfig: { timeLimitMs: 1_000 } }));
    await setup.runtime.advance(2_000);
    expect((await ending).error?.code).toBe('RUN_TIME_LIMIT');
    expect(answersIn((await setup.stored()).events)[0]![1]['error']).toContain('may or may not');
    await expectConsistentSession(setup);
    await expectNextTurn(setup);
  });
});

describe('A model error', () => {
  const partial = (text: string) => ({ content: { role: 'model' as const, parts: [{ text }] }, partial: true });

  it.each<[string, string, ScriptedAnswer]>([
    ['an empty answer', 'MODEL_EMPTY', { content: { role: 'model', parts: [] }, finishReason: 'STOP' }],
    ['no answer', 'MODEL_INCOMPLETE', []],
    ['a stream without its end', 'MODEL_INCOMPLETE', [partial('Hel'), partial('lo')]],
    ['two final responses', 'MODEL_PROTOCOL', [...streams('one'), says('two')]],
    ['an error of the connection', 'MODEL_FAILED', fails(new Error('socket hang up'))],
  ])('ends the run for %s with %s and stores no part of the answer (contract 22)', async (_, code, answer) => {
    const setup = await createSetup(rootOf(new ScriptedLlm(answer)));
    await expectError(setup, { runConfig: { streamingMode: 'sse' } }, { code, messagePart: 'scripted' });
    expect(JSON.stringify((await setup.stored()).events)).not.toMatch(/Hel|one/);
  });

  it('is MODEL_STUCK after three calls of unknown tools in a row (contract 18)', async () => {
    let requests = 0;
    const model: Llm = {
      model: 'confused',
      specVersion: 1,
      async *generateContentAsync() {
        requests++;
        yield calls('made_up');
      },
    };
    const setup = await createSetup(new LlmAgent({ name: 'root', model }));
    const events = await expectError(setup, {}, { code: 'MODEL_STUCK', messagePart: 'root' });
    expect(requests).toBe(3);
    expect(answersIn(events).map(([, answer]) => answer['error'])).toEqual(
      Array.from({ length: 3 }, () => 'There is no tool made_up. There are no tools.'),
    );
  });

  it('is LLM_CALL_LIMIT if calls of unknown and known tools alternate (contract 19)', async () => {
    let requests = 0;
    const model: Llm = {
      model: 'confused',
      specVersion: 1,
      async *generateContentAsync() {
        yield requests++ % 2 ? calls('look') : calls('made_up');
      },
    };
    const setup = await createSetup(new LlmAgent({ name: 'root', model, tools: [toolOf('look', () => 1)] }));
    await expectError(setup, { runConfig: { maxLlmCalls: 7 } }, { code: 'LLM_CALL_LIMIT', messagePart: '7' });
    expect(requests).toBe(7);
  });
});

describe('A call without an answer in the history', () => {
  it('reaches the model with an answer that its outcome is unknown (contract 17)', async () => {
    const model = new ScriptedLlm(says('fine'));
    const setup = await createSetup(rootOf(model, { tools: [toolOf('look', () => 1)] }));
    const content: Content = { role: 'model', parts: [{ functionCall: { id: 'c1', name: 'look', args: {} } }] };
    const session = (await setup.sessions.getSession(ref))!;
    const actions = { stateDelta: {}, artifactDelta: {}, requestedAuthConfigs: {}, requestedToolConfirmations: {} };
    const event = { id: 'e1', invocationId: 'old', author: 'root', timestamp: 1, actions, content };
    await setup.sessions.appendEvent({ session, event });
    expect((await setup.runner.runToCompletion(hello)).text).toBe('fine');
    const answers = getFunctionResponses({ content: model.requests[0]!.contents[1] });
    expect(answers).toMatchObject([{ id: 'c1', name: 'look' }]);
    expect(JSON.stringify(answers)).toMatch(/unknown/i);
  });
});
