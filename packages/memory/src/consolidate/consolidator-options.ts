import { TholeError } from '@thole/core';
import { assertCount, assertDuration, invalidInput, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { ArtifactService, MemoryService, Runtime, SessionRef, SessionService } from '@thole/core';
import { assertSessionService } from '../assert-session-service.ts';
import { requireMemory } from '../require-memory.ts';

/** A failed consolidation, for `onError`. */
export interface ConsolidationFailure {
  session: SessionRef;
  error: unknown;
  /** 1 for the first attempt. */
  attempt: number;
  /** Time until the next attempt in milliseconds. Undefined if only the next run or sweep tries again. */
  retryInMs: number | undefined;
}

const MAX_LEASE_MS = 2 ** 31 - 1;

/** Options of `IdleConsolidator`. */
export interface IdleConsolidatorOptions {
  sessions: SessionService;
  memory: MemoryService;
  /** The runner's artifact service, to delete the artifacts of deleted sessions. Default: none. */
  artifacts?: ArtifactService | undefined;
  /** Time in milliseconds without a run after which a session is consolidated. Default: 30 minutes. */
  idleMs?: number | undefined;
  /** False to schedule and sweep nothing. Default: true. */
  enabled?: boolean | undefined;
  /** True to keep consolidated sessions. A mark in their state records what is in memory. Default: false, which deletes them. */
  keep?: boolean | undefined;
  /** Number of sessions that a sweep consolidates at the same time. Default: 2. */
  concurrency?: number | undefined;
  /** Maximum number of attempts per session, with waits of 1, 2, 4 … times `retryMs`. Default: 5. */
  maxAttempts?: number | undefined;
  /** First wait after a failure in milliseconds. Default: 5,000. */
  retryMs?: number | undefined;
  /** Time in milliseconds after which other processes may take over the sessions of a process that has crashed. Default: 30,000. */
  leaseTtlMs?: number | undefined;
  /** Called for every failure. Errors that it throws are logged. */
  onError?: ((failure: ConsolidationFailure) => void) | undefined;
  runtime?: Runtime | undefined;
}

const consolidatorOptionNames = optionNames<IdleConsolidatorOptions>({
  sessions: true,
  memory: true,
  artifacts: true,
  idleMs: true,
  enabled: true,
  keep: true,
  concurrency: true,
  maxAttempts: true,
  retryMs: true,
  leaseTtlMs: true,
  onError: true,
  runtime: true,
});

/** Throws `INVALID_INPUT` for invalid options. */
export function assertConsolidatorOptions(options: IdleConsolidatorOptions): void {
  rejectUnknownOptions(options, consolidatorOptionNames, 'IdleConsolidator');
  const { sessions, idleMs, leaseTtlMs, retryMs } = options;
  assertSessionService(sessions);
  requireMemory(options.memory, 'IdleConsolidator', ['addSessionToMemory']);
  for (const name of ['enabled', 'keep'] as const)
    if (options[name] !== undefined && typeof options[name] !== 'boolean')
      throw invalidInput(name, 'a boolean', options[name]);
  if (idleMs !== undefined) assertDuration('idleMs', idleMs);
  if (leaseTtlMs !== undefined) {
    assertDuration('leaseTtlMs', leaseTtlMs);
    if (leaseTtlMs > MAX_LEASE_MS)
      throw new TholeError('INVALID_INPUT', `leaseTtlMs must be at most ${MAX_LEASE_MS} milliseconds.`);
  }
  if (retryMs !== undefined) assertDuration('retryMs', retryMs);
  for (const name of ['concurrency', 'maxAttempts'] as const)
    if (options[name] !== undefined) assertCount(name, options[name], 1);
}
