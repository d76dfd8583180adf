import { TholeError } from '@thole/core';
import { invalidInput, isPlainObject, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { JsonObject, Tool, ToolDeclaration } from '@thole/core';

/** Options of `fileSearchTool`: the stores of each provider that the tool searches. */
export interface FileSearchToolOptions {
  /** File search stores of the Gemini API, such as `fileSearchStores/hotel-manuals`. */
  fileSearchStoreNames?: readonly string[] | undefined;
  /** Vector stores of OpenAI, such as `vs_123`. */
  vectorStoreIds?: readonly string[] | undefined;
  /** Other settings with the names of the provider: `topK` and `metadataFilter` of Gemini, `max_num_results` of OpenAI. */
  settings?: JsonObject | undefined;
}

/**
 * Returns `google_search`: the provider searches the web. A Gemini model uses Google Search. `settings` are passed to
 * the provider, such as `timeRangeFilter`.
 */
export function googleSearchTool(settings: JsonObject = {}): Tool {
  const googleSearch = checkSettings(settings, 'googleSearchTool');
  return providerTool('google_search', 'Searches the web with Google.', { googleSearch });
}

/** Returns `code_execution`: the provider runs code that the model writes. `settings` are passed to the provider. */
export function codeExecutionTool(settings: JsonObject = {}): Tool {
  const codeExecution = checkSettings(settings, 'codeExecutionTool');
  return providerTool('code_execution', 'Runs code that the model writes.', { codeExecution });
}

/**
 * Returns `file_search`: the provider searches files in its stores. If `options` name stores of several providers, each
 * provider searches its own stores. Throws `INVALID_INPUT` without a store.
 */
export function fileSearchTool(options: FileSearchToolOptions): Tool {
  if (!isPlainObject(options)) throw invalidInput('options of fileSearchTool', 'an object', options);
  const known = optionNames<FileSearchToolOptions>({
    fileSearchStoreNames: true,
    vectorStoreIds: true,
    settings: true,
  });
  rejectUnknownOptions(options, known, 'fileSearchTool');
  const { fileSearchStoreNames, vectorStoreIds, settings = {} } = options as FileSearchToolOptions;
  assertNames(fileSearchStoreNames, 'fileSearchStoreNames');
  assertNames(vectorStoreIds, 'vectorStoreIds');
  if (!fileSearchStoreNames && !vectorStoreIds)
    throw new TholeError(
      'INVALID_INPUT',
      'fileSearchTool needs fileSearchStoreNames (Gemini) or vectorStoreIds (OpenAI).',
    );
  const fileSearch = {
    ...checkSettings(settings, 'fileSearchTool'),
    ...(fileSearchStoreNames && { fileSearchStoreNames: [...fileSearchStoreNames] }),
    ...(vectorStoreIds && { vectorStoreIds: [...vectorStoreIds] }),
  };
  return providerTool('file_search', 'Searches files that the provider stores.', { fileSearch });
}

/** Returns `web_search`: the provider searches the web with its own search. `settings` are passed to the provider. */
export function webSearchTool(settings: JsonObject = {}): Tool {
  const webSearch = checkSettings(settings, 'webSearchTool');
  return providerTool('web_search', 'Searches the web.', { webSearch });
}

/** `googleSearchTool()` under ADK's name. */
export const GOOGLE_SEARCH: Tool = /* @__PURE__ */ Object.freeze(/* @__PURE__ */ googleSearchTool());

function providerTool(name: string, description: string, declaration: ToolDeclaration): Tool {
  return {
    name,
    description,
    runAsync: async () => {
      throw new TholeError('INVALID_INPUT', `${name} is run by the model's provider and cannot be called.`, {
        details: { refused: true },
      });
    },
    async processLlmRequest({ llmRequest }) {
      // A copy for each request, because callbacks may change a request.
      (llmRequest.config.tools ??= []).push(structuredClone(declaration));
    },
  };
}

function checkSettings(settings: unknown, owner: string): JsonObject {
  if (!isPlainObject(settings)) throw invalidInput(`settings of ${owner}`, 'an object', settings);
  return settings as JsonObject;
}

function assertNames(names: unknown, option: string): void {
  if (names === undefined) return;
  const isList =
    Array.isArray(names) && names.length > 0 && names.every((each) => typeof each === 'string' && each !== '');
  if (!isList) throw invalidInput(`${option} of fileSearchTool`, 'a list of strings that are not empty', names);
}
