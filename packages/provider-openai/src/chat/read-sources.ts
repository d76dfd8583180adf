import type { JsonObject, LlmResponse } from '@thole/core';
import { isRecord } from './is-record.ts';

/** The members of chat answers that contain sources. */
export interface SourceMembers {
  /** `url_citation` of OpenAI and OpenRouter, in the message. */
  readonly annotations: readonly unknown[];
  /** Addresses, from Perplexity. */
  readonly citations: unknown;
  /** Titles with addresses, from Perplexity: the same pages in the same order as `citations`. */
  readonly searchResults: unknown;
}

/** Sources in Gemini's format. */
export type Sources = Pick<LlmResponse, 'groundingMetadata' | 'citationMetadata'>;

/** Returns one grounding chunk per address, and the text positions (as the server counts them) that it supports. */
export function readSources({ annotations, citations, searchResults }: SourceMembers): Sources {
  const chunks: JsonObject[] = [];
  const indexes = new Map<string, number>();
  const supports: JsonObject[] = [];
  const cited: JsonObject[] = [];
  const indexOf = (uri: string, title: unknown): number => {
    const known = indexes.get(uri);
    if (known !== undefined) return known;
    indexes.set(uri, chunks.length);
    chunks.push({ web: { uri, ...(typeof title === 'string' && { title }) } });
    return chunks.length - 1;
  };
  for (const result of list(searchResults)) {
    if (isRecord(result) && typeof result['url'] === 'string') indexOf(result['url'], result['title']);
  }
  for (const uri of list(citations)) if (typeof uri === 'string') indexOf(uri, undefined);
  for (const annotation of annotations) {
    const citation = isRecord(annotation) ? (annotation['url_citation'] ?? annotation) : undefined;
    if (!isRecord(citation) || typeof citation['url'] !== 'string') continue;
    const { url: uri, title } = citation;
    const chunk = indexOf(uri as string, title);
    const [startIndex, endIndex] = [citation['start_index'], citation['end_index']];
    const place = typeof startIndex === 'number' && typeof endIndex === 'number' ? { startIndex, endIndex } : undefined;
    if (place) supports.push({ segment: place, groundingChunkIndices: [chunk] });
    cited.push({ ...place, uri: uri as string, ...(typeof title === 'string' && { title }) });
  }
  if (chunks.length === 0) return {};
  return {
    groundingMetadata: { groundingChunks: chunks, ...(supports.length > 0 && { groundingSupports: supports }) },
    ...(cited.length > 0 && { citationMetadata: { citations: cited } }),
  };
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
