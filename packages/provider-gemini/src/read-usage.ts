import type { Usage } from '@thole/core';

/** The counts that every provider has, by Gemini's names, which are ours. */
export const usageCounts: readonly (keyof Usage)[] = [
  'promptTokenCount',
  'candidatesTokenCount',
  'totalTokenCount',
  'cachedContentTokenCount',
  'thoughtsTokenCount',
  'toolUsePromptTokenCount',
];

/** The counts that are told; undefined where there are none. */
export function usageOf(told: { readonly [key: string]: unknown } | undefined): Usage | undefined {
  if (!told) return undefined;
  const usage: Usage = {};
  for (const name of usageCounts) if (typeof told[name] === 'number') usage[name] = told[name];
  return Object.keys(usage).length > 0 ? usage : undefined;
}

/** Of several requests that made one answer. */
export function addUsage(one: Usage | undefined, other: Usage | undefined): Usage | undefined {
  if (!one || !other) return one ?? other;
  const sum: Usage = { ...one };
  for (const name of usageCounts) if (other[name] !== undefined) sum[name] = (one[name] ?? 0) + other[name];
  return sum;
}
