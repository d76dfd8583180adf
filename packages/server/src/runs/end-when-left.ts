import type { Run } from '@thole/runner';
import type { HandlerContext } from '../handler-context.ts';

/**
 * Ends a run whose client goes before it is answered, unless runs outlive their clients here; answers how to stop watching. What needs
 * nothing of the world is over within this turn of the event loop, and a signal costs more than it: the client is watched from the next on.
 */
export function endWhenLeft(run: Run, p: { house: HandlerContext; request: Request }): () => void {
  const { onDisconnect, runtime } = p.house;
  if (onDisconnect === 'continue') return noop;
  let isOver = false;
  let signal: AbortSignal | undefined;
  const leave = (): void => run.abort('The client is gone.');
  const watch = (): void => {
    if (isOver) return;
    signal = p.request.signal;
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
  };
  if (runtime.afterMicrotasks) void runtime.afterMicrotasks().then(watch);
  else watch();
  return () => {
    isOver = true;
    signal?.removeEventListener('abort', leave);
  };
}

function noop(): void {}
