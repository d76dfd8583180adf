import { TholeError } from '@thole/core';
import type { Usage } from '@thole/core';
import { addUsage } from '../flow/add-usage.ts';

/** The model calls of an invocation and of its child runs, which are counted together. */
export class LlmCalls {
  readonly #most: number;
  /** Tokens of all answers that were stored. */
  readonly usage: Usage = {};
  #made: number = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** How many were made. */
  get made(): number {
    return this.#made;
  }

  addUsage(usage: Usage): void {
    addUsage(this.usage, usage);
  }

  /** One more, made by this invocation; `LLM_CALL_LIMIT` where all have been made. */
  count(invocationId: string): void {
    if (this.#made >= this.#most) {
      throw new TholeError(
        'LLM_CALL_LIMIT',
        `Invocation ${invocationId} has made ${this.#most} model calls, all that maxLlmCalls allows.`,
      );
    }
    this.#made++;
  }
}
