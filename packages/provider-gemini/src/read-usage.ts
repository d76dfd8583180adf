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

/** Returns the counts, or undefined if there are none. */
export function usageOf(metadata: { readonly [key: string]: unknown } | undefined): Usage | undefined {
  if (!metadata) return undefined;
  const usage: Usage = {};
  for (const name of usageCounts) if (typeof metadata[name] === 'number') usage[name] = metadata[name];
  return Object.keys(usage).length > 0 ? usage : undefined;
}

/** Adds the counts of several requests for one answer. */
export function addUsage(one: Usage | undefined, other: Usage | undefined): Usage | undefined {
  if (!one || !other) return one ?? other;
  const sum: Usage = { ...one };
  for (const name of usageCounts) if (other[name] !== undefined) sum[name] = (one[name] ?? 0) + other[name];
  return sum;
}
