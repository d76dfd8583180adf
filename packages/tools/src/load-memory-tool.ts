import { checkCount, isoTime, refuseUnknown, textOf } from '@thole/core';
import type { MemoryEntry, MemoryFilter, Tool } from '@thole/core';
import { answerIfNotConfigured } from './answer-if-not-configured.ts';
import { FunctionTool } from './function-tool.ts';
import { jsonSchema } from './json-schema.ts';

/** How much `load_memory` answers, and of what. */
export interface LoadMemoryToolOptions {
  /** How many memories at most (5). */
  limit?: number | undefined;
  /** Leaves out what scores lower; what it is a fraction of is the memory service's to say. */
  minScore?: number | undefined;
  filter?: MemoryFilter | undefined;
}

/** One memory as the model sees it: times are ISO 8601, `score` has three digits, `until` is there for a fact that has ended. */
export interface LoadedMemory {
  text: string;
  author?: string | undefined;
  time?: string | undefined;
  until?: string | undefined;
  score?: number | undefined;
}

/**
 * `load_memory`: the model searches what earlier sessions of this user have left in memory. Answers `{memories: [{text,
 * author, time, score}]}`, best first, empty when nothing fits. Without a memory service it answers `{error, code}`
 * with `MEMORY_NOT_CONFIGURED`; a search that fails is thrown. Made with `INVALID_INPUT` for a limit that is none.
 */
export function loadMemoryTool(options: LoadMemoryToolOptions = {}): Tool {
  refuseUnknown(options, ['limit', 'minScore', 'filter'], 'load_memory');
  const { limit = 5, minScore, filter } = options;
  checkCount('limit', limit, 1);
  return new FunctionTool({
    name: 'load_memory',
    description:
      'Searches what is remembered of earlier conversations with this user. Call it before you answer whenever the answer may depend on something said or decided earlier, such as preferences, names, plans or past bookings.',
    parameters: jsonSchema<{ query: string }>({
      type: 'object',
      properties: { query: { type: 'string', description: 'What to look for: the words or the topic.' } },
      required: ['query'],
    }),
    idempotent: true,
    execute: ({ query }, toolContext) =>
      answerIfNotConfigured(
        { tool: 'load_memory', code: 'MEMORY_NOT_CONFIGURED', error: NO_MEMORY, toolContext },
        async () => {
          const { memories } = await toolContext.searchMemory(query, { limit, minScore, filter });
          return { memories: memories.slice(0, limit).map(toLoadedMemory) };
        },
      ),
  });
}

/** `loadMemoryTool()` with its defaults, under ADK's name. */
export const LOAD_MEMORY: Tool = /* @__PURE__ */ Object.freeze(/* @__PURE__ */ loadMemoryTool());

const NO_MEMORY = 'Memory is not configured here: nothing can be looked up. Go on without it.';

function toLoadedMemory({ content, author, timestamp, validTo, score }: MemoryEntry): LoadedMemory {
  const time = isoTime(timestamp);
  const until = isoTime(validTo);
  return {
    text: textOf(content),
    ...(author !== undefined && { author }),
    ...(time !== undefined && { time }),
    ...(until !== undefined && { until }),
    ...(score !== undefined && { score: Number(score.toPrecision(3)) }),
  };
}
