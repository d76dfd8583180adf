import type { JsonObject, LlmResponse } from '@thole/core';
import { isRecord } from './is-record.ts';

/** The places where chat answers name their sources. */
export interface ToldSources {
  /** `url_citation` of OpenAI and OpenRouter, in the message. */
  readonly annotations: readonly unknown[];
  /** Addresses, from Perplexity. */
  readonly citations: unknown;
  /** Titles with addresses, from Perplexity; the same pages in the same order. */
  readonly searchResults: unknown;
}

/** Sources in Gemini's shape. */
export type FoundSources = Pick<LlmResponse, 'groundingMetadata' | 'citationMetadata'>;

/** Returns one chunk per address, and which piece of the text (by the server's count) each supports. */
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
    const citation = isRecord(annotation) ? (annotation['url_citation'] ?? annotation) : undefined;
    if (!isRecord(citation) || typeof citation['url'] !== 'string') continue;
    const { url: uri, title } = citation;
    const chunk = chunkOf(uri as string, title);
    const [startIndex, endIndex] = [citation['start_index'], citation['end_index']];
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
