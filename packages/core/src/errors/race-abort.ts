import { TholeError } from './thole-error.ts';

/**
 * Returns the promise's value. Throws `onAbort(reason)` if the signal is aborted first; the promise is then ignored.
 */
export function raceAbort<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
  onAbort: (reason: unknown) => unknown = (reason) => reason,
): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    let isListening = false;
    let isSettled = false;
    const abort = (): void => reject(onAbort(signal.reason) as Error);
    const settle = (): void => {
      isSettled = true;
      if (isListening) signal.removeEventListener('abort', abort);
    };
    if (signal.aborted) abort();
    promise.then(
      (value) => {
        settle();
        resolve(value);
      },
      (error: unknown) => {
        settle();
        reject(error as Error);
      },
    );
    // In-memory work has finished before this microtask, and a listener would cost more than that work.
    queueMicrotask(() => {
      if (isSettled) return;
      if (signal.aborted) return abort();
      isListening = true;
      signal.addEventListener('abort', abort, { once: true });
    });
  });
}

/**
 * Like `raceAbort`, for writes: throws `STORE_OUTCOME_UNKNOWN` with the signal's reason as its cause, because
 * the write may have taken effect or may do so later.
 */
export function raceAbortWrite<T>(writing: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return raceAbort(
    writing,
    signal,
    (cause) =>
      new TholeError(
        'STORE_OUTCOME_UNKNOWN',
        'The wait ended before the store answered. The write may have been done.',
        {
          cause,
        },
      ),
  );
}
