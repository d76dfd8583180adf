import { isPlainObject } from '@thole/core/kit';
import type { JsonObject, LlmResponse } from '@thole/core';
import type { AnswerContent, CitedSources } from './answer-draft.ts';

/**
 * Returns the sources of an answer and the texts that cite them, in Gemini's format. Grounding metadata of Google is
 * returned unchanged.
 */
export function readSources(
  { sources, citations }: CitedSources,
  providerMetadata: JsonObject | undefined,
): Pick<LlmResponse, 'groundingMetadata' | 'citationMetadata'> {
  const chunks: JsonObject[] = [];
  const indexOf = new Map<string, number>();
  const add = (source: AnswerContent): number | undefined => {
    const chunk = toChunk(source);
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
  const googleMetadata = Object.values(providerMetadata ?? {})
    .map((each) => (isPlainObject(each) ? each['groundingMetadata'] : undefined))
    .find((each) => isPlainObject(each)) as JsonObject | undefined;
  const groundingMetadata = {
    ...(chunks.length > 0 && { groundingChunks: chunks }),
    ...(supports.length > 0 && { groundingSupports: supports }),
  };
  return {
    ...(googleMetadata ? { groundingMetadata: googleMetadata } : chunks.length > 0 && { groundingMetadata }),
    ...(cited.length > 0 && { citationMetadata: { citations: cited } }),
  };
}

function toChunk({ url, title, filename }: AnswerContent): JsonObject | undefined {
  const titleMember = typeof title === 'string' && title !== '' ? { title } : {};
  if (typeof url === 'string') return { web: { uri: url, ...titleMember } };
  const name = typeof filename === 'string' ? filename : undefined;
  if (name === undefined && !('title' in titleMember)) return undefined;
  return { retrievedContext: { ...(name !== undefined && { uri: name }), ...titleMember } };
}
