import { TholeError } from '@thole/core';
import type { Agent, Event, Plugin } from '@thole/core';
import { fails, hangs, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { SequentialAgent } from '../../src/agents/sequential-agent.ts';
import { outcomeOf, toolOf } from '../support/llm-setup.ts';
import { agentOf, hello, createSetup, says, settle, textsIn } from '../support/setup.ts';

const failingAgent = (name: string, error: unknown = new Error(`${name} is broken`)): Agent =>
  agentOf(name, async function* () {
    throw error;
  });

/** Returns a plugin that records the calls of its error hooks. */
function recordingPlugin(): { plugin: Plugin; notes: string[] } {
  const notes: string[] = [];
  const plugin: Plugin = {
    name: 'recorder',
    onAgentErrorCallback: ({ agent, callbackContext, error }) =>
      void notes.push(`agent ${agent.name}/${callbackContext.agentName}: ${error.message}`),
    onRunErrorCallback: ({ invocationContext, error }) =>
      void notes.push(`run at ${invocationContext.history.length}: ${(error as { code?: string }).code}`),
    afterRunCallback: () => void notes.push('afterRun'),
  };
  return { plugin, notes };
}

describe('State changes of afterRunCallback', () => {
  it('fail the run if they cannot be stored, and the next run works', async () => {
    const plugin: Plugin = {
      name: 'counter',
      afterRunCallback: ({ invocationContext }) => invocationContext.state.set('runs', 1),
    };
    const { newRunner, service, stored } = await createSetup(agentOf('root', async function* () {}));
    const append = service.appendEvent.bind(service);
    let isDown = true;
    Object.assign(service, {
      appendEvent: (p: Parameters<typeof append>[0]) =>
        isDown && 'runs' in p.event.actions.stateDelta
          ? Promise.reject(new TholeError('STORE_UNAVAILABLE', 'The store is gone.'))
          : append(p),
    });
    const runner = newRunner({ plugins: [plugin] });
    expect((await outcomeOf(runner.runAsync(hello))).error?.code).toBe('STORE_UNAVAILABLE');
    isDown = false;
    expect((await outcomeOf(runner.runAsync(hello))).error).toBeUndefined();
    expect((await stored()).state).toEqual({ runs: 1 });
  });
});

describe('onAgentErrorCallback and onRunErrorCallback', () => {
  it('are called from the inner agent to the run, before the closing record (contract 21)', async () => {
    const { plugin, notes } = recordingPlugin();
    const root = new SequentialAgent({ name: 'root', subAgents: [failingAgent('a')] });
    const { runner, stored } = await createSetup(root, { plugins: [plugin] });
    expect((await outcomeOf(runner.runAsync(hello))).error?.code).toBe('AGENT_FAILED');
    expect(notes).toEqual([
      'agent a/a: a is broken',
      'agent root/root: a is broken',
      'run at 1: AGENT_FAILED',
      'afterRun',
    ]);
    expect((await stored()).events).toHaveLength(2);
  });

  it('are only logged if they throw, and the run fails with the error of the agent', async () => {
    const plugins: Plugin[] = ['one', 'two'].map((name) => ({
      name,
      onAgentErrorCallback: () => {
        throw new Error('x');
      },
      onRunErrorCallback: () => Promise.reject(new Error('x')),
    }));
    const { runner, runtime } = await createSetup(failingAgent('root'), { plugins });
    expect((await outcomeOf(runner.runAsync(hello))).error?.code).toBe('AGENT_FAILED');
    expect(runtime.logs.map(({ message, fields }) => [message, fields!['plugin']])).toEqual([
      ['onAgentErrorCallback failed.', 'one'],
      ['onAgentErrorCallback failed.', 'two'],
      ['onRunErrorCallback failed.', 'one'],
      ['onRunErrorCallback failed.', 'two'],
    ]);
    for (const { fields } of runtime.logs) {
      expect(fields).toMatchObject({ appName: expect.any(String), sessionId: expect.any(String), error: 'Error: x' });
      expect(fields!['stack']).toContain('close-run.test.ts');
    }
  });

  it('are called for errors of the model, and always with an Error', async () => {
    const { plugin, notes } = recordingPlugin();
    const agent = new LlmAgent({ name: 'root', model: new ScriptedLlm(fails('MODEL_OVERLOADED')) });
    await outcomeOf((await createSetup(agent, { plugins: [plugin] })).runner.runAsync(hello));
    const thrown = await createSetup(failingAgent('root', 'a text'), { plugins: [plugin] });
    await outcomeOf(thrown.runner.runAsync(hello));
    expect(notes.filter((note) => note !== 'afterRun')).toEqual([
      expect.stringMatching(/^agent root\/root: .* with MODEL_OVERLOADED/),
      'run at 1: MODEL_OVERLOADED',
      'agent root/root: A value that is not an Error was thrown.',
      'run at 1: AGENT_FAILED',
    ]);
  });

  it('are not called if the run is aborted, or its reader leaves', async () => {
    const { plugin, notes } = recordingPlugin();
    const agent = new LlmAgent({ name: 'root', model: new ScriptedLlm(hangs(), hangs()) });
    const { runner } = await createSetup(agent, { plugins: [plugin] });
    for (const end of ['abort', 'return'] as const) {
      const run = runner.runAsync(hello);
      const reading = outcomeOf({ [Symbol.asyncIterator]: () => run });
      await settle();
      await run[end]?.();
      await reading;
    }
    expect(notes).toEqual(['afterRun', 'afterRun']);
  });

  it('are called for the run only after its time limit', async () => {
    const { plugin, notes } = recordingPlugin();
    const agent = new LlmAgent({ name: 'root', model: new ScriptedLlm(hangs()) });
    const { runner, runtime } = await createSetup(agent, { plugins: [plugin] });
    const reading = outcomeOf(runner.runAsync({ ...hello, runConfig: { timeLimitMs: 100 } }));
    await runtime.advance(200);
    await reading;
    expect(notes).toEqual(['run at 1: RUN_TIME_LIMIT', 'afterRun']);
  });
});

describe('A tool that ends after its run', () => {
  it('calls no tool hooks: afterRunCallback is the last hook (contract 21)', async () => {
    const order: string[] = [];
    const gate = Promise.withResolvers<void>();
    const plugin: Plugin = {
      name: 'p',
      afterToolCallback: () => void order.push('afterTool'),
      onToolErrorCallback: () => void order.push('onToolError'),
      afterRunCallback: () => void order.push('afterRun'),
    };
    const tools = [
      toolOf('late', () => gate.promise),
      toolOf('broken', () => gate.promise.then(() => Promise.reject(new Error('x')))),
    ];
    const model = new ScriptedLlm({
      content: { parts: tools.map(({ name }) => ({ functionCall: { name, args: {} } })) },
      finishReason: 'STOP',
    });
    const { runner } = await createSetup(new LlmAgent({ name: 'root', model, tools }), { plugins: [plugin] });
    const run = runner.runAsync({ ...hello, runConfig: { reader: 'detached' } });
    await settle();
    run.abort();
    await run.done;
    gate.resolve();
    await settle();
    expect(order).toEqual(['afterRun']);
  });
});

describe('Calls without an answer at the end of a run', () => {
  it('are cancelled, unless the tool may have had an effect (contract 23)', async () => {
    const ready = Promise.withResolvers<void>();
    const tools = [
      toolOf('ignores', () => new Promise(() => {})),
      toolOf(
        'obeys',
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
    const { runner, stored } = await createSetup(agent);
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
      ['obeys', false, true],
      ['finishes', true, false],
      ['guarded', false, true],
      ['waits', false, true],
    ]);
    expect(textsIn(session.events).at(-1)).toBe('(RUN_ABORTED)');
    ready.resolve();
  });
});

describe('The closing record', () => {
  it('is stored and yielded before the error is thrown (contracts 22, 23)', async () => {
    const agent = agentOf('root', async function* (context) {
      yield says(context, 'one');
      throw new Error('broken');
    });
    const { runner, stored } = await createSetup(agent);
    const yielded: Event[] = [];
    const reading = (async () => {
      for await (const event of runner.runAsync(hello)) yielded.push(event);
    })();
    await expect(reading).rejects.toMatchObject({ code: 'AGENT_FAILED' });
    expect(textsIn(yielded)).toEqual(['one', '(AGENT_FAILED)']);
    expect(textsIn((await stored()).events)).toEqual(['hello', 'one', '(AGENT_FAILED)']);
  });

  it('is the last event: events of an agent that ignores the stop are not stored (contract 23)', async () => {
    const closing = Promise.withResolvers<void>();
    const agent = agentOf('root', async function* (context) {
      context.onClose(() => closing.promise);
      yield says(context, 'one');
      const isAborted = new Promise<void>((resolve) => context.signal.addEventListener('abort', () => resolve()));
      await isAborted;
      await settle();
      yield says(context, 'too late');
    });
    const { runner, stored } = await createSetup(agent);
    const run = runner.runAsync({ ...hello, runConfig: { reader: 'detached' } });
    await settle();
    run.abort();
    await settle();
    await settle();
    closing.resolve();
    await run.done;
    expect(textsIn((await stored()).events)).toEqual(['hello', 'one', '(RUN_ABORTED)']);
  });
});

describe('context.onClose', () => {
  it('calls the callback and the finally block however the run ends (contracts 23, 24)', async () => {
    const closed: string[] = [];
    const agent = agentOf('root', async function* (context) {
      context.onClose(() => void closed.push('closed'));
      try {
        yield says(context, 'one');
        yield says(context, 'two');
      } finally {
        closed.push('finally');
      }
    });
    const { runner } = await createSetup(agent);
    await runner.runToCompletion(hello);
    for await (const event of runner.runAsync(hello)) if (event.content) break;
    const run = runner.runAsync(hello);
    await run.next();
    run.abort();
    await run.done;
    expect(closed.toSorted()).toEqual(['closed', 'closed', 'closed', 'finally', 'finally', 'finally']);
  });
});
