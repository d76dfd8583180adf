import { systemRuntime } from '@thole/core';
import { optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { MaybePromise, Runtime } from '@thole/core';

/** Used tokens and cost. */
export interface UsedBudget {
  tokens: number;
  cost: number;
}

/**
 * Stores the counts of `BudgetPlugin`, by key. Implement it for another store, for example Redis. New members of this
 * interface are always optional.
 */
export interface UsageCounter {
  /** Returns the count under a key. Zeros if there is none. */
  get(key: string): MaybePromise<UsedBudget>;
  /**
   * Adds to the count under a key, atomically: no concurrent call may be lost. The count may be deleted after `expiresAt`, in
   * seconds since the epoch.
   */
  add(key: string, used: UsedBudget, p: { expiresAt?: number | undefined }): MaybePromise<void>;
}

/** Stores counts in the memory of this process. They are lost when the process ends. */
export class InMemoryUsageCounter implements UsageCounter {
  readonly #runtime: Runtime;
  readonly #counts = new Map<string, UsedBudget & { readonly expiresAt: number }>();
  #nextExpiry = Infinity;

  constructor(options: { runtime?: Runtime | undefined } = {}) {
    rejectUnknownOptions(options, optionNames<typeof options>({ runtime: true }), 'InMemoryUsageCounter');
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
