import type { Run } from '@thole/runner';
import type { HandlerContext } from '../handler-context.ts';

/**
 * Aborts a run when its client disconnects before the response, unless runs continue without their clients. With
 * `endsWithClient` the run is always aborted. Returns a function that stops watching. Watching starts after the current microtasks,
 * because a run without I/O is finished then, and creating the request's signal takes longer than such a run.
 */
export function abortOnDisconnect(
  run: Run,
  p: { context: HandlerContext; request: Request },
  { endsWithClient = false }: { endsWithClient?: boolean | undefined } = {},
): () => void {
  const { onDisconnect, runtime } = p.context;
  if (onDisconnect === 'continue' && !endsWithClient) return noop;
  let isStopped = false;
  let signal: AbortSignal | undefined;
  const abort = (): void => run.abort('The client has disconnected.');
  const watch = (): void => {
    if (isStopped) return;
    signal = p.request.signal;
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
  };
  if (runtime.afterMicrotasks) void runtime.afterMicrotasks().then(watch);
  else watch();
  return () => {
    isStopped = true;
    signal?.removeEventListener('abort', abort);
  };
}

function noop(): void {}
