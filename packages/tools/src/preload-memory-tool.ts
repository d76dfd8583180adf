import { textOf, TholeError } from '@thole/core';
import {
  appendInstruction,
  assertCount,
  createTimeZoneReader,
  DEFAULT_MIN_RELEVANCE,
  errorCodeOf,
  invalidInput,
  labelFormattedMemory,
  optionNames,
  packMemory,
  rejectUnknownOptions,
} from '@thole/core/kit';
import type {
  Content,
  LlmRequest,
  MaybePromise,
  MemoryEntry,
  MemoryFilter,
  TimeZoneOption,
  Tool,
  ToolContext,
  ZonedTime,
} from '@thole/core';
import { assertSearchOptions } from './assert-search-options.ts';
import { insertBeforeMessage } from './insert-before-message.ts';

/** Options of `preloadMemoryTool`. */
export interface PreloadMemoryToolOptions {
  /** Maximum number of memories. Default: 40; usually fewer fit into `maxTokens`. */
  limit?: number | undefined;
  /** Token budget of the quotes, at about four bytes per token. The label adds about 50 tokens. Default: 900. */
  maxTokens?: number | undefined;
  /**
   * Formats the memories, best first, instead of the default lines. The result is escaped, cut to `maxTokens` and
   * labelled as data, because memories are not trusted. An empty result quotes nothing.
   */
  format?: ((memories: readonly MemoryEntry[]) => MaybePromise<string>) | undefined;
  /** `user`: a separate content before the user's message. `system`: the end of the system text. Default: `user`. */
  placement?: 'user' | 'system' | undefined;
  /**
   * Minimum relevance of a quoted memory, from 0 to 1. Default: 0.3, so that small talk and unrelated requests quote
   * nothing.
   */
  minRelevance?: number | undefined;
  /** Minimum score of a quoted memory. The memory service defines its scale. Default: none. */
  minScore?: number | undefined;
  /** Condition of every search. Default: none. */
  filter?: MemoryFilter | undefined;
  /**
   * The user's time zone for times in headings. An invalid zone of one call is logged and replaced by UTC. Default:
   * UTC.
   */
  timeZone?: TimeZoneOption | undefined;
}

/**
 * Returns the passive tool `preload_memory`: the model neither sees nor calls it. Before each model call, the tool
 * quotes memories that match the user's message (all its texts). The quotes are escaped, labelled as data
 * and not as instructions, and never stored. Memory is searched once per invocation and agent, so that every step
 * contains the same quotes. Turns of the current session that are in the request are not quoted again. The tool does
 * nothing without a memory service, without words in the message, or without matches. A failed search is logged, and
 * the run continues.
 */
export function preloadMemoryTool(options: PreloadMemoryToolOptions = {}): Tool {
  rejectUnknownOptions(options, knownOptions(), 'preload_memory');
  const { limit = 40, maxTokens = 900, format, placement = 'user', minScore, filter, timeZone } = options;
  const { minRelevance = DEFAULT_MIN_RELEVANCE } = options;
  assertCount('limit', limit, 1);
  assertCount('maxTokens', maxTokens, 1);
  assertSearchOptions({ minRelevance, minScore, filter });
  if (format !== undefined && typeof format !== 'function') throw invalidInput('format', 'a function', format);
  if (placement !== 'user' && placement !== 'system')
    throw new TholeError('INVALID_INPUT', `placement must be 'user' or 'system'.`);
  const readTimeZone = createTimeZoneReader(timeZone);

  async function createBlock(toolContext: ToolContext, shown: readonly Content[]): Promise<string> {
    const query = searchTextOf(toolContext.userContent);
    if (!query) return '';
    try {
      const zone = await readZone(toolContext);
      const search = { limit, minRelevance, minScore, filter, timeZone: zone?.timeZone };
      const { memories } = await toolContext.searchMemory(query, search);
      const newMemories = omitShown(memories, toolContext.sessionId, shown);
      if (format) return await formatMemories(newMemories.slice(0, limit), { format, maxTokens });
      const now = toolContext.runtime.now();
      return packMemory(newMemories, { limit, maxTokens, now, zone }) ?? '';
    } catch (error) {
      logFailure('preload_memory could not search or format', error, toolContext);
      return '';
    }
  }

  async function readZone(toolContext: ToolContext): Promise<ZonedTime | undefined> {
    try {
      return await readTimeZone(toolContext);
    } catch (error) {
      logFailure('preload_memory could not read the time zone', error, toolContext);
      return undefined;
    }
  }

  return {
    name: 'preload_memory',
    description: 'Quotes fitting memories in each request.',
    runAsync: async () => {
      throw new TholeError(
        'INVALID_INPUT',
        'preload_memory cannot be called. It runs before each request to the model.',
        { details: { refused: true } },
      );
    },
    async processLlmRequest({ toolContext, llmRequest }) {
      // Runs share this object, so the block is cached in the `temp:` state of the invocation.
      const stateKey = `temp:preload_memory:${toolContext.agentName}`;
      let block = toolContext.state.get<string>(stateKey);
      if (block === undefined) {
        block = await createBlock(toolContext, llmRequest.contents);
        toolContext.state.set(stateKey, block);
      }
      if (block) insertBlock(block, placement, llmRequest, toolContext.userContent);
    },
  };
}

/** `preloadMemoryTool()` with default options under ADK's name. */
export const PRELOAD_MEMORY: Tool = /* @__PURE__ */ Object.freeze(/* @__PURE__ */ preloadMemoryTool());

// Memory may contain turns of the current session. Turns that the request contains are left out.
function omitShown(
  memories: readonly MemoryEntry[],
  sessionId: string,
  shown: readonly Content[],
): readonly MemoryEntry[] {
  if (memories.every((entry) => entry.sessionId !== sessionId)) return memories;
  const texts = new Set(shown.map((content) => textOf(content).trim()));
  return memories.filter((entry) => entry.sessionId !== sessionId || !texts.has(textOf(entry.content).trim()));
}

async function formatMemories(
  memories: readonly MemoryEntry[],
  { format, maxTokens }: { format: NonNullable<PreloadMemoryToolOptions['format']>; maxTokens: number },
): Promise<string> {
  if (memories.length === 0) return '';
  const text: unknown = await format(memories);
  if (typeof text !== 'string') throw invalidInput('The result of format', 'a string', text);
  return labelFormattedMemory(text, maxTokens) ?? '';
}

function insertBlock(block: string, placement: 'user' | 'system', request: LlmRequest, message: Content): void {
  if (placement === 'system') return appendInstruction(request, block);
  request.contents = insertBeforeMessage(request.contents, message, { role: 'user', parts: [{ text: block }] });
}

function searchTextOf(message: Content): string {
  const texts = (message.parts ?? []).flatMap((part) => (part.text === undefined || part.thought ? [] : [part.text]));
  return texts.join('\n').trim();
}

function logFailure(sentence: string, error: unknown, { agentName, sessionId, runtime, signal }: ToolContext): void {
  if (signal.aborted || TholeError.is(error, 'MEMORY_NOT_CONFIGURED')) return;
  runtime.logger.warn(sentence, { tool: 'preload_memory', code: errorCodeOf(error), agentName, sessionId });
}

// A function, because `PRELOAD_MEMORY` is created while this module is loaded.
function knownOptions(): readonly string[] {
  return optionNames<PreloadMemoryToolOptions>({
    limit: true,
    maxTokens: true,
    format: true,
    placement: true,
    minRelevance: true,
    minScore: true,
    filter: true,
    timeZone: true,
  });
}
