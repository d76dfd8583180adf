import { assertCount, invalidInput, rejectUnknownOptions } from '@thole/core/kit';
import type { CallOptions, Llm, MaybePromise, MemoryService, Runtime, UserRef } from '@thole/core';
import { assertLlm } from '../llm/assert-llm.ts';
import { assertDuration } from '../assert-duration.ts';
import { fullMemory } from '../full-memory.ts';

/** Knows something of a user that memory does not: recent projects, open bookings. */
export interface ProfileSource {
  /** What the lines are, for the model and for logs: `recent projects`. */
  name: string;
  lines(user: UserRef & CallOptions): MaybePromise<readonly string[]>;
}

/** What a profile is made of. */
export interface ProfileOptions {
  /** Its facts and notes are what is known. */
  memory: MemoryService;
  llm: Llm;
  /** Most lines (20). */
  limit?: number | undefined;
  sources?: readonly ProfileSource[] | undefined;
  /** About how many tokens of what is known the model is given (6,000). */
  maxTokens?: number | undefined;
  /** The longest that the model may take before the facts stand in for it (15,000). */
  timeoutMs?: number | undefined;
  runtime?: Runtime | undefined;
}

/** The names of the options. */
export const PROFILE_OPTIONS: readonly (keyof ProfileOptions)[] = [
  ...(['memory', 'llm', 'limit', 'sources', 'maxTokens', 'timeoutMs', 'runtime'] as const),
];

/** `INVALID_INPUT` for options that cannot be. */
export function assertProfileOptions(options: ProfileOptions): void {
  rejectUnknownOptions(options, PROFILE_OPTIONS, 'profile');
  const { memory, llm, limit, sources, maxTokens, timeoutMs } = options;
  fullMemory(memory, 'profile', ['listMemories']);
  assertLlm(llm);
  if (limit !== undefined) assertCount('limit', limit, 1);
  if (maxTokens !== undefined) assertCount('maxTokens', maxTokens, 1);
  if (timeoutMs !== undefined) assertDuration('timeoutMs', timeoutMs);
  if (sources === undefined) return;
  if (!Array.isArray(sources)) throw invalidInput('sources', 'an array of sources', sources);
  sources.forEach((source: Partial<ProfileSource> | undefined, i) => {
    if (typeof source?.lines !== 'function') throw invalidInput(`sources[${i}]`, 'a {name, lines}', source);
  });
}
