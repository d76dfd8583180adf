import type { Event, InvocationContext, Plugin } from '@thole/core';
import { says as answers, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { ParallelAgent } from '../../src/agents/parallel-agent.ts';
import { SequentialAgent } from '../../src/agents/sequential-agent.ts';
import { agentOf, hello, houseOf, says } from '../support/runs.ts';

const branches = (...models: ScriptedLlm[]): LlmAgent[] =>
  models.map((model, i) => new LlmAgent({ name: `branch${i}`, model, instruction: 'Theme: {theme}.' }));

const setTheme = ({ state }: { state: { set(key: string, value: string): void } }): void => state.set('theme', 'dark');

describe('state in the branches of a ParallelAgent', () => {
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
      'a branch around a ParallelAgent within it',
      (agents: LlmAgent[]) =>
        new ParallelAgent({
          name: 'root',
          subAgents: [new ParallelAgent({ name: 'inner', subAgents: agents, beforeAgentCallback: setTheme })],
        }),
      [],
    ],
  ])('shows uncommitted state that was set in %s, and stores it once (contract 16)', async (_, rootOf, plugins) => {
    const models = [new ScriptedLlm(answers('One.')), new ScriptedLlm(answers('Two.'))];
    const { runner, stored } = await houseOf(rootOf(branches(...models)), { plugins });
    await runner.runToCompletion(hello);
    for (const model of models) expect(model.requests[0]!.config.systemInstruction).toContain('Theme: dark.');
    const session = await stored();
    expect(session.state).toEqual({ theme: 'dark' });
    expect(session.events.filter(({ actions }) => 'theme' in actions.stateDelta)).toHaveLength(1);
  });

  it('lets a branch overwrite what an agent above it set, also where the branch stores first (contract 6)', async () => {
    const seen: unknown[] = [];
    const writer = agentOf('writer', async function* (context) {
      context.state.set('theme', 'light');
      seen.push(context.state.get('theme'));
      yield await context.commit(says(context, 'One.'));
      seen.push(context.state.get('theme'));
      yield says(context, 'Two.');
    });
    const root = new ParallelAgent({ name: 'root', subAgents: [writer], beforeAgentCallback: setTheme });
    const { runner, stored } = await houseOf(root);
    await runner.runToCompletion(hello);
    expect(seen).toEqual(['light', 'light']);
    expect((await stored()).state).toEqual({ theme: 'light' });
  });

  it('shows a branch the value that it stored while the reader still holds another branch’s event', async () => {
    const seen: unknown[] = [];
    const goOn = Promise.withResolvers<void>();
    const first = agentOf('first', async function* (context) {
      yield says(context, 'One.');
    });
    const second = agentOf('second', async function* (context: InvocationContext) {
      await goOn.promise;
      context.state.set('theme', 'light');
      const stored = await context.commit(says(context, 'Two.'));
      seen.push(context.state.get('theme'), context.state.toRecord());
      yield stored;
    });
    const root = new ParallelAgent({ name: 'root', subAgents: [first, second], beforeAgentCallback: setTheme });
    const { runner, stored } = await houseOf(root);
    const run = runner.runAsync(hello);
    const events: Event[] = [(await run.next()).value as Event];
    goOn.resolve();
    for await (const event of run) events.push(event);
    expect(seen).toEqual(['light', { theme: 'light' }]);
    expect((await stored()).state).toEqual({ theme: 'light' });
  });

  it('stores the state of a branch that says nothing', async () => {
    const silent = agentOf('silent', async function* (context) {
      context.state.set('seen', context.state.get<string>('theme') ?? 'nothing');
    });
    const root = new ParallelAgent({ name: 'root', subAgents: [silent], beforeAgentCallback: setTheme });
    const { runner, stored } = await houseOf(root);
    await runner.runToCompletion(hello);
    expect((await stored()).state).toEqual({ theme: 'dark', seen: 'dark' });
  });
});
