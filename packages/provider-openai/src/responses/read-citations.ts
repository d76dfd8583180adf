import { isPlainObject } from '@thole/core/kit';
import type { JsonObject, LlmResponse, Part } from '@thole/core';
import type { Endpoint } from '@thole/core/kit';
import { readMark } from './part-mark.ts';

/**
 * Returns the sources cited in an answer, their positions and the search queries, in Gemini's format. The provider counts
 * the positions, as characters of the part's text. Unknown annotations stay in the parts' marks.
 */
export function readCitations(
  parts: readonly Part[],
  items: readonly JsonObject[],
  endpoint: Endpoint,
): Pick<LlmResponse, 'groundingMetadata' | 'citationMetadata'> {
  const chunks: JsonObject[] = [];
  const supports: JsonObject[] = [];
  const citations: JsonObject[] = [];
  const indexOf = new Map<string, number>();
  parts.forEach((part, partIndex) => {
    const annotations = readMark(part, endpoint)?.entry?.['annotations'];
    for (const annotation of Array.isArray(annotations) ? annotations : []) {
      const source = isPlainObject(annotation) ? sourceOf(annotation as JsonObject) : undefined;
      if (!source) continue;
      const key = JSON.stringify(source.chunk);
      let index = indexOf.get(key);
      if (index === undefined) indexOf.set(key, (index = chunks.push(source.chunk) - 1));
      supports.push({ segment: { partIndex, ...source.place }, groundingChunkIndices: [index] });
      citations.push({ ...source.place, ...source.cited });
    }
  });
  const queries = queriesIn(items, 'web_search_call');
  const retrieved = queriesIn(items, 'file_search_call');
  const grounding = {
    ...(queries.length > 0 && { webSearchQueries: queries }),
    ...(retrieved.length > 0 && { retrievalQueries: retrieved }),
    ...(chunks.length > 0 && { groundingChunks: chunks, groundingSupports: supports }),
  };
  return {
    ...(Object.keys(grounding).length > 0 && { groundingMetadata: grounding }),
    ...(citations.length > 0 && { citationMetadata: { citations } }),
  };
}

interface Source {
  readonly chunk: JsonObject;
  readonly cited: JsonObject;
  readonly place: JsonObject;
}

function sourceOf(annotation: JsonObject): Source | undefined {
  const { type, url, title, file_id, filename, start_index, end_index, index } = annotation;
  const place = {
    ...(typeof start_index === 'number' && { startIndex: start_index }),
    ...(typeof end_index === 'number' && { endIndex: end_index }),
    ...(type === 'file_citation' && typeof index === 'number' && { endIndex: index }),
  };
  if (type === 'url_citation' && typeof url === 'string') {
    const cited = { uri: url, ...(typeof title === 'string' && { title }) };
    return { chunk: { web: cited }, cited, place };
  }
  if (!fileTypes.includes(type) || typeof file_id !== 'string') return undefined;
  const cited = { uri: file_id, ...(typeof filename === 'string' && { title: filename }) };
  return { chunk: { retrievedContext: cited }, cited, place };
}

const fileTypes: readonly unknown[] = ['file_citation', 'container_file_citation', 'file_path'];

function queriesIn(items: readonly JsonObject[], type: string): string[] {
  const queries = items
    .filter((item) => item['type'] === type)
    .flatMap((item) => {
      const action = isPlainObject(item['action']) ? item['action'] : item;
      return Array.isArray(action['queries']) ? action['queries'] : [action['query']];
    });
  return [...new Set(queries.filter((query) => typeof query === 'string' && query !== ''))] as string[];
}
