import { ClientError } from './client-error.ts';
import type { ClientRuntime } from './client-options.ts';

/** Options of `withTimeout`. */
export interface TimeoutOptions {
  runtime: ClientRuntime;
  signal: AbortSignal | undefined;
  /** `Infinity` means no limit. */
  ms: number;
  timeoutError: () => ClientError;
}

/**
 * Returns the result of `work`. Rejects with `ABORTED` when the signal is aborted, and with `timeoutError` after `ms`
 * milliseconds, even if `work` does not end. `work` does not start if the signal is already aborted.
 */
export function withTimeout<T>(
  { runtime, signal, ms, timeoutError }: TimeoutOptions,
  work: () => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(abortedError(signal?.reason));
    if (signal?.aborted) return abort();
    const cancel = ms < Infinity ? runtime.timer(ms, () => reject(timeoutError())) : undefined;
    signal?.addEventListener('abort', abort);
    work()
      .then(resolve, reject)
      .finally(() => {
        cancel?.();
        signal?.removeEventListener('abort', abort);
      });
  });
}

/** Returns the error `ABORTED` with the signal's reason as its cause. */
export function abortedError(cause: unknown): ClientError {
  return new ClientError('The caller aborted the call.', { code: 'ABORTED', cause });
}
