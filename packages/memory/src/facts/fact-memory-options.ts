import { TholeError } from '@thole/core';
import { assertCount, invalidInput, rejectUnknownOptions } from '@thole/core/kit';
import type { LeaseManager, Llm, MemoryService, Runtime } from '@thole/core';
import { assertTimeZone } from '../user-time-zone.ts';
import type { UsersTimeZone } from '../user-time-zone.ts';
import { fullMemory } from '../full-memory.ts';
import type { FactExtractor } from './fact-extractor.ts';

/** What a `FactMemoryService` is made of. */
export interface FactMemoryServiceOptions {
  /** Keeps turns, facts and notes, and finds them: any service with every ability. Its store and embedder are its own affair. */
  memory: MemoryService;
  /** Finds the facts, through an `LlmFactExtractor`. */
  llm?: Llm | undefined;
  /** In place of `EXTRACTION_INSTRUCTIONS`: what is worth keeping. */
  instructions?: string | undefined;
  /** In place of `llm` and `instructions`. */
  extractor?: FactExtractor | undefined;
  /**
   * False keeps facts and notes only: what was said is shown to the extractor and never stored. A turn leaves a placeholder
   * without text, so that facts are made of it once, and are forgotten with their session. Default: true.
   */
  keepTurns?: boolean | undefined;
  /** Whose words a fact must rest on, next to anybody else's: the `user`'s (default), or `anyone`'s. */
  evidenceFrom?: 'user' | 'anyone' | undefined;
  /** Whether facts are also made of events that are added by themselves, and not only of sessions (false). */
  extractFromEvents?: boolean | undefined;
  /** About how many tokens of new turns are looked at in one call (4,000). */
  batchTokens?: number | undefined;
  /** About how many tokens of the turns before them stand beside (1,000). */
  contextTokens?: number | undefined;
  /** How many known facts stand beside, the most similar ones (30). */
  knownFacts?: number | undefined;
  /** The longest that one call of the model may take (60,000). */
  timeoutMs?: number | undefined;
  /** In which the extractor is told when things were said and when they hold from (UTC). */
  timeZone?: UsersTimeZone | undefined;
  /** Leases (a session service's `leasing`), by which facts of one user are made in one process at a time. Without: one at a time in this process. */
  leasing?: LeaseManager | undefined;
  runtime?: Runtime | undefined;
}

const OPTIONS = [
  ...(['memory', 'llm', 'instructions', 'extractor', 'keepTurns', 'evidenceFrom', 'extractFromEvents'] as const),
  ...(['batchTokens', 'contextTokens', 'knownFacts', 'timeoutMs', 'timeZone', 'leasing', 'runtime'] as const),
] satisfies readonly (keyof FactMemoryServiceOptions)[];

/** `INVALID_INPUT` for options that cannot be, `MEMORY_NOT_CONFIGURED` for a memory that lacks an ability. */
export function assertFactMemoryOptions(options: FactMemoryServiceOptions): void {
  rejectUnknownOptions(options, OPTIONS, 'FactMemoryService');
  const { memory, llm, instructions, extractor, keepTurns, evidenceFrom, timeZone } = options;
  fullMemory(memory, 'FactMemoryService');
  if ((llm === undefined) === (extractor === undefined))
    throw new TholeError('INVALID_INPUT', 'FactMemoryService takes either llm or extractor.');
  if (extractor !== undefined && typeof extractor?.extract !== 'function')
    throw invalidInput('extractor', 'a FactExtractor', extractor);
  if (extractor && instructions !== undefined)
    throw new TholeError('INVALID_INPUT', 'instructions are for llm; an extractor has its own.');
  if (evidenceFrom !== undefined && evidenceFrom !== 'user' && evidenceFrom !== 'anyone')
    throw new TholeError('INVALID_INPUT', `evidenceFrom must be 'user' or 'anyone'.`);
  if (keepTurns !== undefined && typeof keepTurns !== 'boolean')
    throw invalidInput('keepTurns', 'a boolean', keepTurns);
  if (keepTurns === false && (memory as { redacts?: unknown }).redacts === true)
    throw new TholeError(
      'INVALID_INPUT',
      'With keepTurns: false the extractor reads turns before memory does. Give the FactMemoryService to a RedactingMemoryService, not the other way round.',
    );
  assertTimeZone(timeZone);
  for (const name of ['batchTokens', 'contextTokens', 'knownFacts'] as const)
    if (options[name] !== undefined) assertCount(name, options[name], name === 'batchTokens' ? 1 : 0);
}
