import { TholeError } from '@thole/core';
import { createTimeZoneReader, invalidInput, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { App, CallbackContext, InvocationContext, Plugin, RunLimits, TimeZoneOption, Usage } from '@thole/core';
import { checkCost, totalOf } from '../flow/llm-calls.ts';
import type { HookParams } from '../hooks/call-hooks.ts';
import { findModel } from '../request/find-model.ts';
import { isLlmAgent } from '../request/is-llm-agent.ts';
import { InMemoryUsageCounter } from './usage-counter.ts';
import type { UsageCounter, UsedBudget } from './usage-counter.ts';

/** Limits of `BudgetPlugin`. Set at least one. Each has `tokens`, `cost`, or both. */
export interface BudgetLimits {
  /** Limit for one user, over all time. */
  user?: RunLimits | undefined;
  /** Limit for one user on one day in the user's time zone. */
  userPerDay?: RunLimits | undefined;
  /** Limit for all users together on one day in UTC. */
  appPerDay?: RunLimits | undefined;
}

/** Options of `BudgetPlugin`. The default of `name`, which errors contain, is `budget`. */
export interface BudgetPluginOptions {
  limits: BudgetLimits;
  /** Returns the cost of one model call. Required for a limit of cost. */
  costOf?: App['costOf'] | undefined;
  /** Stores the counts. Default: an `InMemoryUsageCounter`, which counts only this process. */
  counter?: UsageCounter | undefined;
  /** Time zone of `userPerDay`. Default: UTC. */
  timeZone?: TimeZoneOption | undefined;
  name?: string | undefined;
}

const names = optionNames<BudgetPluginOptions>({
  limits: true,
  costOf: true,
  counter: true,
  timeZone: true,
  name: true,
});
const scopeNames = optionNames<BudgetLimits>({ user: true, userPerDay: true, appPerDay: true });
const limitNames = optionNames<RunLimits>({ tokens: true, cost: true });

/** Time after which a daily count may be deleted, in seconds: longer than a day in any time zone. */
const DAY_COUNT_SECONDS = 2 * 86_400;

/** A limit that applies to a model call, and the key of its count. */
interface Scope {
  readonly name: keyof BudgetLimits;
  readonly key: string;
  readonly limits: RunLimits;
  readonly isDaily: boolean;
}

/**
 * Limits tokens and cost by user and by day, over all sessions. Before each model call it throws `TOKEN_LIMIT` or `COST_LIMIT` if a
 * limit is reached. So the last call, and calls that run at the same time, may exceed the limit. It counts each response of a model,
 * including child runs and summaries. Put it first in the list of plugins: it does not see responses that an earlier plugin replaces.
 * If the counter fails, the run fails.
 */
export class BudgetPlugin implements Plugin {
  readonly name: string;
  readonly #limits: BudgetLimits;
  readonly #costOf: App['costOf'];
  #counter: UsageCounter | undefined;
  readonly #readTimeZone: ReturnType<typeof createTimeZoneReader>;

  /** Throws `INVALID_INPUT` for wrong options. */
  constructor(options: BudgetPluginOptions) {
    rejectUnknownOptions(options, names, 'BudgetPlugin');
    const { limits, costOf, counter, timeZone, name = 'budget' } = options;
    if (costOf !== undefined && typeof costOf !== 'function') throw invalidInput('costOf', 'a function', costOf);
    assertLimits(limits, costOf !== undefined);
    if (counter !== undefined && typeof (counter as Partial<UsageCounter> | null)?.add !== 'function')
      throw invalidInput('counter', 'an object with get() and add()', counter);
    this.name = name;
    this.#limits = limits;
    this.#costOf = costOf;
    this.#counter = counter;
    this.#readTimeZone = createTimeZoneReader(timeZone);
  }

  async beforeModelCallback({ callbackContext }: HookParams<'beforeModelCallback'>): Promise<void> {
    for (const scope of await this.#scopesOf(callbackContext)) {
      const used = await this.#counterOf(callbackContext).get(scope.key);
      for (const kind of ['tokens', 'cost'] as const) {
        const limit = scope.limits[kind];
        if (limit !== undefined && used[kind] >= limit) throw reachedError(scope, { kind, used: used[kind], limit });
      }
    }
  }

  async afterModelCallback({ callbackContext, llmResponse }: HookParams<'afterModelCallback'>): Promise<void> {
    const { partial, usageMetadata, modelVersion } = llmResponse;
    if (partial || !usageMetadata) return;
    await this.#count(callbackContext, usageMetadata, modelVersion ?? modelNameOf(callbackContext));
  }

  /** Counts the tokens of summaries, which are stored without a model callback. */
  async onEventCallback({ event, invocationContext }: HookParams<'onEventCallback'>): Promise<void> {
    if (!event.actions.compaction || !event.usageMetadata) return;
    await this.#count(invocationContext, event.usageMetadata, event.modelVersion ?? modelNameOf(invocationContext));
  }

  async #count(context: CallbackContext, usage: Usage, model: string): Promise<void> {
    const used: UsedBudget = {
      tokens: totalOf(usage),
      cost: this.#costOf ? checkCost(this.#costOf(usage, model)) : 0,
    };
    const expiresAt = context.runtime.now() + DAY_COUNT_SECONDS;
    for (const { key, isDaily } of await this.#scopesOf(context))
      await this.#counterOf(context).add(key, used, isDaily ? { expiresAt } : {});
  }

  #counterOf({ runtime }: CallbackContext): UsageCounter {
    return (this.#counter ??= new InMemoryUsageCounter({ runtime }));
  }

  async #scopesOf({ appName, runtime, state, userId }: CallbackContext): Promise<Scope[]> {
    const { user, userPerDay, appPerDay } = this.#limits;
    const scopes: Scope[] = [];
    const add = (name: keyof BudgetLimits, limits: RunLimits | undefined, parts: readonly string[]): void => {
      if (!limits) return;
      scopes.push({ name, limits, key: JSON.stringify([appName, ...parts]), isDaily: name !== 'user' });
    };
    const now = runtime.now();
    const utc = new Date(now * 1000).toISOString().slice(0, 10);
    add('user', user, ['user', userId]);
    if (userPerDay) {
      const zone = await this.#readTimeZone({ appName, userId, state });
      add('userPerDay', userPerDay, ['user', userId, zone?.isoOf(now)?.slice(0, 10) ?? utc]);
    }
    add('appPerDay', appPerDay, ['app', utc]);
    return scopes;
  }
}

function assertLimits(limits: BudgetLimits, hasCost: boolean): void {
  rejectUnknownOptions(limits, scopeNames, 'limits');
  const scopes = Object.entries(limits).filter(([, each]) => each !== undefined) as [string, RunLimits][];
  if (scopes.length === 0)
    throw new TholeError('INVALID_INPUT', 'limits of BudgetPlugin must have user, userPerDay or appPerDay.');
  for (const [scope, each] of scopes) {
    rejectUnknownOptions(each, limitNames, `limits.${scope}`);
    if (each.tokens === undefined && each.cost === undefined)
      throw new TholeError('INVALID_INPUT', `limits.${scope} must have tokens or cost.`);
    for (const kind of ['tokens', 'cost'] as const) {
      const limit: unknown = each[kind];
      if (limit !== undefined && !(typeof limit === 'number' && limit >= 0))
        throw invalidInput(`limits.${scope}.${kind}`, 'a number ≥ 0', limit);
    }
    if (each.cost !== undefined && !hasCost)
      throw new TholeError('INVALID_INPUT', `limits.${scope}.cost needs costOf of BudgetPlugin.`);
  }
}

function reachedError(
  { name }: Scope,
  { kind, used, limit }: { kind: 'tokens' | 'cost'; used: number; limit: number },
): TholeError {
  const who = name === 'appPerDay' ? 'All users together have' : 'The user has';
  const amount = kind === 'tokens' ? `used ${used} tokens` : `cost ${used}`;
  const when = name === 'user' ? '' : ' today';
  const message = `${who} ${amount}${when}. The limit is ${limit} (limits.${name}.${kind} of BudgetPlugin).`;
  return new TholeError(kind === 'tokens' ? 'TOKEN_LIMIT' : 'COST_LIMIT', message, {
    details: { scope: name, used, limit },
  });
}

/** Returns the name of the model of the agent that runs. Empty outside of an agent. */
function modelNameOf(context: CallbackContext): string {
  const { agent, tree } = context as Partial<InvocationContext>;
  const model = tree && isLlmAgent(agent) ? findModel(agent, tree) : undefined;
  return (typeof model === 'string' ? model : model?.model) ?? '';
}
