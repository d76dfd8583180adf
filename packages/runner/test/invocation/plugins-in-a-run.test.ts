import type { Event, Plugin } from '@thole/core';
import { calls, hangs, says as answers, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { ParallelAgent } from '../../src/agents/parallel-agent.ts';
import { outcomeOf } from '../support/llm-setup.ts';
import {
  agentOf,
  agentWith,
  countedTool,
  createSetup,
  expectNextTurn,
  hello,
  says,
  saying,
  settle,
  textsIn,
} from '../support/setup.ts';

describe('Plugins and agents in a run', () => {
  it('use events as onEventCallback changed them, and see no dropped events (contract 16)', async () => {
    const redact: Plugin = {
      name: 'redact',
      onEventCallback: ({ event }) => {
        if (event.author === 'user') return undefined;
        if (JSON.stringify(event.content)?.includes('drop me')) return null;
        return JSON.parse(JSON.stringify(event).replaceAll('1234', '####')) as Event;
      },
    };
    const lookup = countedTool('lookup', async () => 'found');
    const model = new ScriptedLlm(calls('lookup', { card: '1234' }), answers('drop me'));
    const agent = new LlmAgent({ name: 'root', model, tools: [lookup], outputKey: 'kept' });
    const setup = await createSetup(agent, { plugins: [redact] });
    const { events } = await setup.runner.runToCompletion(hello);
    expect(lookup.args).toEqual([{ card: '####' }]);
    expect(textsIn(events)).toEqual(['·', '·']);
    expect(textsIn((await setup.stored()).events)).toEqual(['hello', '·', '·']);
    const next = new ScriptedLlm(answers('card 1234'), answers('read on'));
    setup.runner.agent = new LlmAgent({ name: 'root', model: next, outputKey: 'kept' });
    expect((await setup.runner.runToCompletion(hello)).text).toBe('card ####');
    expect((await setup.stored()).state).toEqual({ kept: 'card ####' });
    await setup.runner.runToCompletion(hello);
    expect(JSON.stringify(next.requests)).not.toContain('1234');
  });

  it.each([
    'onUserMessageCallback',
    'onEventCallback',
    'beforeRunCallback',
    'beforeAgentCallback',
    'beforeModelCallback',
    'afterModelCallback',
    'afterAgentCallback',
  ] as const)('end the run with PLUGIN_FAILED if %s throws; the next run works (contracts 21, 22)', async (hook) => {
    let isBroken = true;
    const plugin: Plugin = {
      name: 'fragile',
      [hook]: () => (isBroken ? Promise.reject(new Error('broken')) : undefined),
    };
    const setup = await createSetup(agentWith(new ScriptedLlm(answers('fine'), answers('fine'), answers('fine'))), {
      plugins: [plugin],
    });
    await expect(setup.runner.runToCompletion(hello)).rejects.toMatchObject({
      code: 'PLUGIN_FAILED',
      message: expect.stringContaining('fragile'),
    });
    expect((await setup.stored()).events.at(-1)).toMatchObject({ errorCode: 'PLUGIN_FAILED' });
    isBroken = false;
    expect((await setup.runner.runToCompletion(hello)).text).toBe('fine');
  });

  it('change or drop the progress that a tool reports, and a failing plugin ends the run', async () => {
    const onEventCallback: Plugin['onEventCallback'] = ({ event }) => {
      const progress = event.customMetadata?.['progress'];
      if (progress === 'fail') throw new Error('no');
      if (progress === 'drop') return null;
      return event.partial ? { ...event, customMetadata: { progress: `${progress as string}!` } } : undefined;
    };
    const progressOf = async (...reports: string[]): Promise<unknown[]> => {
      const tool = countedTool('look', async (context) => {
        for (const report of reports) context.reportProgress(report);
        await settle();
      });
      const model = new ScriptedLlm(calls('look'), answers('Done.'));
      const { runner } = await createSetup(agentWith(model, tool), { plugins: [{ name: 'redact', onEventCallback }] });
      const { events, error } = await outcomeOf(runner.runAsync(hello));
      return [
        ...events.filter(({ partial }) => partial).map((event) => event.customMetadata?.['progress']),
        error?.code,
      ];
    };
    expect(await progressOf('one', 'drop', 'two')).toEqual(['one!', 'two!', undefined]);
    expect(await progressOf('one', 'fail')).toEqual(['one!', 'PLUGIN_FAILED']);
  });

  it('only log an error of afterRunCallback (contract 21)', async () => {
    const setup = await createSetup(saying('root', 'fine'), {
      plugins: [{ name: 'fragile', afterRunCallback: () => Promise.reject(new Error('broken')) }],
    });
    expect((await setup.runner.runToCompletion(hello)).text).toBe('fine');
    expect(setup.runtime.logs.map(({ message }) => message)).toEqual(['afterRunCallback failed.']);
  });

  it('keep the finished work of a branch if another branch fails (contracts 16, 18)', async () => {
    const save = countedTool('save', async ({ state }) => (state.set('saved', 1), 'saved'));
    const good = new LlmAgent({ name: 'good', model: new ScriptedLlm(calls('save'), hangs()), tools: [save] });
    const bad = agentOf('bad', async function* (context) {
      context.state.set('bad', 1);
      yield says(context, 'so far');
      await new Promise<void>((resolve) => setTimeout(resolve, 20));
      throw new Error('broken');
    });
    const setup = await createSetup(new ParallelAgent({ name: 'root', subAgents: [good, bad] }));
    await expect(setup.runner.runToCompletion(hello)).rejects.toMatchObject({ code: 'AGENT_FAILED' });
    const { state, events } = await setup.stored();
    expect(state).toEqual({ saved: 1, bad: 1 });
    expect(events.at(-1)).toMatchObject({ errorCode: 'AGENT_FAILED' });
    await expectNextTurn(setup, saying('root', 'fine'));
  });

  it('apply plugins and limits to agents that a custom agent runs (contract 19)', async () => {
    const called: string[] = [];
    const plugin: Plugin = {
      name: 'listener',
      beforeAgentCallback: ({ agent }) => void called.push(agent.name),
      beforeModelCallback: () => void called.push('model'),
    };
    const inner = agentWith(
      new ScriptedLlm(answers('one'), answers('two')),
      countedTool('unused', async () => 1),
    );
    const outer = agentOf('outer', async function* (context) {
      yield* context.runAgent(inner);
      yield* context.runAgent(inner);
    });
    const setup = await createSetup(outer, { plugins: [plugin] });
    await expect(setup.runner.runToCompletion({ ...hello, runConfig: { maxLlmCalls: 1 } })).rejects.toMatchObject({
      code: 'LLM_CALL_LIMIT',
    });
    expect(called).toEqual(['outer', 'root', 'model', 'root', 'model']);
  });

  it('end with MODEL_STUCK after three calls of unknown tools in a row (contract 18)', async () => {
    const model = new ScriptedLlm(calls('made_up'), calls('made_up'), calls('made_up'), answers('fine'));
    const setup = await createSetup(agentWith(model));
    await expect(setup.runner.runToCompletion(hello)).rejects.toMatchObject({ code: 'MODEL_STUCK' });
    expect(model.requests).toHaveLength(3);
    await expectNextTurn(setup);
  });
});
