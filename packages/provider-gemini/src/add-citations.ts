import type { Json, JsonObject } from '@thole/core';

/**
 * Citations under one name: the Gemini API calls them `citationSources`, Vertex AI `citations`. Pieces of a stream bring more
 * of them.
 */
export function addCitations(before: JsonObject | undefined, told: { readonly [key: string]: unknown }): JsonObject {
  const { citationSources, citations, ...rest } = told as JsonObject;
  const earlier = (before?.['citations'] ?? []) as Json[];
  const known = new Set(earlier.map((each) => JSON.stringify(each)));
  const given = [citations, citationSources].flatMap((list) => (Array.isArray(list) ? list : []));
  return { ...before, ...rest, citations: [...earlier, ...given.filter((each) => !known.has(JSON.stringify(each)))] };
}
