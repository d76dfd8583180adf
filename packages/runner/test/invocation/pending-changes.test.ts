import type { Content, Event, InvocationContext, Plugin, State, Tool } from '@thole/core';
import { callsAll, fails, says as answers, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { ParallelAgent } from '../../src/agents/parallel-agent.ts';
import { SequentialAgent } from '../../src/agents/sequential-agent.ts';
import { outcomeOf, rootOf, toolOf } from '../support/llm-setup.ts';
import { agentOf, createSetup, hello, says, settle } from '../support/setup.ts';

const contentOf = (text: string): Content => ({ role: 'model', parts: [{ text }] });
const branches = (...models: ScriptedLlm[]): LlmAgent[] =>
  models.map((model, i) => new LlmAgent({ name: `branch${i}`, model, instruction: 'Theme: {theme}.' }));

const setTheme = ({ state }: { state: { set(key: string, value: string): void } }): void => state.set('theme', 'dark');

describe('State in the branches of a ParallelAgent', () => {
  it.each([
    [
      'beforeAgentCallback of the ParallelAgent',
      (agents: LlmAgent[]) => new ParallelAgent({ name: 'root', subAgents: agents, beforeAgentCallback: setTheme }),
      [],
    ],
    [
      'beforeAgentCallback of an agent above it',
      (agents: LlmAgent[]) =>
        new SequentialAgent({
          name: 'root',
          beforeAgentCallback: setTheme,
          subAgents: [new ParallelAgent({ name: 'all', subAgents: agents })],
        }),
      [],
    ],
    [
      'beforeRunCallback of a plugin',
      (agents: LlmAgent[]) => new ParallelAgent({ name: 'root', subAgents: agents }),
      [{ name: 'theme', beforeRunCallback: ({ invocationContext }) => setTheme(invocationContext) }] as Plugin[],
    ],
    [
      'a branch that contains a ParallelAgent',
      (agents: LlmAgent[]) =>
        new ParallelAgent({
          name: 'root',
          subAgents: [new ParallelAgent({ name: 'inner', subAgents: agents, beforeAgentCallback: setTheme })],
        }),
      [],
    ],
  ])(
    'contains uncommitted state that was set in %s, which is stored once (contract 16)',
    async (_, create, plugins) => {
      const models = [new ScriptedLlm(answers('One.')), new ScriptedLlm(answers('Two.'))];
      const { runner, stored } = await createSetup(create(branches(...models)), { plugins });
      await runner.runToCompletion(hello);
      for (const model of models) expect(model.requests[0]!.config.systemInstruction).toContain('Theme: dark.');
      const session = await stored();
      expect(session.state).toEqual({ theme: 'dark' });
      expect(session.events.filter(({ actions }) => 'theme' in actions.stateDelta)).toHaveLength(1);
    },
  );

  it('contains the value of the branch instead of the value of an agent above it (contract 6)', async () => {
    const seen: unknown[] = [];
    const writer = agentOf('writer', async function* (context) {
      context.state.set('theme', 'light');
      seen.push(context.state.get('theme'));
      yield await context.commit(says(context, 'One.'));
      seen.push(context.state.get('theme'));
      yield says(context, 'Two.');
    });
    const root = new ParallelAgent({ name: 'root', subAgents: [writer], beforeAgentCallback: setTheme });
    const { runner, stored } = await createSetup(root);
    await runner.runToCompletion(hello);
    expect(seen).toEqual(['light', 'light']);
    expect((await stored()).state).toEqual({ theme: 'light' });
  });

  it('contains a stored value while the reader processes an event of another branch', async () => {
    const seen: unknown[] = [];
    const gate = Promise.withResolvers<void>();
    const first = agentOf('first', async function* (context) {
      yield says(context, 'One.');
    });
    const second = agentOf('second', async function* (context: InvocationContext) {
      await gate.promise;
      context.state.set('theme', 'light');
      const stored = await context.commit(says(context, 'Two.'));
      seen.push(context.state.get('theme'), context.state.toRecord());
      yield stored;
    });
    const root = new ParallelAgent({ name: 'root', subAgents: [first, second], beforeAgentCallback: setTheme });
    const { runner, stored } = await createSetup(root);
    const run = runner.runAsync(hello);
    const events: Event[] = [(await run.next()).value as Event];
    gate.resolve();
    for await (const event of run) events.push(event);
    expect(seen).toEqual(['light', { theme: 'light' }]);
    expect((await stored()).state).toEqual({ theme: 'light' });
  });

  it('is stored also for a branch without events', async () => {
    const silent = agentOf('silent', async function* (context) {
      context.state.set('seen', context.state.get<string>('theme') ?? 'nothing');
    });
    const root = new ParallelAgent({ name: 'root', subAgents: [silent], beforeAgentCallback: setTheme });
    const { runner, stored } = await createSetup(root);
    await runner.runToCompletion(hello);
    expect((await stored()).state).toEqual({ theme: 'dark', seen: 'dark' });
  });
});

describe('State of one turn', () => {
  it('shows writes of other branches once they are committed, temp: at once (contract 16)', async () => {
    const seen: unknown[] = [];
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    const done = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    const look = ({ state }: { state: State }): void => void seen.push([state.get('k'), state.get('temp:k')]);
    const writer = agentOf('writer', async function* (context) {
      context.state.set('k', 1);
      context.state.set('temp:k', 1);
      gates[0].resolve();
      await done[0].promise;
      yield says(context, 'written');
      gates[1].resolve();
      await done[1].promise;
    });
    const reader = agentOf('reader', async function* (context) {
      await gates[0].promise;
      look(context);
      done[0].resolve();
      await gates[1].promise;
      look(context);
      done[1].resolve();
    });
    const { runner, stored } = await createSetup(new ParallelAgent({ name: 'root', subAgents: [writer, reader] }));
    await runner.runToCompletion(hello);
    expect(seen).toEqual([
      [undefined, 1],
      [1, 1],
    ]);
    expect((await stored()).state).toEqual({ k: 1 });
  });

  it('shows writes of other tool calls once they are committed, temp: at once (contract 16)', async () => {
    const seen: unknown[] = [];
    const written = Promise.withResolvers<void>();
    const seenFirst = Promise.withResolvers<void>();
    const write = toolOf('write', async (_args, { state }) => {
      state.set('k', 1);
      state.set('temp:k', 1);
      written.resolve();
      await seenFirst.promise;
    });
    const read = toolOf('read', async (_args, { state }) => {
      await written.promise;
      seen.push([state.get('k'), state.get('temp:k')]);
      seenFirst.resolve();
      await settle();
      seen.push([state.get('k'), state.get('temp:k')]);
    });
    const { runner } = await createSetup(
      rootOf(new ScriptedLlm(callsAll(['write'], ['read']), answers('x')), { tools: [write, read] }),
    );
    await runner.runToCompletion(hello);
    expect(seen).toEqual([
      [undefined, 1],
      [1, 1],
    ]);
  });

  it('loses uncommitted writes when the run fails (contract 16)', async () => {
    const agent = rootOf(new ScriptedLlm(fails('MODEL_OVERLOADED'), answers('Back.')), {
      instruction: 'Saw {seen?}.',
      beforeModelCallback: ({ context }) => context.state.set('seen', (context.state.get<number>('seen') ?? 0) + 1),
    });
    const { runner, stored } = await createSetup(agent);
    await outcomeOf(runner.runAsync(hello));
    expect((await stored()).state).toEqual({});
    await runner.runToCompletion(hello);
    expect((await stored()).state).toEqual({ seen: 1 });
  });

  it('shows earlier writes of hooks and agents, committed or not (contract 16)', async () => {
    const seen: unknown[] = [];
    const agent = agentOf(
      'root',
      async function* (context) {
        seen.push(context.state.get('a'));
        context.state.set('b', 2);
        const stored = yield says(context, 'yes');
        seen.push(stored.actions.stateDelta);
      },
      { beforeAgentCallback: ({ state }) => state.set('a', 1), afterAgentCallback: ({ state }) => state.set('c', 3) },
    );
    const { runner, stored } = await createSetup(agent);
    await runner.runToCompletion(hello);
    expect(seen).toEqual([1, { a: 1, b: 2 }]);
    expect((await stored()).state).toEqual({ a: 1, b: 2, c: 3 });
  });

  it('keeps temp: values until the invocation ends, also those of the message (contract 4)', async () => {
    const seen: unknown[] = [];
    const agent = agentOf('root', async function* (context) {
      seen.push([context.state.get('temp:message'), context.state.get('temp:agent')]);
      context.state.set('temp:agent', 1);
      yield says(context, 'yes');
      seen.push([context.state.get('temp:message'), context.state.get('temp:agent')]);
    });
    const { runner, stored } = await createSetup(agent);
    await runner.runToCompletion({ ...hello, stateDelta: { 'temp:message': 'x', kept: 'y' } });
    await runner.runToCompletion(hello);
    expect(seen).toEqual([
      ['x', undefined],
      ['x', 1],
      [undefined, undefined],
      [undefined, 1],
    ]);
    expect((await stored()).state).toEqual({ kept: 'y' });
    expect(JSON.stringify(await stored())).not.toContain('temp:');
  });
});

describe('State that a hook writes', () => {
  const script = () => new ScriptedLlm(callsAll(['look'], ['fail']), fails('MODEL_OVERLOADED'));
  const tools = (): Tool[] => [toolOf('look', () => 1), toolOf('fail', () => Promise.reject(new Error('broken')))];
  const recovery: Plugin = {
    name: 'recovery',
    onModelErrorCallback: () => answers('Recovered.'),
    onToolErrorCallback: () => ({ recovered: true }),
  };

  it.each([
    'onUserMessageCallback',
    'beforeRunCallback',
    'onEventCallback',
    'beforeAgentCallback',
    'afterAgentCallback',
    'beforeModelCallback',
    'afterModelCallback',
    'onModelErrorCallback',
    'beforeToolCallback',
    'afterToolCallback',
    'onToolErrorCallback',
    'selectHistoryCallback',
    'afterRunCallback',
  ] as const)('is stored if a plugin writes it in %s (contract 21)', async (hook) => {
    const write = (p: { [name: string]: { state?: State } | undefined }): void => {
      const context = p['invocationContext'] ?? p['callbackContext'] ?? p['toolContext'];
      context!.state!.set(hook, true);
    };
    const plugins: Plugin[] = [{ name: 'writer', [hook]: write }, recovery];
    const { runner, stored } = await createSetup(rootOf(script(), { tools: tools() }), { plugins });
    await runner.runToCompletion(hello);
    expect((await stored()).state).toEqual({ [hook]: true });
  });

  it.each([
    'beforeAgentCallback',
    'afterAgentCallback',
    'beforeModelCallback',
    'afterModelCallback',
    'onModelErrorCallback',
    'beforeToolCallback',
    'afterToolCallback',
    'onToolErrorCallback',
  ] as const)('is stored if the agent writes it in %s (contract 21)', async (hook) => {
    const write = (p: { state?: State; context?: { state: State } }): void =>
      (p.state ?? p.context!.state).set(hook, true);
    const recovering = {
      onModelErrorCallback: [() => answers('Recovered.')],
      onToolErrorCallback: [() => ({ recovered: true })],
    };
    const { [hook as 'onToolErrorCallback']: others = [] } = recovering;
    const agent = rootOf(script(), { tools: tools(), ...recovering, [hook]: [write, ...others] });
    const { runner, stored } = await createSetup(agent);
    await runner.runToCompletion(hello);
    expect((await stored()).state).toEqual({ [hook]: true });
  });

  it('is stored if the hook answers instead of the agent (contract 21)', async () => {
    const agent = rootOf(new ScriptedLlm(), {
      beforeAgentCallback: ({ state }) => (state.set('asked', 1), contentOf('Closed today.')),
    });
    const { runner, stored } = await createSetup(agent);
    expect((await runner.runToCompletion(hello)).text).toBe('Closed today.');
    expect((await stored()).state).toEqual({ asked: 1 });
  });
});
