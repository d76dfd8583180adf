import { systemRuntime } from '@thole/core';
import type { MaybePromise, Runtime } from '@thole/core';

/** Tokens and cost that were used. */
export interface UsedBudget {
  tokens: number;
  cost: number;
}

/**
 * Keeps counts for `BudgetPlugin`, by key. Others implement this interface, for example over Redis, so it only ever gains
 * optional members.
 */
export interface UsageCounter {
  /** Returns the count under a key. Zeros if there is none. */
  get(key: string): MaybePromise<UsedBudget>;
  /**
   * Adds to the count under a key in one step: concurrent calls must all count. After `expiresAt`, in seconds since the epoch,
   * the count is not needed any more.
   */
  add(key: string, used: UsedBudget, p: { expiresAt?: number | undefined }): MaybePromise<void>;
}

/** Keeps the counts of one process in memory. They are lost when the process ends. */
export class InMemoryUsageCounter implements UsageCounter {
  readonly #runtime: Runtime;
  readonly #counts = new Map<string, UsedBudget & { readonly expiresAt: number }>();
  #nextExpiry = Infinity;

  constructor(options: { runtime?: Runtime | undefined } = {}) {
    this.#runtime = options.runtime ?? systemRuntime();
  }

  get(key: string): UsedBudget {
    const { tokens, cost } = this.#counts.get(key) ?? { tokens: 0, cost: 0 };
    return { tokens, cost };
  }

  add(key: string, used: UsedBudget, { expiresAt = Infinity }: { expiresAt?: number | undefined }): void {
    this.#deleteExpired();
    const { tokens, cost } = this.get(key);
    this.#counts.set(key, { tokens: tokens + used.tokens, cost: cost + used.cost, expiresAt });
    this.#nextExpiry = Math.min(this.#nextExpiry, expiresAt);
  }

  #deleteExpired(): void {
    const now = this.#runtime.now();
    if (now < this.#nextExpiry) return;
    this.#nextExpiry = Infinity;
    for (const [key, { expiresAt }] of this.#counts) {
      if (expiresAt <= now) this.#counts.delete(key);
      else this.#nextExpiry = Math.min(this.#nextExpiry, expiresAt);
    }
  }
}
