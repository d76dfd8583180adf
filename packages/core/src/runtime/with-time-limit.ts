import { raceAbort } from '../errors/race-abort.ts';
import { linkSignals } from './link-signals.ts';
import type { Runtime } from './runtime.ts';

/** The limits of a piece of work. */
export interface TimeLimit {
  readonly runtime: Runtime;
  /** Time limit in milliseconds. */
  readonly ms: number;
  /** Returns the error with which the work ends at the time limit. */
  readonly timeoutError: () => unknown;
  /** Ends the work too, with its reason. Default: none. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Returns the result of `work`. Rejects when the time is over or the signal is aborted, even if the work does not end. The
 * signal that `work` receives is aborted then.
 */
export async function withTimeLimit<T>(
  { runtime, ms, timeoutError, signal }: TimeLimit,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const cancelTimer = runtime.timer(ms, () => limit.abort(timeoutError()));
  const linked = linkSignals(limit.signal, ...(signal ? [signal] : []));
  try {
    return await raceAbort(work(linked.signal), linked.signal);
  } finally {
    cancelTimer();
    linked.unlink();
  }
}
