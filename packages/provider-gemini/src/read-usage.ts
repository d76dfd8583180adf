import { tokenCount } from '@thole/core/kit';
import type { Usage } from '@thole/core';

/** The counts that every provider has, with Gemini's names. */
export const usageCounts: readonly (keyof Usage)[] = [
  'promptTokenCount',
  'candidatesTokenCount',
  'totalTokenCount',
  'cachedContentTokenCount',
  'thoughtsTokenCount',
  'toolUsePromptTokenCount',
];

/** Returns the token counts. Undefined without any count. */
export function usageOf(metadata: { readonly [key: string]: unknown } | undefined): Usage | undefined {
  if (!metadata) return undefined;
  const usage: Usage = {};
  for (const name of usageCounts) {
    const count = tokenCount(metadata, name);
    if (count !== undefined) usage[name] = count;
  }
  return Object.keys(usage).length > 0 ? usage : undefined;
}

/** Adds the counts of several requests for one answer. */
export function addUsage(first: Usage | undefined, second: Usage | undefined): Usage | undefined {
  if (!first || !second) return first ?? second;
  const sum: Usage = { ...first };
  for (const name of usageCounts) if (second[name] !== undefined) sum[name] = (first[name] ?? 0) + second[name];
  return sum;
}
