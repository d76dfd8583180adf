import { TholeError } from '@thole/core';
import { isPlainObject } from '@thole/core/kit';
import type { Json, JsonObject } from '@thole/core';

const WEB_SEARCH = ['timeRangeFilter', 'searchTypes', 'excludeDomains', 'blockingConfidence'];
const FILE_SEARCH = ['fileSearchStoreNames', 'topK', 'metadataFilter'];

/**
 * Returns a tool that Gemini runs itself. `webSearch` is Google search. Tools that this version does not know are
 * sent unchanged. Throws `INVALID_INPUT` with the tool and an alternative for a tool that the endpoint does not
 * have.
 */
export function toProviderTool(tool: JsonObject, { vertexai }: { vertexai?: boolean | undefined }): Json {
  const { webSearch, fileSearch } = tool;
  if (isPlainObject(webSearch)) {
    const { webSearch: _, ...rest } = tool;
    return { ...rest, googleSearch: pick(webSearch as JsonObject, WEB_SEARCH) };
  }
  if (!isPlainObject(fileSearch)) return tool;
  if (vertexai)
    throw refused(
      'Vertex AI has no tool fileSearch. Use the Gemini API, or `retrieval` in providerOptions.gemini.tools.',
    );
  const names = fileSearch['fileSearchStoreNames'];
  if (!Array.isArray(names) || names.length === 0)
    throw refused('tools.fileSearch needs fileSearchStoreNames for Gemini: file search stores, not vector stores.');
  return { ...tool, fileSearch: pick(fileSearch as JsonObject, FILE_SEARCH) };
}

const refused = (sentence: string): TholeError => new TholeError('INVALID_INPUT', sentence);

/** Settings of other providers are left out. */
const pick = (settings: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(settings).filter(([name]) => names.includes(name)));
