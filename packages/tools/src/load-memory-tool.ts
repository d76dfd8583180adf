import { textOf } from '@thole/core';
import {
  assertCount,
  clipToTokens,
  createTimeZoneReader,
  DEFAULT_MIN_RELEVANCE,
  estimateTokens,
  isoTime,
  optionNames,
  rejectUnknownOptions,
} from '@thole/core/kit';
import type { MemoryEntry, MemoryFilter, TimeZoneOption, Tool, ZonedTime } from '@thole/core';
import { answerIfNotConfigured } from './answer-if-not-configured.ts';
import { assertSearchOptions } from './assert-search-options.ts';
import { FunctionTool } from './function-tool.ts';
import { jsonSchema } from './json-schema.ts';
import { readTimeRange } from './read-time-range.ts';
import type { TimeRange } from './read-time-range.ts';

/** Options of `loadMemoryTool`. */
export interface LoadMemoryToolOptions {
  /** Maximum number of memories. Default: 5. */
  limit?: number | undefined;
  /** Token budget of all texts, at about four bytes per token. The longest texts are cut to fit. Default: 4,000. */
  maxTokens?: number | undefined;
  /** Minimum relevance of a returned memory, from 0 to 1. Default: 0.3. */
  minRelevance?: number | undefined;
  /** Minimum score of a returned memory. The memory service defines its scale. Default: none. */
  minScore?: number | undefined;
  /** Condition of every search. A time range of the model can only narrow it. Default: none. */
  filter?: MemoryFilter | undefined;
  /** The user's time zone, for the model's times and the times of memories. Default: UTC. */
  timeZone?: TimeZoneOption | undefined;
}

/**
 * A memory in the form that the model receives. A text that was cut ends with `…`. Times are ISO 8601. `until` is set for a
 * fact that has ended. `relevance` is the share of the query that the memory contains, from 0 to 1.
 */
export interface LoadedMemory {
  text: string;
  author?: string | undefined;
  time?: string | undefined;
  until?: string | undefined;
  relevance?: number | undefined;
  score?: number | undefined;
}

// Declared before `LOAD_MEMORY`, which is created while this module is loaded.
const RANGE_PROPERTIES = {
  from: {
    type: 'string',
    description:
      'Only what was said from then on; leave it out for all times. A day such as 2026-05-31, a month (2026-05), a year (2026), or a day with a time (2026-05-31T18:00), on the user’s clock unless it has an offset.',
  },
  to: {
    type: 'string',
    description:
      'Only what was said until then, in the same forms; a day, month or year is included whole. Leave it out for no end.',
  },
};

/**
 * Returns the tool `load_memory`, with which the model searches memories from earlier sessions of this user. A call may
 * have a time range: `from` and `to`. The answer is `{memories: [{text, author, time, relevance, score}]}`, best first,
 * empty without matches. Without a memory service, the answer is `{error, code}` with `MEMORY_NOT_CONFIGURED`. A call
 * with an invalid range throws `INVALID_INPUT` with the name of the member; a failed search throws the error of the
 * memory service. Throws `INVALID_INPUT` for invalid options.
 */
export function loadMemoryTool(options: LoadMemoryToolOptions = {}): Tool {
  rejectUnknownOptions(options, knownOptions(), 'load_memory');
  const { limit = 5, maxTokens = 4_000, minRelevance = DEFAULT_MIN_RELEVANCE, minScore, filter, timeZone } = options;
  assertCount('limit', limit, 1);
  assertCount('maxTokens', maxTokens, 1);
  assertSearchOptions({ minRelevance, minScore, filter });
  const readTimeZone = createTimeZoneReader(timeZone);
  return new FunctionTool({
    name: 'load_memory',
    description:
      'Searches what is remembered of earlier conversations with this user. Call it before you answer whenever the answer may depend on something said or decided earlier, such as preferences, names, plans or past bookings.',
    parameters: jsonSchema<{ query: string } & TimeRange>({
      type: 'object',
      properties: {
        query: { type: 'string', description: 'What to look for: the words or the topic.' },
        ...RANGE_PROPERTIES,
      },
      required: ['query'],
    }),
    idempotent: true,
    execute: ({ query, ...range }, toolContext) =>
      answerIfNotConfigured(
        { tool: 'load_memory', code: 'MEMORY_NOT_CONFIGURED', error: NO_MEMORY, toolContext },
        async () => {
          const zone = await readTimeZone(toolContext);
          const searchFilter = narrowFilter(filter, readTimeRange(range, zone));
          if (searchFilter?.from !== undefined && searchFilter.to !== undefined && searchFilter.from >= searchFilter.to)
            return { memories: [] };
          const search = { limit, minRelevance, minScore, filter: searchFilter, timeZone: zone?.timeZone };
          const { memories } = await toolContext.searchMemory(query, search);
          const loaded = memories.slice(0, limit).map((entry) => toLoadedMemory(entry, zone));
          return { memories: cutTexts(loaded, maxTokens) };
        },
      ),
  });
}

/** `loadMemoryTool()` with default options under ADK's name. */
export const LOAD_MEMORY: Tool = /* @__PURE__ */ Object.freeze(/* @__PURE__ */ loadMemoryTool());

const NO_MEMORY = 'Memory is not configured here: nothing can be looked up. Go on without it.';

/** Combines the filter of the app with the time range of the model. */
function narrowFilter(filter: MemoryFilter | undefined, range: MemoryFilter): MemoryFilter | undefined {
  if (range.from === undefined && range.to === undefined) return filter;
  const from = Math.max(filter?.from ?? -Infinity, range.from ?? -Infinity);
  const to = Math.min(filter?.to ?? Infinity, range.to ?? Infinity);
  return { ...filter, ...(from !== -Infinity && { from }), ...(to !== Infinity && { to }) };
}

function toLoadedMemory(
  { content, author, timestamp, validTo, relevance, score }: MemoryEntry,
  zone: ZonedTime | undefined,
): LoadedMemory {
  const time = isoTime(timestamp, zone);
  const until = isoTime(validTo, zone);
  return {
    text: textOf(content),
    ...(author !== undefined && { author }),
    ...(time !== undefined && { time }),
    ...(until !== undefined && { until }),
    ...(relevance !== undefined && { relevance: Number(relevance.toFixed(2)) }),
    ...(score !== undefined && { score: Number(score.toPrecision(3)) }),
  };
}

/** Cuts the longest texts, so that all texts together fit into the tokens. */
function cutTexts(memories: readonly LoadedMemory[], maxTokens: number): LoadedMemory[] {
  const costs = memories.map(({ text }) => estimateTokens(text)).toSorted((a, b) => a - b);
  let left = maxTokens;
  let share = maxTokens;
  for (const [i, cost] of costs.entries()) {
    share = Math.floor(left / (costs.length - i));
    if (cost > share) break;
    left -= cost;
  }
  return memories.map((memory) => ({ ...memory, text: clipToTokens(memory.text, share) }));
}

// A function, because `LOAD_MEMORY` is created while this module is loaded.
function knownOptions(): readonly string[] {
  return optionNames<LoadMemoryToolOptions>({
    limit: true,
    maxTokens: true,
    minRelevance: true,
    minScore: true,
    filter: true,
    timeZone: true,
  });
}
