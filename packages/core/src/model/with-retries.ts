import { TholeError } from '../errors/thole-error.ts';
import type { Runtime } from '../runtime/runtime.ts';

const FIRST_WAIT_MS = 500;
/** A server that says that it is overloaded needs seconds, not fractions of one. */
const FIRST_WAIT_OVERLOADED_MS = 4000;
const LONGEST_WAIT_MS = 8000;
/** A server that wants to be left alone for longer is not waited for: the caller has to know. */
const LONGEST_RETRY_AFTER_MS = 60_000;

/** How often and for how long `withRetries` tries. */
export interface RetryLimits {
  /** Number of attempts in all. */
  readonly maxAttempts: number;
  /** Time from the first attempt within which another one may begin, in milliseconds. Default: no limit. */
  readonly maxTotalMs?: number | undefined;
  readonly runtime: Runtime;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Returns the attempt's value. An attempt that fails with a `retryable` error is made again, unless this side ended it by a
 * time limit: the server may still work on that answer, and bill it. The wait is random, between half of and the whole of
 * 0.5 s, 1 s, 2 s, 4 s, 8 s; after `MODEL_OVERLOADED` of 4 s, 8 s. If the error has `retryAfterMs`, the wait is that long and up to
 * 0.5 s more, and an error with more than a minute is thrown at once. An error whose wait would pass `maxTotalMs` is thrown.
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
