import type { LlmResponse, Plugin, Usage } from '@thole/core';
import { calls, FixedRuntime, says, ScriptedLlm } from '@thole/testing';
import { InMemorySessionService } from '@thole/mem-services';
import { describe, expect, it } from 'vitest';
import { AgentTool } from '../../src/agents/agent-tool.ts';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { BudgetPlugin } from '../../src/plugins/budget-plugin.ts';
import type { BudgetPluginOptions } from '../../src/plugins/budget-plugin.ts';
import { InMemoryUsageCounter } from '../../src/plugins/usage-counter.ts';
import type { UsageCounter } from '../../src/plugins/usage-counter.ts';
import { Runner } from '../../src/runner/runner.ts';
import { outcomeOf, toolOf } from '../support/llm-setup.ts';

const spends = (tokens: number, answer: LlmResponse = says('fine')): LlmResponse => ({
  ...answer,
  usageMetadata: { totalTokenCount: tokens },
});
/** Returns 1 for ten tokens. */
const costOf = ({ totalTokenCount = 0 }: Usage): number => totalTokenCount / 10;

interface BudgetSetup {
  model: ScriptedLlm;
  runtime: FixedRuntime;
  /** Sends a message in a new session. Returns the answer, or the code of the error. */
  ask(userId?: string): Promise<string | undefined>;
  /** The messages of the errors. */
  messages: string[];
}

function createBudgetSetup(
  options: BudgetPluginOptions,
  p: { model?: ScriptedLlm; plugins?: readonly Plugin[]; tools?: LlmAgent['tools']; runtime?: FixedRuntime } = {},
): BudgetSetup {
  const { runtime = new FixedRuntime() } = p;
  const model = p.model ?? new ScriptedLlm(...Array.from({ length: 9 }, () => spends(60)));
  const agent = new LlmAgent({ name: 'root', model, tools: p.tools ?? [] });
  const plugins = [new BudgetPlugin(options), ...(p.plugins ?? [])];
  const sessionService = new InMemorySessionService({ runtime });
  const runner = new Runner({ appName: 'app', agent, plugins, sessionService, runtime });
  const messages: string[] = [];
  return {
    model,
    runtime,
    messages,
    ask: async (userId = 'ann') => {
      const { events, error } = await outcomeOf(runner.runAsync({ userId, newMessage: 'hello' }));
      if (error) messages.push(error.message ?? '');
      return error?.code ?? events.at(-1)!.content?.parts?.[0]?.text;
    },
  };
}

describe('BudgetPlugin', () => {
  it('throws TOKEN_LIMIT before the next call when a user has used up the tokens', async () => {
    const { ask, model } = createBudgetSetup({ limits: { user: { tokens: 100 } } });
    expect([await ask(), await ask(), await ask(), await ask('bob')]).toEqual(['fine', 'fine', 'TOKEN_LIMIT', 'fine']);
    expect(model.requests).toHaveLength(3);
  });

  it('throws COST_LIMIT, and passes the name of the model to costOf', async () => {
    const models: string[] = [];
    const options = { costOf: (usage: Usage, model: string) => (models.push(model), costOf(usage)) };
    const { ask, model } = createBudgetSetup({ limits: { user: { cost: 6 } }, ...options });
    expect([await ask(), await ask()]).toEqual(['fine', 'COST_LIMIT']);
    expect(models).toEqual([model.model]);
  });

  it.each([
    [{ user: { tokens: 60 } }, 'The user has used 60 tokens. The limit is 60 (limits.user.tokens of BudgetPlugin).'],
    [{ appPerDay: { cost: 5 } }, 'All users together have cost 6 today. The limit is 5 (limits.appPerDay.cost of'],
  ])('says which limit of %j is reached', async (limits, message) => {
    const { ask, messages } = createBudgetSetup({ limits, costOf });
    await ask();
    await ask();
    expect(messages).toEqual([expect.stringContaining(message)]);
  });

  it('ends a run between two of its model calls', async () => {
    const model = new ScriptedLlm(spends(60, calls('look')), spends(60));
    const { ask } = createBudgetSetup(
      { limits: { user: { tokens: 50 } } },
      { model, tools: [toolOf('look', () => 1)] },
    );
    expect(await ask()).toBe('TOKEN_LIMIT');
    expect(model.requests).toHaveLength(1);
  });

  it('counts each day separately with userPerDay, in the time zone of the user', async () => {
    // 23:30 in Berlin.
    const runtime = new FixedRuntime({ now: Date.UTC(2026, 0, 10, 22, 30) / 1000 });
    const timeZone = ({ userId }: { userId: string }): string | undefined =>
      userId === 'ann' ? 'Europe/Berlin' : undefined;
    const { ask } = createBudgetSetup({ limits: { userPerDay: { tokens: 60 } }, timeZone }, { runtime });
    expect([await ask(), await ask(), await ask('bob'), await ask('bob')]).toEqual([
      ...['fine', 'TOKEN_LIMIT', 'fine', 'TOKEN_LIMIT'],
    ]);
    await runtime.advance(3_600_000);
    expect([await ask(), await ask('bob')]).toEqual(['fine', 'TOKEN_LIMIT']);
    await runtime.advance(3_600_000);
    expect(await ask('bob')).toBe('fine');
  });

  it('counts all users together with appPerDay', async () => {
    const { ask, runtime } = createBudgetSetup({ limits: { appPerDay: { tokens: 100 }, user: { tokens: 100_000 } } });
    expect([await ask('a'), await ask('b'), await ask('c')]).toEqual(['fine', 'fine', 'TOKEN_LIMIT']);
    await runtime.advance(86_400_000);
    expect(await ask('c')).toBe('fine');
  });

  it('counts the calls of child runs', async () => {
    const helper = new LlmAgent({ name: 'helper', description: 'Helps.', model: new ScriptedLlm(spends(60)) });
    const model = new ScriptedLlm(spends(1, calls('helper', { request: 'help' })), says('never'));
    const { ask } = createBudgetSetup(
      { limits: { user: { tokens: 50 } } },
      { model, tools: [new AgentTool({ agent: helper })] },
    );
    expect(await ask()).toBe('TOKEN_LIMIT');
  });

  it('counts the tokens of summaries', async () => {
    const counter = new InMemoryUsageCounter();
    const content = { role: 'model' as const, parts: [{ text: 'short' }] };
    const summarizer = { summarize: async () => ({ content, usageMetadata: { totalTokenCount: 7 } }) };
    const rootAgent = new LlmAgent({ name: 'root', model: new ScriptedLlm(spends(60)) });
    const plugins = [new BudgetPlugin({ limits: { user: { tokens: 100 } }, counter })];
    const app = { name: 'app', rootAgent, plugins, compaction: { interval: 1, summarizer } };
    const runner = new Runner({ app, sessionService: new InMemorySessionService() });
    await runner.runToCompletion({ userId: 'ann', newMessage: 'hello' });
    await runner.idle();
    expect(counter.get('["app","user","ann"]')).toEqual({ tokens: 67, cost: 0 });
  });

  it('fails the run with PLUGIN_FAILED if the counter fails', async () => {
    const counter: UsageCounter = {
      get: () => Promise.reject(new Error('The database is away.')),
      add: () => undefined,
    };
    const { ask, model } = createBudgetSetup({ limits: { user: { tokens: 100 } }, counter });
    expect(await ask()).toBe('PLUGIN_FAILED');
    expect(model.requests).toEqual([]);
  });

  it('adds with one call of the counter per limit, so that concurrent runs all count', async () => {
    const added: unknown[] = [];
    const counter: UsageCounter = {
      get: () => ({ tokens: 0, cost: 0 }),
      add: (...args) => void added.push(args),
    };
    const runtime = new FixedRuntime({ now: 1_700_000_000 });
    const limits = { user: { tokens: 100 }, userPerDay: { cost: 1 } };
    await createBudgetSetup({ limits, counter, costOf }, { runtime }).ask();
    const used = { tokens: 60, cost: 6 };
    expect(added).toEqual([
      ['["app","user","ann"]', used, {}],
      ['["app","user","ann","2023-11-14"]', used, { expiresAt: 1_700_172_800 }],
    ]);
  });

  it.each<[string, unknown]>([
    ['limits of BudgetPlugin must have', { limits: {} }],
    ['limits.user must have tokens or cost', { limits: { user: {} } }],
    ['limits.user.tokens must be a number ≥ 0', { limits: { user: { tokens: -1 } } }],
    ['limits.userPerDay.cost needs costOf', { limits: { userPerDay: { cost: 1 } } }],
    ['perDay', { limits: { perDay: { tokens: 1 } } }],
    ['counter must be', { limits: { user: { tokens: 1 } }, counter: {} }],
    ['time zone', { limits: { user: { tokens: 1 } }, timeZone: 'Mars' }],
    ['costOf must be a function', { limits: { user: { cost: 1 } }, costOf: 3 }],
  ])('throws INVALID_INPUT: %s', (message, options) => {
    expect(() => new BudgetPlugin(options as BudgetPluginOptions)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining(message) }),
    );
  });
});

describe('InMemoryUsageCounter', () => {
  it('adds counts, and removes counts that have expired', async () => {
    const runtime = new FixedRuntime({ now: 100 });
    const counter = new InMemoryUsageCounter({ runtime });
    counter.add('day', { tokens: 1, cost: 2 }, { expiresAt: 160 });
    counter.add('day', { tokens: 1, cost: 2 }, { expiresAt: 160 });
    counter.add('user', { tokens: 5, cost: 0 }, {});
    expect(counter.get('day')).toEqual({ tokens: 2, cost: 4 });
    await runtime.advance(60_000);
    counter.add('user', { tokens: 1, cost: 0 }, {});
    expect([counter.get('day'), counter.get('user')]).toEqual([
      { tokens: 0, cost: 0 },
      { tokens: 6, cost: 0 },
    ]);
  });
});
