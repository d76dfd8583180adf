import { ClientError } from './client-error.ts';
import type { ClientRuntime } from './client-options.ts';

/** Whom a wait listens to, how long it lasts, and what is thrown then. */
export interface Limits {
  runtime: ClientRuntime;
  signal: AbortSignal | undefined;
  ms: number;
  late: () => ClientError;
}

/**
 * What `work` answers, unless the signal (`ABORTED`) or the limit comes first: then the work is let go, also one that listens to
 * nothing. It is not begun where the signal is aborted already.
 */
export function within<T>({ runtime, signal, ms, late }: Limits, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(aborted(signal?.reason));
    if (signal?.aborted) return abort();
    const cancel = ms < Infinity ? runtime.timer(ms, () => reject(late())) : undefined;
    signal?.addEventListener('abort', abort);
    work()
      .then(resolve, reject)
      .finally(() => {
        cancel?.();
        signal?.removeEventListener('abort', abort);
      });
  });
}

/** `ABORTED`, with the signal's reason as its cause. */
export function aborted(cause: unknown): ClientError {
  return new ClientError('The caller aborted it.', { code: 'ABORTED', cause });
}
