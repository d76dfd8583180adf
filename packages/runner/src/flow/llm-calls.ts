import { TholeError } from '@thole/core';
import type { Usage } from '@thole/core';
import { addUsage } from './add-usage.ts';

/** Counts the model calls and tokens of an invocation, including those of its child runs. */
export class LlmCalls {
  readonly #limit: number;
  /** Tokens of all stored answers. */
  readonly usage: Usage = {};
  #made: number = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Number of calls so far. */
  get made(): number {
    return this.#made;
  }

  addUsage(usage: Usage): void {
    addUsage(this.usage, usage);
  }

  /** Counts a call. Throws `LLM_CALL_LIMIT` if the limit is reached. */
  count(invocationId: string): void {
    if (this.#made >= this.#limit) {
      throw new TholeError(
        'LLM_CALL_LIMIT',
        `Invocation ${invocationId} reached its limit of ${this.#limit} model calls. Set runConfig.maxLlmCalls to allow more.`,
      );
    }
    this.#made++;
  }
}
