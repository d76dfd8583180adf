import { textOf } from '@thole/core';
import {
  assertCount,
  clipToTokens,
  DEFAULT_MIN_RELEVANCE,
  isoTime,
  normalizeStatement,
  optionNames,
  rejectUnknownOptions,
} from '@thole/core/kit';
import type { MemoryEntry, Tool, ToolContext } from '@thole/core';
import { answerIfNotConfigured } from './answer-if-not-configured.ts';
import { FunctionTool } from './function-tool.ts';
import { jsonSchema } from './json-schema.ts';

/** Options of `forgetTool`. */
export interface ForgetToolOptions {
  /** Maximum number of candidates. Default: 5. */
  limit?: number | undefined;
}

/** A memory that the user may mean, in the form that the model receives. */
export interface MemoryCandidate {
  id: string;
  /** The text, of which at most 250 tokens are shown. */
  text: string;
  kind: MemoryEntry['kind'];
  /** Time of the memory: ISO 8601, in UTC. */
  time?: string | undefined;
}

/** The answer of `forget` to the model. */
export interface ForgetAnswer {
  /** Number of deleted entries, including those deleted with a fact. */
  forgotten: number;
  /** Memories that the user may mean. After a deletion: the remaining memories with a similar text. */
  candidates: MemoryCandidate[];
  /** Tells the model the next step. */
  note?: string | undefined;
  error?: string | undefined;
}

/**
 * Returns the tool `forget`, with which the model deletes a memory of this user. The tool searches for `what`. With an
 * `id`, it deletes the candidate with this id. Without an id, it deletes the candidates whose text equals `what`,
 * ignoring case, white space and a final `.` or `!`. Otherwise it returns the candidates. For an unknown id, the answer
 * contains an error. If no memory service can delete, the answer is `{error, code}` with `MEMORY_NOT_CONFIGURED`.
 * Throws `INVALID_INPUT` for a limit that is not an integer ≥ 1.
 */
export function forgetTool(options: ForgetToolOptions = {}): Tool {
  rejectUnknownOptions(options, optionNames<ForgetToolOptions>({ limit: true }), 'forget');
  const { limit = 5 } = options;
  assertCount('limit', limit, 1);
  return new FunctionTool({
    name: 'forget',
    description:
      'Deletes what is remembered about this user from earlier conversations. Call it when the user asks you to forget something, and only then. First pass `what`: the answer lists candidates. Then call it again with the same `what` and the `id` of the candidate that the user means.',
    parameters: jsonSchema<{ what: string; id?: string }>({
      type: 'object',
      properties: {
        what: { type: 'string', pattern: '\\S', description: 'What to forget: the words or the topic.' },
        id: { type: 'string', description: 'The id of one candidate of an earlier answer. Leave it out at first.' },
      },
      required: ['what'],
    }),
    idempotent: true,
    execute: ({ what, id }, toolContext) =>
      answerIfNotConfigured(
        { tool: 'forget', code: 'MEMORY_NOT_CONFIGURED', error: NO_MEMORY, toolContext },
        async (): Promise<ForgetAnswer> => {
          const found = await findCandidates(what, limit, toolContext);
          const statement = normalizeStatement(what);
          const chosen = found.filter((entry) =>
            id ? entry.id === id : normalizeStatement(textOf(entry.content)) === statement,
          );
          if (chosen.length > 0) return forget(chosen, limit, toolContext);
          const candidates = found.map(toCandidate);
          if (id) return { forgotten: 0, error: UNKNOWN_ID_ERROR, candidates };
          return { forgotten: 0, candidates, note: candidates.length > 0 ? CHOOSE_NOTE : NOTHING_FOUND_NOTE };
        },
      ),
  });
}

const NO_MEMORY = 'Memory is not configured here: nothing can be forgotten. Tell the user so.';
const UNKNOWN_ID_ERROR = 'No candidate for `what` has this id. It may be forgotten already. Use the id of a candidate.';
const CHOOSE_NOTE = 'Nothing was forgotten yet. Call forget again with the id of the candidate that the user means.';
const NOTHING_FOUND_NOTE = 'Nothing like this is remembered.';
/** A turn may contain a whole document, of which the model only needs the beginning to describe it to the user. */
const MAX_CANDIDATE_TOKENS = 250;
const REMAINING_NOTE = 'These are still remembered. Ask the user whether to forget them too.';
/** Minimum relevance of a memory that is reported as similar after a deletion. */
const MIN_SIMILAR_RELEVANCE = 0.6;

async function forget(chosen: readonly MemoryEntry[], limit: number, toolContext: ToolContext): Promise<ForgetAnswer> {
  const forgotten = await toolContext.deleteMemory(chosen.map(({ id }) => id));
  const similar = await findCandidates(textOf(chosen[0]!.content), limit, toolContext, MIN_SIMILAR_RELEVANCE);
  const candidates = similar.map(toCandidate);
  return { forgotten, candidates, ...(candidates.length > 0 && { note: REMAINING_NOTE }) };
}

async function findCandidates(
  query: string,
  limit: number,
  toolContext: ToolContext,
  minRelevance: number = DEFAULT_MIN_RELEVANCE,
): Promise<MemoryEntry[]> {
  const { memories } = await toolContext.searchMemory(query, { limit, minRelevance });
  return memories.slice(0, limit);
}

function toCandidate({ id, kind, content, timestamp }: MemoryEntry): MemoryCandidate {
  const time = isoTime(timestamp);
  return { id, text: clipToTokens(textOf(content), MAX_CANDIDATE_TOKENS), kind, ...(time !== undefined && { time }) };
}
