import type { JsonObject, LlmResponse } from '@thole/core';
import { isRecord } from './is-record.ts';

/** Where a chat answer tells its sources. */
export interface ToldSources {
  /** Of the message: OpenAI's and OpenRouter's `url_citation`. */
  readonly annotations: readonly unknown[];
  /** Perplexity's: addresses. */
  readonly citations: unknown;
  /** Perplexity's: titles with addresses; the same pages in the same order. */
  readonly searchResults: unknown;
}

/** Sources in Gemini's shape. */
export type FoundSources = Pick<LlmResponse, 'groundingMetadata' | 'citationMetadata'>;

/** One chunk an address, and which piece of the text (by the server's count) rests on which. */
export function readSources({ annotations, citations, searchResults }: ToldSources): FoundSources {
  const chunks: JsonObject[] = [];
  const places = new Map<string, number>();
  const supports: JsonObject[] = [];
  const cited: JsonObject[] = [];
  const chunkOf = (uri: string, title: unknown): number => {
    const known = places.get(uri);
    if (known !== undefined) return known;
    places.set(uri, chunks.length);
    chunks.push({ web: { uri, ...(typeof title === 'string' && { title }) } });
    return chunks.length - 1;
  };
  for (const result of list(searchResults)) {
    if (isRecord(result) && typeof result['url'] === 'string') chunkOf(result['url'], result['title']);
  }
  for (const uri of list(citations)) if (typeof uri === 'string') chunkOf(uri, undefined);
  for (const annotation of annotations) {
    const told = isRecord(annotation) ? (annotation['url_citation'] ?? annotation) : undefined;
    if (!isRecord(told) || typeof told['url'] !== 'string') continue;
    const { url: uri, title } = told;
    const chunk = chunkOf(uri as string, title);
    const [startIndex, endIndex] = [told['start_index'], told['end_index']];
    const place = typeof startIndex === 'number' && typeof endIndex === 'number' ? { startIndex, endIndex } : undefined;
    if (place) supports.push({ segment: place, groundingChunkIndices: [chunk] });
    cited.push({ ...place, uri: uri as string, ...(typeof title === 'string' && { title }) });
  }
  if (chunks.length === 0) return {};
  const groundingSupports = supports.length > 0 ? { groundingSupports: supports } : {};
  return {
    groundingMetadata: { groundingChunks: chunks, ...groundingSupports },
    ...(cited.length > 0 && { citationMetadata: { citations: cited } }),
  };
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
