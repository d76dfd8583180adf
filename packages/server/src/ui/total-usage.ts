import type { Event } from '@thole/core';
import { addTokens, createTokenCounts } from '../front-ends/token-counts.ts';
import type { TokenCounts } from '../front-ends/token-counts.ts';

/** Token counts of a message in the form of the AI SDK's `LanguageModelUsage`. */
export interface UiUsage {
  /** Includes cached tokens. */
  inputTokens: number;
  inputTokenDetails: { noCacheTokens: number; cacheReadTokens: number; cacheWriteTokens: number };
  /** Includes reasoning. */
  outputTokens: number;
  outputTokenDetails: { textTokens: number; reasoningTokens: number };
  totalTokens: number;
}

/** Adds up the tokens of a message, including the tokens of agents that run as tools. */
export class TotalUsage {
  #sum: TokenCounts | undefined;

  /** Adds the tokens of an event. Partial events do not count: the stored event has all tokens of the call. */
  add({ partial, usageMetadata }: Event): void {
    if (!partial && usageMetadata) addTokens((this.#sum ??= createTokenCounts()), usageMetadata);
  }

  /** Returns `{totalUsage}` for the metadata of the message, or an empty object if no model has reported tokens. */
  toMetadata(): { totalUsage?: UiUsage } {
    if (!this.#sum) return {};
    const { input, output, reasoning, cacheRead, cacheWrite } = this.#sum;
    const noCache = input - cacheRead - cacheWrite;
    return {
      totalUsage: {
        inputTokens: input,
        inputTokenDetails: { noCacheTokens: noCache, cacheReadTokens: cacheRead, cacheWriteTokens: cacheWrite },
        outputTokens: output,
        outputTokenDetails: { textTokens: output - reasoning, reasoningTokens: reasoning },
        totalTokens: input + output,
      },
    };
  }
}
