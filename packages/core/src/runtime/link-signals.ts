/** A signal that follows other signals, and a function that ends this. */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  readonly unlink: () => void;
}

/**
 * Returns a signal that is aborted with the first of these signals, with its reason. Use it instead of `AbortSignal.any` for work of
 * others: Node keeps a result of `AbortSignal.any` in memory while it has a listener and a source exists, and not all tools, models
 * and stores remove their listeners.
 */
export function linkSignals(...sources: readonly AbortSignal[]): LinkedSignal {
  const linked = new AbortController();
  const abort = (): void => linked.abort(sources.find(({ aborted }) => aborted)!.reason);
  if (sources.some(({ aborted }) => aborted)) abort();
  else for (const each of sources) each.addEventListener('abort', abort, { once: true });
  const unlink = (): void => {
    for (const each of sources) each.removeEventListener('abort', abort);
  };
  return { signal: linked.signal, unlink };
}
