import { TholeError } from '../errors/thole-error.ts';
import type { Runtime } from '../runtime/runtime.ts';

const FIRST_WAIT_MS = 500;
/** An overloaded server needs seconds to recover. */
const FIRST_WAIT_OVERLOADED_MS = 4000;
const LONGEST_WAIT_MS = 8000;
/** A longer wait is not made: the caller must know. */
const LONGEST_RETRY_AFTER_MS = 60_000;

/** Limits of `withRetries`. */
export interface RetryLimits {
  /** Number of attempts in all. */
  readonly maxAttempts: number;
  /** Time from the first attempt within which another one may begin, in milliseconds. Default: no limit. */
  readonly maxTotalMs?: number | undefined;
  readonly runtime: Runtime;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Returns the attempt's value. Retries an attempt that fails with a `retryable` error, unless a time limit of this
 * side ended it: the server may still work on that answer and bill it. The wait is random, between half and all of
 * 0.5 s, 1 s, 2 s, 4 s, 8 s; after `MODEL_OVERLOADED` of 4 s, 8 s. If the error has `retryAfterMs`, the wait is that
 * long plus up to 0.5 s; an error with more than a minute is thrown at once. An error whose wait would pass
 * `maxTotalMs` is thrown.
 */
export async function withRetries<T>(attempt: () => Promise<T>, p: RetryLimits): Promise<T> {
  const begun = p.runtime.monotonic();
  for (let made = 1; ; made++) {
    try {
      return await attempt();
    } catch (error) {
      if (made >= p.maxAttempts || p.signal?.aborted || !isRepeatable(error)) throw error;
      const { retryAfterMs } = error;
      if (retryAfterMs !== undefined && retryAfterMs > LONGEST_RETRY_AFTER_MS) throw error;
      const first = error.code === 'MODEL_OVERLOADED' ? FIRST_WAIT_OVERLOADED_MS : FIRST_WAIT_MS;
      const longestMs = Math.min(first * 2 ** (made - 1), LONGEST_WAIT_MS);
      const share = p.runtime.random();
      const waitMs = retryAfterMs === undefined ? ((1 + share) / 2) * longestMs : retryAfterMs + share * FIRST_WAIT_MS;
      const endsMs = p.runtime.monotonic() - begun + waitMs;
      if (p.maxTotalMs !== undefined && endsMs > p.maxTotalMs) throw error;
      await p.runtime.sleep(waitMs, p.signal);
    }
  }
}

function isRepeatable(error: unknown): error is TholeError {
  return TholeError.is(error) && error.retryable && error.details?.['endedBy'] !== 'client';
}
