import { assertCount, assertDuration, invalidInput, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { CallOptions, Llm, MaybePromise, MemoryService, Runtime, UserRef } from '@thole/core';
import { assertLlm } from '../llm/assert-llm.ts';
import { requireMemory } from '../require-memory.ts';

/** Provides lines about a user that are not in memory, such as open bookings. */
export interface ProfileSource {
  /** A name for the lines, such as `recent projects`, for the model and logs. */
  name: string;
  lines(user: UserRef & CallOptions): MaybePromise<readonly string[]>;
}

/** Options of `profile`. */
export interface ProfileOptions {
  /** The memory service with the facts and notes of users. */
  memory: MemoryService;
  llm: Llm;
  /** Maximum number of lines. Default: 20. */
  limit?: number | undefined;
  /** Sources of additional lines. A source that fails is left out. Default: none. */
  sources?: readonly ProfileSource[] | undefined;
  /** Approximate maximum number of tokens of facts for the model. Default: 6,000. */
  maxTokens?: number | undefined;
  /** Time limit of the model in milliseconds. After it, the profile consists of facts. Default: 15,000. */
  timeoutMs?: number | undefined;
  runtime?: Runtime | undefined;
}

const profileOptionNames = optionNames<ProfileOptions>({
  memory: true,
  llm: true,
  limit: true,
  sources: true,
  maxTokens: true,
  timeoutMs: true,
  runtime: true,
});

/** Throws `INVALID_INPUT` for invalid options. */
export function assertProfileOptions(options: ProfileOptions): void {
  rejectUnknownOptions(options, profileOptionNames, 'profile');
  const { memory, llm, limit, sources, maxTokens, timeoutMs } = options;
  requireMemory(memory, 'profile', ['listMemories']);
  assertLlm(llm);
  if (limit !== undefined) assertCount('limit', limit, 1);
  if (maxTokens !== undefined) assertCount('maxTokens', maxTokens, 1);
  if (timeoutMs !== undefined) assertDuration('timeoutMs', timeoutMs);
  if (sources === undefined) return;
  if (!Array.isArray(sources)) throw invalidInput('sources', 'an array of sources', sources);
  sources.forEach((source: Partial<ProfileSource> | undefined, i) => {
    if (typeof source?.lines !== 'function')
      throw invalidInput(`sources[${i}]`, 'an object with name and a function lines', source);
  });
}
