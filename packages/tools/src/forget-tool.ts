import { textOf } from '@thole/core';
import { assertCount, DEFAULT_MIN_RELEVANCE, isoTime, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { MemoryEntry, Tool, ToolContext } from '@thole/core';
import { answerIfNotConfigured } from './answer-if-not-configured.ts';
import { FunctionTool } from './function-tool.ts';
import { jsonSchema } from './json-schema.ts';

/** Options of `forgetTool`. */
export interface ForgetToolOptions {
  /** Maximum number of candidates. Default: 5. */
  limit?: number | undefined;
}

/** A memory that may be meant, as the model sees it. */
export interface MemoryCandidate {
  id: string;
  text: string;
  kind: MemoryEntry['kind'];
  /** ISO 8601. */
  time?: string | undefined;
}

/** The answer of `forget` to the model. */
export interface ForgetAnswer {
  /** Number of deleted entries, including those deleted with a fact. */
  forgotten: number;
  /** Memories that may be meant. After a deletion: memories that still say something similar. */
  candidates: MemoryCandidate[];
  /** The model's next step. */
  note?: string | undefined;
  error?: string | undefined;
}

/**
 * Returns the tool `forget`: the model deletes a memory of this user. It searches for `what` and deletes only the
 * candidate with the given `id`, or without an id the candidates whose text is exactly `what`; otherwise it returns
 * the candidates. An unknown id is answered as an error. Without a memory service that can delete, the answer is
 * `{error, code}` with `MEMORY_NOT_CONFIGURED`. Throws `INVALID_INPUT` for a limit that is not an integer ≥ 1.
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
          const found = await candidatesFor(what, limit, toolContext);
          const chosen = found.filter((entry) => (id ? entry.id === id : isSame(textOf(entry.content), what)));
          if (chosen.length > 0) return forget(chosen, limit, toolContext);
          const candidates = found.map(toCandidate);
          if (id) return { forgotten: 0, error: UNKNOWN_ID, candidates };
          return { forgotten: 0, candidates, note: candidates.length > 0 ? CHOOSE : NOTHING };
        },
      ),
  });
}

const NO_MEMORY = 'Memory is not configured here: nothing can be forgotten. Tell the user so.';
const UNKNOWN_ID = 'No candidate for `what` has this id. It may be forgotten already. Use the id of a candidate.';
const CHOOSE = 'Nothing was forgotten yet. Call forget again with the id of the candidate that the user means.';
const NOTHING = 'Nothing like this is remembered.';
const REMAINING = 'These are still remembered. Ask the user whether to forget them too.';
/** Minimum relevance of a memory that is reported as similar after a deletion. */
const SIMILAR = 0.6;

async function forget(chosen: readonly MemoryEntry[], limit: number, toolContext: ToolContext): Promise<ForgetAnswer> {
  const forgotten = await toolContext.deleteMemory(chosen.map(({ id }) => id));
  const candidates = (await candidatesFor(textOf(chosen[0]!.content), limit, toolContext, SIMILAR)).map(toCandidate);
  return { forgotten, candidates, ...(candidates.length > 0 && { note: REMAINING }) };
}

async function candidatesFor(
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
  return { id, text: textOf(content), kind, ...(time !== undefined && { time }) };
}

/** True for texts that differ only in case, white space and the punctuation at their end. */
function isSame(one: string, other: string): boolean {
  return plain(one) === plain(other);
}

function plain(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\s+/gu, ' ')
    .replace(/[\s.!]+$/u, '')
    .trim();
}
