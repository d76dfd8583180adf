import type { Event, JsonObject } from '@thole/core';

/** Adds up the tokens of a run's model calls, one entry for each model. */
export class TokenUsage {
  readonly #byModel: Map<string, Record<(typeof counts)[number], number>> = new Map();

  /** Adds the tokens of a stored event. */
  add({ modelVersion = '', usageMetadata }: Event): void {
    if (!usageMetadata) return;
    const sum = this.#byModel.get(modelVersion) ?? none();
    for (const name of counts) sum[name] += usageMetadata[name] ?? 0;
    this.#byModel.set(modelVersion, sum);
  }

  /** Returns `{usage}` as AG-UI has it, and nothing if no model has reported tokens. */
  toMembers(): JsonObject {
    if (this.#byModel.size === 0) return {};
    const usage = [...this.#byModel].map(([model, sum]): JsonObject => {
      const inputTokens = sum.promptTokenCount + sum.toolUsePromptTokenCount;
      const outputTokens = sum.candidatesTokenCount + sum.thoughtsTokenCount;
      return {
        ...(model !== '' && { model }),
        ...{ inputTokens, outputTokens, totalTokens: inputTokens + outputTokens },
        ...{ reasoningTokens: sum.thoughtsTokenCount, cachedInputTokens: sum.cachedContentTokenCount },
      };
    });
    return { usage };
  }
}

const counts = [
  'promptTokenCount',
  'toolUsePromptTokenCount',
  'candidatesTokenCount',
  'thoughtsTokenCount',
  'cachedContentTokenCount',
] as const;

function none(): Record<(typeof counts)[number], number> {
  return Object.fromEntries(counts.map((name) => [name, 0])) as Record<(typeof counts)[number], number>;
}
