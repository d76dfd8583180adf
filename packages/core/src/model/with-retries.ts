import { TholeError } from '../errors/thole-error.ts';
import type { Runtime } from '../runtime/runtime.ts';

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 20_000;
/** A server that wants to be left alone for longer is not waited for: the caller has to know. */
const LONGEST_RETRY_AFTER_MS = 60_000;

/**
 * The attempt's value. An attempt that fails with an error that is `retryable` is made again, `maxAttempts` in all. The wait
 * between two is drawn evenly from nothing up to 0.5 s, 1 s, 2 s … 20 s ("full jitter"); where the error has `retryAfterMs`
 * it is that long and up to 0.5 s more, and one of over a minute is thrown at once.
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  p: { maxAttempts: number; runtime: Runtime; signal?: AbortSignal | undefined },
): Promise<T> {
  for (let made = 1; ; made++) {
    try {
      return await attempt();
    } catch (error) {
      if (made >= p.maxAttempts || p.signal?.aborted || !TholeError.is(error) || !error.retryable) throw error;
      const { retryAfterMs } = error;
      if (retryAfterMs !== undefined && retryAfterMs > LONGEST_RETRY_AFTER_MS) throw error;
      const jitterMs = Math.min(FIRST_WAIT_MS * 2 ** (made - 1), LONGEST_WAIT_MS);
      const waitMs =
        retryAfterMs === undefined ? p.runtime.random() * jitterMs : retryAfterMs + p.runtime.random() * FIRST_WAIT_MS;
      await p.runtime.sleep(waitMs, p.signal);
    }
  }
}
