import { isPlainObject } from '@thole/core/kit';
import type { JsonObject, LlmResponse } from '@thole/core';
import type { AnswerContent, Cited } from './answer-draft.ts';

/**
 * Returns the sources of an answer and the places that cite them, in Gemini's shape. Google's own grounding metadata
 * is kept unchanged.
 */
export function readSources(
  { sources, citations }: Cited,
  providerMetadata: JsonObject | undefined,
): Pick<LlmResponse, 'groundingMetadata' | 'citationMetadata'> {
  const chunks: JsonObject[] = [];
  const indexOf = new Map<string, number>();
  const add = (source: AnswerContent): number | undefined => {
    const chunk = chunkOf(source);
    if (!chunk) return undefined;
    const key = JSON.stringify(chunk);
    const known = indexOf.get(key);
    if (known !== undefined) return known;
    indexOf.set(key, chunks.push(chunk) - 1);
    return chunks.length - 1;
  };
  for (const source of sources) add(source);
  const supports: JsonObject[] = [];
  const cited: JsonObject[] = [];
  for (const { partIndex, citation } of citations) {
    const { source, startIndex, endIndex } = citation;
    const index = isPlainObject(source) ? add(source) : undefined;
    if (index === undefined) continue;
    const place = {
      ...(typeof startIndex === 'number' && { startIndex }),
      ...(typeof endIndex === 'number' && { endIndex }),
    };
    supports.push({ segment: { partIndex, ...place }, groundingChunkIndices: [index] });
    cited.push({ ...place, ...(Object.values(chunks[index]!)[0] as JsonObject) });
  }
  const own = Object.values(providerMetadata ?? {})
    .map((each) => (isPlainObject(each) ? each['groundingMetadata'] : undefined))
    .find((each) => isPlainObject(each)) as JsonObject | undefined;
  const made = {
    ...(chunks.length > 0 && { groundingChunks: chunks }),
    ...(supports.length > 0 && { groundingSupports: supports }),
  };
  return {
    ...(own ? { groundingMetadata: own } : chunks.length > 0 && { groundingMetadata: made }),
    ...(cited.length > 0 && { citationMetadata: { citations: cited } }),
  };
}

function chunkOf({ url, title, filename }: AnswerContent): JsonObject | undefined {
  const named = typeof title === 'string' && title !== '' ? { title } : {};
  if (typeof url === 'string') return { web: { uri: url, ...named } };
  const name = typeof filename === 'string' ? filename : undefined;
  if (name === undefined && !('title' in named)) return undefined;
  return { retrievedContext: { ...(name !== undefined && { uri: name }), ...named } };
}
