import type { Agent, Content, Event, Plugin } from '@thole/core';
import { calls, fails, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import type { LlmAgentOptions } from '../../src/agents/llm-agent-options.ts';
import { AgentTool } from '../../src/agents/agent-tool.ts';
import { answersIn, hello, createSetup, outcomeOf, rootOf, settle, textsIn, toolOf } from '../support/llm-setup.ts';

const content = (text: string): Content => ({ role: 'model', parts: [{ text }] });
const returnNull = (): never => null as never;
const throws = (): never => {
  throw new TypeError('bad hook', { cause: new Error('the reason') });
};

describe('A callback that returns null', () => {
  it('continues with the next plugin and the agent (contract 21)', async () => {
    const plugins: Plugin[] = [
      { name: 'first', beforeModelCallback: returnNull, beforeAgentCallback: async () => returnNull() },
      { name: 'guard', beforeModelCallback: () => says('Refused.') },
    ];
    const { runner } = await createSetup(rootOf(new ScriptedLlm()), { plugins });
    expect(textsIn((await outcomeOf(runner.runAsync(hello))).events)).toEqual(['root: Refused.']);
  });

  it('continues with the next callback of the list (contract 21)', async () => {
    const agent = rootOf(new ScriptedLlm(), { beforeModelCallback: [returnNull, () => says('Refused.')] });
    const { runner } = await createSetup(agent);
    expect(textsIn((await outcomeOf(runner.runAsync(hello))).events)).toEqual(['root: Refused.']);
  });

  it('drops the event in onEventCallback, and only there (contract 21)', async () => {
    const authors: string[] = [];
    const plugins: Plugin[] = [
      { name: 'drop', onEventCallback: ({ event }) => (event.author === 'root' ? null : undefined) },
      { name: 'listener', onEventCallback: ({ event }) => void authors.push(event.author) },
    ];
    const { runner, stored } = await createSetup(rootOf(new ScriptedLlm(says('Hi.'))), { plugins });
    await outcomeOf(runner.runAsync(hello));
    expect(authors).toEqual(['user']);
    expect((await stored()).events).toHaveLength(1);
  });

  it('does not skip afterRunCallback of other plugins if one returns a value', async () => {
    const ended: string[] = [];
    const plugins: Plugin[] = ['a', 'b'].map((name) => ({
      name,
      afterRunCallback: () => ended.push(name) as never,
    }));
    const { runner } = await createSetup(rootOf(new ScriptedLlm(says('Hi.'))), { plugins });
    await outcomeOf(runner.runAsync(hello));
    expect(ended).toEqual(['a', 'b']);
  });
});

describe('A callback with an invalid result', () => {
  it.each<[Partial<LlmAgentOptions>, string]>([
    [{ beforeAgentCallback: () => 'hi' as never }, 'beforeAgentCallback must return a Content {role, parts: [{text}]}'],
    [{ afterAgentCallback: () => says('hi') as never }, 'return its `content`, not the whole of it'],
    [{ beforeModelCallback: () => content('hi') as never }, 'wrap it as {content}'],
    [{ afterModelCallback: () => 1 as never }, 'afterModelCallback must return an LlmResponse'],
    [{ beforeModelCallback: () => ({}) }, 'got an object: it is empty, so return undefined to change nothing'],
    [
      { beforeToolCallback: () => 'sunny' as never },
      'must return an object or undefined, got a string: wrap it as {result}',
    ],
    [
      { afterToolCallback: () => ['sunny'] as never },
      'afterToolCallback must return an object or undefined, got an array',
    ],
    [{ beforeToolCallback: () => ({ sky: 1n }) as never }, 'The result of a beforeToolCallback is not JSON.'],
  ])('ends the run with CALLBACK_FAILED and names the correct form', async (options, sentence) => {
    const agent = rootOf(new ScriptedLlm(calls('look'), says('x')), { tools: [toolOf('look', () => 1)], ...options });
    const { runner } = await createSetup(agent);
    const { error } = await outcomeOf(runner.runAsync(hello));
    expect(error).toMatchObject({ code: 'CALLBACK_FAILED', message: expect.stringContaining(sentence) });
  });

  it('ends the run with PLUGIN_FAILED for a text that is not a string, and the next run works', async () => {
    let isBroken = true;
    const onEventCallback = async ({ event }: { event: Event }): Promise<Event | undefined> =>
      isBroken && event.author === 'root' ? { ...event, content: { parts: [{ text: 7 as never }] } } : undefined;
    const agent = rootOf(new ScriptedLlm(says('x'), says('Hi.')));
    const { runner } = await createSetup(agent, { plugins: [{ name: 'odd', onEventCallback }] });
    const { error } = await outcomeOf(runner.runAsync(hello));
    expect(error).toMatchObject({
      code: 'PLUGIN_FAILED',
      message: expect.stringContaining('onEventCallback must return an Event'),
    });
    isBroken = false;
    expect((await runner.runToCompletion(hello)).text).toBe('Hi.');
  });

  it('ends the run with PLUGIN_FAILED in a plugin', async () => {
    const plugins: Plugin[] = [{ name: 'odd', beforeModelCallback: async () => ({ text: 'hi' }) as never }];
    const { runner } = await createSetup(rootOf(new ScriptedLlm()), { plugins });
    const { error } = await outcomeOf(runner.runAsync(hello));
    expect(error).toMatchObject({ code: 'PLUGIN_FAILED', message: expect.stringContaining('Plugin odd: beforeModel') });
  });
});

describe('Logs of failures', () => {
  const throwing = { cause: new Error('the reason') };
  const subAgent: Agent = rootOf(new ScriptedLlm(fails(new TypeError('fetch failed', throwing))), { name: 'sub' });
  it.each<[string, Partial<LlmAgentOptions>, ScriptedLlm, Plugin[]]>([
    ['a tool', { tools: [toolOf('look', throws)] }, new ScriptedLlm(calls('look', { city: 'Ulm' }), says('x')), []],
    [
      'a tool that is an agent',
      { tools: [new AgentTool({ agent: subAgent })] },
      new ScriptedLlm(calls('sub', { request: 'Ulm' }), says('x')),
      [],
    ],
    ['a model', {}, new ScriptedLlm(fails(new TypeError('fetch failed', throwing))), []],
    ['a callback', { beforeAgentCallback: throws }, new ScriptedLlm(), []],
    ['an instruction', { instruction: throws }, new ScriptedLlm(), []],
    ['a plugin', {}, new ScriptedLlm(), [{ name: 'odd', beforeModelCallback: throws }]],
    ['a plugin that selects history', {}, new ScriptedLlm(), [{ name: 'odd', selectHistoryCallback: throws }]],
    ['a plugin at the end of a run', {}, new ScriptedLlm(says('x')), [{ name: 'odd', afterRunCallback: throws }]],
  ])('contain message, stack and causes of %s, once', async (_name, options, model, plugins) => {
    const { runner, runtime } = await createSetup(rootOf(model, options), { plugins });
    await outcomeOf(runner.runAsync({ ...hello, newMessage: 'secret' }));
    const lines = runtime.logs.filter(({ level }) => level === 'error' || level === 'warn');
    expect(lines).toHaveLength(1);
    const { error, stack, causes } = lines[0]!.fields as { error: string; stack: string; causes?: { error: string }[] };
    expect(stack).toContain('\n    at ');
    expect([error, ...(causes ?? []).map((cause) => cause.error)].slice(-2)).toEqual([
      expect.stringMatching(/^TypeError: (bad hook|fetch failed)$/),
      'Error: the reason',
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/Ulm|secret/);
  });

  type Waits = (context: { signal: AbortSignal }) => Promise<never>;
  const asks = (waits: Waits): ScriptedLlm => new ScriptedLlm((_request, options) => waits(options));
  it.each<[string, (waits: Waits) => Parameters<typeof rootOf>, ((waits: Waits) => Plugin)?]>([
    ['a model', (waits) => [asks(waits)]],
    ['a tool', (waits) => [new ScriptedLlm(calls('look')), { tools: [toolOf('look', (_args, c) => waits(c))] }]],
    [
      'a tool that is an agent',
      (waits) => [
        new ScriptedLlm(calls('sub', { request: 'Ulm' })),
        { tools: [new AgentTool({ agent: rootOf(asks(waits), { name: 'sub' }) })] },
      ],
    ],
    ['a callback', (waits) => [new ScriptedLlm(), { beforeAgentCallback: waits }]],
    ['an instruction', (waits) => [new ScriptedLlm(), { instruction: waits }]],
    [
      'a plugin',
      () => [new ScriptedLlm()],
      (waits) => ({ name: 'slow', beforeModelCallback: ({ callbackContext }) => waits(callbackContext) }),
    ],
  ])('contain no error of %s that an abort has stopped (contract 23)', async (_name, agentOf, pluginOf) => {
    const errors: ((reason: unknown) => unknown)[] = [
      (reason) => reason,
      (reason) => new Error('The call failed.', { cause: reason }),
      () => new DOMException('Aborted.', 'AbortError'),
    ];
    for (const errorOf of errors) {
      const stop = new AbortController();
      let hasThrown = false;
      const waits: Waits = async ({ signal }) => {
        const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
        stop.abort();
        await aborted;
        hasThrown = true;
        throw errorOf(signal.reason);
      };
      const plugins = pluginOf ? [pluginOf(waits)] : [];
      const { runner, runtime } = await createSetup(rootOf(...agentOf(waits)), { plugins });
      const { error } = await outcomeOf(runner.runAsync({ ...hello, abortSignal: stop.signal }));
      await settle();
      expect([error?.code, hasThrown]).toEqual(['RUN_ABORTED', true]);
      expect(runtime.logs.filter(({ level }) => level === 'error')).toEqual([]);
    }
  });

  it('contain no error for a call of an unknown tool', async () => {
    const model = new ScriptedLlm(calls('nothing'), says('x'));
    const { runner, runtime } = await createSetup(rootOf(model));
    const { events } = await outcomeOf(runner.runAsync(hello));
    expect(answersIn(events)).toHaveLength(1);
    expect(runtime.logs.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('An artifact named __proto__', () => {
  it('is in the artifactDelta of the event that answers the call', async () => {
    const tool = toolOf('save', (_args, context) => context.saveArtifact('__proto__', { text: 'x' }));
    const { runner, stored } = await createSetup(rootOf(new ScriptedLlm(calls('save'), says('x')), { tools: [tool] }));
    await outcomeOf(runner.runAsync(hello));
    const deltas = (await stored()).events.map(({ actions }) => Object.entries(actions.artifactDelta));
    expect(deltas.flat()).toEqual([['__proto__', 0]]);
  });
});
