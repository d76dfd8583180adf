import type { Event, JsonObject } from '@thole/core';
import { addTokens, createTokenCounts } from '../front-ends/token-counts.ts';
import type { TokenCounts } from '../front-ends/token-counts.ts';

/** Adds up the tokens of a run's model calls, one entry for each model. */
export class TokenUsage {
  readonly #byModel: Map<string, TokenCounts> = new Map();

  /** Adds the tokens of a stored event. */
  add({ modelVersion = '', usageMetadata }: Event): void {
    if (!usageMetadata) return;
    const sum = this.#byModel.get(modelVersion) ?? createTokenCounts();
    addTokens(sum, usageMetadata);
    this.#byModel.set(modelVersion, sum);
  }

  /** Returns `{usage}` in the format of AG-UI, or an empty object if no model has reported tokens. */
  toMembers(): JsonObject {
    if (this.#byModel.size === 0) return {};
    const usage = [...this.#byModel].map(([model, { input, output, reasoning, cacheRead }]): JsonObject => ({
      ...(model !== '' && { model }),
      inputTokens: input,
      outputTokens: output,
      totalTokens: input + output,
      reasoningTokens: reasoning,
      cachedInputTokens: cacheRead,
    }));
    return { usage };
  }
}
