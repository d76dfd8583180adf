/** Node's `fetch` (undici) sends each request through the dispatcher under the key of its version. */
const DISPATCHER_KEY = Symbol.for('undici.globalDispatcher.2');
const OLD_DISPATCHER_KEY = Symbol.for('undici.globalDispatcher.1');

interface Dispatcher {
  dispatch(options: object, handler: object): boolean;
}

/**
 * Sends each request through the dispatcher of the process, including a proxy, without Node's limits of 300 s to the
 * first byte and between two bytes. There is no other way to turn off these limits, which would end a call before
 * `timeoutMs`.
 */
const withoutLimits: Dispatcher = {
  dispatch(options, handler) {
    const dispatchers = globalThis as unknown as { readonly [key: symbol]: Dispatcher | undefined };
    // Handlers of undici 8 and newer have methods that the older dispatcher does not know.
    const current = 'onRequestStart' in handler ? dispatchers[DISPATCHER_KEY] : undefined;
    const dispatcher = current ?? dispatchers[OLD_DISPATCHER_KEY]!;
    return dispatcher.dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler);
  },
};

/** The platform's `fetch` without its own time limits. Platforms other than Node ignore the dispatcher. */
export const platformFetch: typeof globalThis.fetch = (input, init) =>
  globalThis.fetch(input, { dispatcher: withoutLimits, ...init } as RequestInit);

/** True if the error is, or is caused by, a time limit of undici. A `fetch` function of the caller may have such limits. */
export function isPlatformTimeout(error: unknown): boolean {
  let each = error as { code?: unknown; cause?: unknown } | null | undefined;
  for (let depth = 0; depth < 5 && typeof each === 'object' && each !== null; depth++) {
    if (each.code === 'UND_ERR_HEADERS_TIMEOUT' || each.code === 'UND_ERR_BODY_TIMEOUT') return true;
    each = each.cause as typeof each;
  }
  return false;
}
