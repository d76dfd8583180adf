import { TholeError } from '../errors/thole-error.ts';
import type { Runtime } from '../runtime/runtime.ts';

const FIRST_WAIT_MS = 500;
/** An overloaded server needs seconds to recover. */
const FIRST_WAIT_OVERLOADED_MS = 4000;
const MAX_WAIT_MS = 8000;
/** An error with a longer `retryAfterMs` is thrown, so that the caller can react. */
const MAX_RETRY_AFTER_MS = 60_000;

/** Limits of `withRetries`. */
export interface RetryLimits {
  /** Maximum number of attempts, including the first. */
  readonly maxAttempts: number;
  /** Time after the start of the first attempt in which another attempt may begin, in milliseconds. Default: no limit. */
  readonly maxTotalMs?: number | undefined;
  readonly runtime: Runtime;
  readonly signal?: AbortSignal | undefined;
}

/** Name of the member of an error with the number of attempts of its call. Other copies of this package read it, too. */
const attemptCount = Symbol.for('thole.attempts');

/**
 * Returns the attempt's value. Retries an attempt that fails with a `retryable` error, unless a time limit of this
 * client ended it: the server may still work on that answer and bill it. The wait is random, between 50 % and 100 % of
 * 0.5 s, 1 s, 2 s, 4 s, then 8 s; after `MODEL_OVERLOADED` of 4 s, then 8 s. If the error has `retryAfterMs`, the wait is
 * this time plus up to 0.5 s. If it is over a minute, or if the wait would exceed `maxTotalMs`, the error is thrown at once.
 * Attempts inside of an attempt count too (`setAttempts`): another one begins only if the same number fits into `maxAttempts`.
 */
export async function withRetries<T>(attempt: () => Promise<T>, p: RetryLimits): Promise<T> {
  const startedAt = p.runtime.monotonic();
  let attempts = 0;
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      const added = attemptsOf(error);
      attempts += added;
      if (attempts + added > p.maxAttempts || p.signal?.aborted || !isRepeatable(error)) throw error;
      const { retryAfterMs } = error;
      if (retryAfterMs !== undefined && retryAfterMs > MAX_RETRY_AFTER_MS) throw error;
      const first = error.code === 'MODEL_OVERLOADED' ? FIRST_WAIT_OVERLOADED_MS : FIRST_WAIT_MS;
      const maxWaitMs = Math.min(first * 2 ** (tries - 1), MAX_WAIT_MS);
      const randomShare = p.runtime.random();
      const waitMs =
        retryAfterMs === undefined ? ((1 + randomShare) / 2) * maxWaitMs : retryAfterMs + randomShare * FIRST_WAIT_MS;
      const totalMs = p.runtime.monotonic() - startedAt + waitMs;
      if (p.maxTotalMs !== undefined && totalMs > p.maxTotalMs) throw error;
      await p.runtime.sleep(waitMs, p.signal);
    }
  }
}

function isRepeatable(error: unknown): error is TholeError {
  return TholeError.is(error) && error.retryable && error.details?.['endedBy'] !== 'client';
}

/** Stores on a new error how many attempts its call has made, for the caller that may retry the call. */
export function setAttempts(error: TholeError, attempts: number): TholeError {
  return Object.defineProperty(error, attemptCount, { value: attempts });
}

function attemptsOf(error: unknown): number {
  const count = TholeError.is(error) ? (error as { [attemptCount]?: unknown })[attemptCount] : undefined;
  return typeof count === 'number' ? count : 1;
}
