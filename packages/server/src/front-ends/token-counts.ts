import type { Usage } from '@thole/core';

/** Tokens of model calls. */
export interface TokenCounts {
  /** Includes cached tokens and results of tools that the provider ran. */
  input: number;
  /** Includes reasoning. */
  output: number;
  reasoning: number;
  cacheRead: number;
  cacheWrite: number;
}

/** Returns token counts that are all zero. */
export function createTokenCounts(): TokenCounts {
  return { input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
}

/** Adds the tokens of a model call, or of several. */
export function addTokens(sum: TokenCounts, usage: Usage): void {
  const { promptTokenCount = 0, toolUsePromptTokenCount = 0, candidatesTokenCount = 0 } = usage;
  const { thoughtsTokenCount = 0, cachedContentTokenCount = 0, cacheCreationTokenCount = 0 } = usage;
  sum.input += promptTokenCount + toolUsePromptTokenCount;
  sum.output += candidatesTokenCount + thoughtsTokenCount;
  sum.reasoning += thoughtsTokenCount;
  sum.cacheRead += cachedContentTokenCount;
  sum.cacheWrite += cacheCreationTokenCount;
}
