import { TholeError } from '@thole/core';
import { typeName } from '@thole/core/kit';
import type { App, RunLimits, Usage } from '@thole/core';
import { addUsage } from './add-usage.ts';

/** Limits of `LlmCalls`. */
export interface LlmCallsInit {
  /** Maximum number of calls. */
  readonly maxCalls: number;
  readonly limits?: RunLimits | undefined;
  readonly costOf?: App['costOf'] | undefined;
}

/** Counts the model calls, the tokens and the cost of an invocation, including those of its child runs. */
export class LlmCalls {
  /** Tokens of all stored answers. */
  readonly usage: Usage = {};
  #init: LlmCallsInit;
  #callCount: number = 0;
  #tokens: number = 0;
  #cost: number = 0;
  #costProblem: TholeError | undefined;
  /** Ids of the counted answers. A custom agent may pass on the events of a child run, which are counted already. */
  readonly #countedIds: Set<string> = new Set();
  readonly #held: Set<{ readonly tokens: number; readonly cost: number }> = new Set();

  constructor(init: LlmCallsInit) {
    this.#init = init;
  }

  /** Number of calls so far. */
  get callCount(): number {
    return this.#callCount;
  }

  /** Cost of all stored answers by `costOf` of the app. Undefined if the app has none, or if it failed. */
  get cost(): number | undefined {
    return this.#init.costOf && !this.#costProblem ? this.#cost : undefined;
  }

  /** Throws `INVALID_INPUT` for a limit of cost if the app has no `costOf`. */
  assertCheckableLimits(): void {
    if (this.#init.limits?.cost === undefined || this.#init.costOf) return;
    throw new TholeError('INVALID_INPUT', 'runConfig.limits.cost needs costOf in the app of the runner.');
  }

  /** Adds the tokens of a stored answer, once for each id. `model` returns the name of its model. */
  addUsage(id: string, usage: Usage, model: () => string): void {
    if (this.#countedIds.has(id)) return;
    this.#countedIds.add(id);
    addUsage(this.usage, usage);
    this.#tokens += totalOf(usage);
    this.#cost += this.#costOf(usage, model);
  }

  /**
   * Counts the tokens of an answer that is not stored for the limits. Returns a function that removes them again, before an event that
   * contains them is stored.
   */
  holdUsage(usage: Usage, model: () => string): () => void {
    const held = { tokens: totalOf(usage), cost: this.#costOf(usage, model) };
    this.#held.add(held);
    return () => void this.#held.delete(held);
  }

  #costOf(usage: Usage, model: () => string): number {
    const { costOf } = this.#init;
    if (!costOf || this.#costProblem) return 0;
    try {
      return checkCost(costOf(usage, model()));
    } catch (cause) {
      const message = 'app.costOf failed. The cause is the original error.';
      this.#costProblem = TholeError.is(cause) ? cause : new TholeError('INVALID_INPUT', message, { cause });
      return 0;
    }
  }

  /** Sets the limits that the first run of the invocation stored. */
  setLimits(p: { maxCalls?: number | undefined; limits?: RunLimits | undefined }): void {
    const { maxCalls = this.#init.maxCalls, limits = this.#init.limits } = p;
    this.#init = { ...this.#init, maxCalls, limits };
  }

  /** Adds a model call of an earlier run of the invocation, once for each id. Its answer has no `usage` if the model reported none. */
  addEarlierCall(id: string, usage: Usage | undefined, model: () => string): void {
    if (this.#countedIds.has(id)) return;
    this.#callCount++;
    this.addUsage(id, usage ?? {}, model);
  }

  /** Counts a call. Throws `LLM_CALL_LIMIT`, `TOKEN_LIMIT` or `COST_LIMIT` if a limit is reached. */
  count(invocationId: string): void {
    const { maxCalls, limits } = this.#init;
    if (this.#callCount >= maxCalls) {
      throw new TholeError(
        'LLM_CALL_LIMIT',
        `Invocation ${invocationId} reached its limit of ${maxCalls} model calls. Set runConfig.maxLlmCalls to allow more.`,
      );
    }
    if (limits) this.#assertLimits(limits, invocationId);
    this.#callCount++;
  }

  #assertLimits({ tokens, cost }: RunLimits, invocationId: string): void {
    const used = { tokens: this.#tokens, cost: this.#cost };
    for (const held of this.#held) {
      used.tokens += held.tokens;
      used.cost += held.cost;
    }
    if (tokens !== undefined && used.tokens >= tokens) {
      const message = `Invocation ${invocationId} used ${used.tokens} tokens. Its limit is ${tokens}.`;
      throw new TholeError('TOKEN_LIMIT', `${message} Set runConfig.limits.tokens to allow more.`);
    }
    if (cost === undefined) return;
    if (this.#costProblem) throw this.#costProblem;
    if (used.cost >= cost) {
      const message = `Invocation ${invocationId} has cost ${used.cost}. Its limit is ${cost}.`;
      throw new TholeError('COST_LIMIT', `${message} Set runConfig.limits.cost to allow more.`);
    }
  }
}

/** Returns the total number of tokens of one answer: the reported total, or the sum of the parts. */
export function totalOf(usage: Usage): number {
  const { totalTokenCount, promptTokenCount, candidatesTokenCount, thoughtsTokenCount, toolUsePromptTokenCount } =
    usage;
  if (totalTokenCount !== undefined) return totalTokenCount;
  const parts = [promptTokenCount, candidatesTokenCount, thoughtsTokenCount, toolUsePromptTokenCount];
  return parts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
}

/** Returns the result of `costOf`. Throws `INVALID_INPUT` unless it is a finite number ≥ 0. */
export function checkCost(cost: unknown): number {
  if (typeof cost === 'number' && Number.isFinite(cost) && cost >= 0) return cost;
  throw new TholeError('INVALID_INPUT', `costOf must return a finite number ≥ 0, got ${typeName(cost)}.`);
}
