import { isPlainObject } from '@thole/core/kit';
import type { JsonObject, LlmResponse } from '@thole/core';

/** A block, and the index of its part. */
export interface PlacedBlock {
  readonly block: JsonObject;
  readonly partIndex: number | undefined;
}

/** Returns the sources that an answer cites, the parts that cite them, and the search queries, in Gemini's format. */
export function readCitations(
  blocks: readonly PlacedBlock[],
): Pick<LlmResponse, 'groundingMetadata' | 'citationMetadata'> {
  const chunks: JsonObject[] = [];
  const supports: JsonObject[] = [];
  const citations: JsonObject[] = [];
  const indexOf = new Map<string, number>();
  for (const { block, partIndex } of blocks) {
    const { text, citations: cited } = block;
    if (partIndex === undefined || typeof text !== 'string' || !Array.isArray(cited)) continue;
    const indices = cited.flatMap((citation) => {
      const source = isPlainObject(citation) ? sourceOf(citation as JsonObject) : undefined;
      if (!source) return [];
      citations.push(source.cited);
      const key = JSON.stringify(source.chunk);
      let index = indexOf.get(key);
      if (index === undefined) indexOf.set(key, (index = chunks.push(source.chunk) - 1));
      return [index];
    });
    if (indices.length > 0)
      supports.push({ segment: { partIndex, text }, groundingChunkIndices: [...new Set(indices)] });
  }
  const queries = blocks.flatMap(({ block: { type, name, input } }) => {
    const query =
      type === 'server_tool_use' && name === 'web_search' && isPlainObject(input) ? input['query'] : undefined;
    return typeof query === 'string' && query !== '' ? [query] : [];
  });
  const grounding = {
    ...(queries.length > 0 && { webSearchQueries: [...new Set(queries)] }),
    ...(chunks.length > 0 && { groundingChunks: chunks, groundingSupports: supports }),
  };
  return {
    ...(Object.keys(grounding).length > 0 && { groundingMetadata: grounding }),
    ...(citations.length > 0 && { citationMetadata: { citations } }),
  };
}

/** Returns the source of a citation. Undefined for an unknown type, which stays in the part. */
function sourceOf(citation: JsonObject): { chunk: JsonObject; cited: JsonObject } | undefined {
  const { type, url, source, title, document_title: document, file_id: file, cited_text: text } = citation;
  const uri = [url, source, file].find((each) => typeof each === 'string' && each !== '');
  const name = [title, document].find((each) => typeof each === 'string' && each !== '');
  const reference: JsonObject = { ...(uri !== undefined && { uri }), ...(name !== undefined && { title: name }) };
  if (type === 'web_search_result_location') return { chunk: { web: reference }, cited: reference };
  if (typeof text !== 'string') return undefined;
  return { chunk: { retrievedContext: { ...reference, text } }, cited: { ...reference, ...placeOf(citation) } };
}

const POSITIONS = ['document_index', 'start_char_index', 'end_char_index', 'start_page_number', 'end_page_number'];
const BLOCK_POSITIONS = ['search_result_index', 'start_block_index', 'end_block_index'];

/** Returns the positions within the source, with Anthropic's names. */
function placeOf(citation: JsonObject): JsonObject {
  const names = [...POSITIONS, ...BLOCK_POSITIONS].filter((name) => typeof citation[name] === 'number');
  return { place: Object.fromEntries(names.map((name) => [name, citation[name]!])) };
}
