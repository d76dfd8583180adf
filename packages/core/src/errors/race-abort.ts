import { TholeError } from './thole-error.ts';

/** The promise's value, unless the signal is aborted first: then `onAbort(reason)` is thrown and the promise is let go. */
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
    // What is in memory is there by then, and a listener costs more than it.
    queueMicrotask(() => {
      if (isSettled) return;
      if (signal.aborted) return abort();
      isListening = true;
      signal.addEventListener('abort', abort, { once: true });
    });
  });
}

/**
 * For writes: as `orAborted`, but the error is `STORE_OUTCOME_UNKNOWN` with the signal's reason as its cause, because what was
 * asked for may have happened or may happen yet.
 */
export function raceAbortWrite<T>(writing: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return raceAbort(
    writing,
    signal,
    (cause) =>
      new TholeError('STORE_OUTCOME_UNKNOWN', 'The wait ended before the store had answered; it may have happened.', {
        cause,
      }),
  );
}
