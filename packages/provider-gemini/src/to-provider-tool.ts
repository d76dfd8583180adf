import { TholeError } from '@thole/core';
import { isPlainObject } from '@thole/core/kit';
import type { Json, JsonObject } from '@thole/core';

const WEB_SEARCH_SETTINGS = ['timeRangeFilter', 'searchTypes', 'excludeDomains', 'blockingConfidence'];
const FILE_SEARCH_SETTINGS = ['fileSearchStoreNames', 'topK', 'metadataFilter'];

/**
 * Returns the declaration of a tool that Gemini runs itself. `webSearch` becomes `googleSearch`. Unknown tools are
 * returned unchanged. Throws `INVALID_INPUT` for a tool that the endpoint does not have; the message names an alternative.
 */
export function toProviderTool(tool: JsonObject, { vertexai }: { vertexai?: boolean | undefined }): Json {
  const { webSearch, fileSearch } = tool;
  if (isPlainObject(webSearch)) {
    const { webSearch: _, ...rest } = tool;
    return { ...rest, googleSearch: pick(webSearch as JsonObject, WEB_SEARCH_SETTINGS) };
  }
  if (!isPlainObject(fileSearch)) return tool;
  if (vertexai)
    throw invalidTool(
      'Vertex AI has no tool fileSearch. Use the Gemini API, or `retrieval` in providerOptions.gemini.tools.',
    );
  const names = fileSearch['fileSearchStoreNames'];
  if (!Array.isArray(names) || names.length === 0)
    throw invalidTool('tools.fileSearch needs fileSearchStoreNames for Gemini: file search stores, not vector stores.');
  return { ...tool, fileSearch: pick(fileSearch as JsonObject, FILE_SEARCH_SETTINGS) };
}

const invalidTool = (sentence: string): TholeError => new TholeError('INVALID_INPUT', sentence);

/** Returns the named settings. Settings of other providers are left out. */
const pick = (settings: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(settings).filter(([name]) => names.includes(name)));
