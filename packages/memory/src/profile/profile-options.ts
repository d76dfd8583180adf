import { checkCount, invalidInput, refuseUnknown } from '@thole/core';
import type { Call, Llm, MaybePromise, MemoryService, Runtime, UserRef } from '@thole/core';
import { checkLlm } from '../asking/check-llm.ts';
import { checkDuration } from '../keeping/check-duration.ts';
import { fullMemory } from '../keeping/full-memory.ts';

/** Knows something of a user that memory does not: recent projects, open bookings. */
export interface ProfileSource {
  /** What the lines are, for the model and for logs: `recent projects`. */
  name: string;
  lines(user: UserRef & Call): MaybePromise<readonly string[]>;
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
export function checkProfileOptions(options: ProfileOptions): void {
  refuseUnknown(options, PROFILE_OPTIONS, 'profile');
  const { memory, llm, limit, sources, maxTokens, timeoutMs } = options;
  fullMemory(memory, 'profile', ['listMemories']);
  checkLlm(llm);
  if (limit !== undefined) checkCount('limit', limit, 1);
  if (maxTokens !== undefined) checkCount('maxTokens', maxTokens, 1);
  if (timeoutMs !== undefined) checkDuration('timeoutMs', timeoutMs);
  if (sources === undefined) return;
  if (!Array.isArray(sources)) throw invalidInput('sources', 'an array of sources', sources);
  sources.forEach((source: Partial<ProfileSource> | undefined, i) => {
    if (typeof source?.lines !== 'function') throw invalidInput(`sources[${i}]`, 'a {name, lines}', source);
  });
}
