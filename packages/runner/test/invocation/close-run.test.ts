import type { Agent, Plugin } from '@thole/core';
import { fails, hangs, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { ParallelAgent } from '../../src/agents/parallel-agent.ts';
import { SequentialAgent } from '../../src/agents/sequential-agent.ts';
import { outcomeOf, toolOf } from '../support/llm-house.ts';
import { agentOf, hello, houseOf, says, settle, textsIn } from '../support/runs.ts';

const failing = (name: string, error: unknown = new Error(`${name} is broken`)): Agent =>
  agentOf(name, async function* () {
    throw error;
  });

/** A plugin that notes which error hooks are called with what. */
function noting(): { plugin: Plugin; notes: string[] } {
  const notes: string[] = [];
  const plugin: Plugin = {
    name: 'noting',
    onAgentErrorCallback: ({ agent, callbackContext, error }) =>
      void notes.push(`agent ${agent.name}/${callbackContext.agentName}: ${error.message}`),
    onRunErrorCallback: ({ invocationContext, error }) =>
      void notes.push(`run at ${invocationContext.history.length}: ${(error as { code?: string }).code}`),
    afterRunCallback: () => void notes.push('afterRun'),
  };
  return { plugin, notes };
}

describe('onAgentErrorCallback and onRunErrorCallback', () => {
  it('are called from the inside out, then before the closing record (contract 21)', async () => {
    const { plugin, notes } = noting();
    const root = new SequentialAgent({ name: 'root', subAgents: [failing('a')] });
    const { runner, stored } = await houseOf(root, { plugins: [plugin] });
    expect((await outcomeOf(runner.runAsync(hello))).error?.code).toBe('AGENT_FAILED');
    expect(notes).toEqual([
      'agent a/a: a is broken',
      'agent root/root: a is broken',
      'run at 1: AGENT_FAILED',
      'afterRun',
    ]);
    expect((await stored()).events).toHaveLength(2);
  });

  it('are only logged when they throw; the run fails with the agent’s error', async () => {
    const plugins: Plugin[] = ['one', 'two'].map((name) => ({
      name,
      onAgentErrorCallback: () => {
        throw new Error('x');
      },
      onRunErrorCallback: () => Promise.reject(new Error('x')),
    }));
    const { runner, runtime } = await houseOf(failing('root'), { plugins });
    expect((await outcomeOf(runner.runAsync(hello))).error?.code).toBe('AGENT_FAILED');
    expect(runtime.logs.map(({ message, fields }) => [message, fields!['plugin']])).toEqual([
      ['onAgentErrorCallback failed.', 'one'],
      ['onAgentErrorCallback failed.', 'two'],
      ['onRunErrorCallback failed.', 'one'],
      ['onRunErrorCallback failed.', 'two'],
    ]);
  });

  it('are called for an error of the model, and get an Error whatever was thrown', async () => {
    const { plugin, notes } = noting();
    const agent = new LlmAgent({ name: 'root', model: new ScriptedLlm(fails('MODEL_OVERLOADED')) });
    await outcomeOf((await houseOf(agent, { plugins: [plugin] })).runner.runAsync(hello));
    const thrown = await houseOf(failing('root', 'a text'), { plugins: [plugin] });
    await outcomeOf(thrown.runner.runAsync(hello));
    expect(notes.filter((note) => note !== 'afterRun')).toEqual([
      expect.stringContaining('agent root/root: The model failed'),
      'run at 1: MODEL_OVERLOADED',
      'agent root/root: A value that is not an Error was thrown.',
      'run at 1: AGENT_FAILED',
    ]);
  });

  it('are not called for a run that was aborted, or that its reader left', async () => {
    const { plugin, notes } = noting();
    const agent = new LlmAgent({ name: 'root', model: new ScriptedLlm(hangs(), hangs()) });
    const { runner } = await houseOf(agent, { plugins: [plugin] });
    for (const end of ['abort', 'return'] as const) {
      const run = runner.runAsync(hello);
      const reading = outcomeOf({ [Symbol.asyncIterator]: () => run });
      await settle();
      await run[end]?.();
      await reading;
    }
    expect(notes).toEqual(['afterRun', 'afterRun']);
  });

  it('tell of the run alone where it ran out of time', async () => {
    const { plugin, notes } = noting();
    const agent = new LlmAgent({ name: 'root', model: new ScriptedLlm(hangs()) });
    const { runner, runtime } = await houseOf(agent, { plugins: [plugin] });
    const reading = outcomeOf(runner.runAsync({ ...hello, runConfig: { timeLimitMs: 100 } }));
    await runtime.advance(200);
    await reading;
    expect(notes).toEqual(['run at 1: RUN_TIME_LIMIT', 'afterRun']);
  });
});

describe('a failure in a ParallelAgent', () => {
  it('names the agent that failed, not the agent that began last (contract 22)', async () => {
    const steady = agentOf('steady', async function* (context) {
      yield says(context, 'one');
    });
    const broken = agentOf('broken', async function* (context) {
      yield says(context, 'two');
      throw new Error('x');
    });
    const last = agentOf('last', async function* (context) {
      yield says(context, 'three');
      await new Promise(() => {});
    });
    const root = new ParallelAgent({ name: 'root', subAgents: [steady, broken, last] });
    const { runner, stored } = await houseOf(root);
    const { error } = await outcomeOf(runner.runAsync(hello));
    expect(error).toMatchObject({ code: 'AGENT_FAILED', message: expect.stringContaining('Agent broken') });
    expect((await stored()).events.at(-1)).toMatchObject({ author: 'broken', errorCode: 'AGENT_FAILED' });
  });

  it('names it for an error with a code too', async () => {
    const subAgents = ['a', 'b', 'c'].map(
      (name) => new LlmAgent({ name, model: new ScriptedLlm(name === 'a' ? fails('MODEL_AUTH') : hangs()) }),
    );
    const { runner, stored } = await houseOf(new ParallelAgent({ name: 'root', subAgents }));
    await outcomeOf(runner.runAsync(hello));
    expect((await stored()).events.at(-1)).toMatchObject({ author: 'a', errorCode: 'MODEL_AUTH' });
  });
});

describe('a tool that ends after its run', () => {
  it('calls no afterToolCallback and no onToolErrorCallback: afterRunCallback is the last hook (contract 21)', async () => {
    const order: string[] = [];
    const goOn = Promise.withResolvers<void>();
    const plugin: Plugin = {
      name: 'p',
      afterToolCallback: () => void order.push('afterTool'),
      onToolErrorCallback: () => void order.push('onToolError'),
      afterRunCallback: () => void order.push('afterRun'),
    };
    const tools = [
      toolOf('late', () => goOn.promise),
      toolOf('broken', () => goOn.promise.then(() => Promise.reject(new Error('x')))),
    ];
    const model = new ScriptedLlm({
      content: { parts: tools.map(({ name }) => ({ functionCall: { name, args: {} } })) },
      finishReason: 'STOP',
    });
    const { runner } = await houseOf(new LlmAgent({ name: 'root', model, tools }), { plugins: [plugin] });
    const run = runner.runAsync({ ...hello, runConfig: { reader: 'detached' } });
    await settle();
    run.abort();
    await run.done;
    goOn.resolve();
    await settle();
    expect(order).toEqual(['afterRun']);
  });
});

describe('calls that the end of a run finds unanswered', () => {
  it('are cancelled unless the tool may have taken effect (contract 23)', async () => {
    const ready = Promise.withResolvers<void>();
    const tools = [
      toolOf('ignores', () => new Promise(() => {})),
      toolOf(
        'hears',
        (_, { signal }) =>
          new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
      ),
      toolOf(
        'finishes',
        (_, { signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve('done'))),
      ),
      toolOf('guarded', () => 'never'),
      toolOf('waits', () => 'never'),
    ];
    const model = new ScriptedLlm({
      content: { parts: tools.map(({ name }) => ({ functionCall: { name, args: {} } })) },
      finishReason: 'STOP',
    });
    const agent = new LlmAgent({
      name: 'root',
      model,
      tools,
      beforeToolCallback: ({ tool }) => (tool.name === 'guarded' ? ready.promise.then(() => undefined) : undefined),
    });
    const { runner, stored } = await houseOf(agent);
    const run = runner.runAsync({ ...hello, runConfig: { reader: 'detached', maxParallelTools: 4 } });
    await settle();
    run.abort();
    await run.done;
    const session = await stored();
    const answers = session.events
      .flatMap(({ content }) => content?.parts ?? [])
      .flatMap((part) => part.functionResponse ?? []);
    expect(
      answers.map(({ name, response }) => [
        name,
        /may or may not/.test(JSON.stringify(response)),
        /Cancelled/.test(JSON.stringify(response)),
      ]),
    ).toEqual([
      ['ignores', true, false],
      ['hears', false, true],
      ['finishes', true, false],
      ['guarded', false, true],
      ['waits', false, true],
    ]);
    expect(textsIn(session.events).at(-1)).toBe('(RUN_ABORTED)');
    ready.resolve();
  });
});
