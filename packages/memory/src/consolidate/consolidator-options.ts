import { TholeError } from '@thole/core';
import { rejectUnknownOptions } from '@thole/core/kit';
import type { ArtifactService, MemoryService, Runtime, SessionRef, SessionService } from '@thole/core';
import { assertDuration } from '../assert-duration.ts';
import { fullMemory } from '../full-memory.ts';

/** What went wrong with which session. */
export interface ConsolidationFailure {
  session: SessionRef;
  error: unknown;
  /** 1 for the first attempt. */
  attempt: number;
  /** When it is tried again by itself, in milliseconds; undefined: not before the next turn or sweep. */
  retryInMs: number | undefined;
}

const MAX_LEASE_MS = 2 ** 31 - 1;

/** What an `IdleConsolidator` works with. */
export interface IdleConsolidatorOptions {
  sessions: SessionService;
  memory: MemoryService;
  /** The runner's, where there is one: what a deleted session has saved goes with it. */
  artifacts?: ArtifactService | undefined;
  /** How long a session must be quiet, in milliseconds (30 minutes; fractions are fine). */
  idleMs?: number | undefined;
  /** Whether anything is consolidated at all (true). */
  enabled?: boolean | undefined;
  /** Whether consolidated sessions stay (false: they are deleted). A mark in their state says up to where they are in memory. */
  keep?: boolean | undefined;
  /** How many sessions a sweep consolidates at a time (2). */
  concurrency?: number | undefined;
  /** How often a failing session is tried, with 1, 2, 4 … times `retryMs` between (5). */
  maxAttempts?: number | undefined;
  /** The first wait after a failure, in milliseconds (5,000). */
  retryMs?: number | undefined;
  /** How long the sessions of a process that died stay its own, in milliseconds (30,000). */
  leaseTtlMs?: number | undefined;
  /** Told of every failure; whatever it throws is only logged. */
  onError?: ((failure: ConsolidationFailure) => void) | undefined;
  runtime?: Runtime | undefined;
}

const OPTIONS = [
  ...(['sessions', 'memory', 'idleMs', 'enabled', 'keep', 'concurrency', 'maxAttempts', 'retryMs'] as const),
  ...(['artifacts', 'leaseTtlMs', 'onError', 'runtime'] as const),
] satisfies readonly (keyof IdleConsolidatorOptions)[];

/** `INVALID_INPUT` for options that cannot be. */
export function assertConsolidatorOptions(options: IdleConsolidatorOptions): void {
  rejectUnknownOptions(options, OPTIONS, 'IdleConsolidator');
  const { sessions, idleMs, retryMs } = options;
  if (typeof sessions?.getSession !== 'function')
    throw new TholeError('INVALID_INPUT', 'IdleConsolidator needs sessions, a SessionService.');
  fullMemory(options.memory, 'IdleConsolidator', ['addSessionToMemory']);
  if (idleMs !== undefined) assertDuration('idleMs', idleMs);
  if (options.leaseTtlMs !== undefined) assertDuration('leaseTtlMs', options.leaseTtlMs, MAX_LEASE_MS);
  if (retryMs !== undefined) assertDuration('retryMs', retryMs);
}
