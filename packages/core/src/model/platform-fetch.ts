/** Node's `fetch` (undici) sends each request through the dispatcher under the key of its version. */
const DISPATCHER_KEY = Symbol.for('undici.globalDispatcher.2');
const OLD_DISPATCHER_KEY = Symbol.for('undici.globalDispatcher.1');

interface Dispatcher {
  dispatch(options: object, handler: object): boolean;
}

/**
 * Sends each request through the process's own dispatcher, a proxy included, without Node's limits of 300 s to the first
 * byte and between two bytes. They cannot be set otherwise, and they would end a call before `timeoutMs` does.
 */
const withoutLimits: Dispatcher = {
  dispatch(options, handler) {
    const all = globalThis as unknown as { readonly [key: symbol]: Dispatcher | undefined };
    // Handlers of undici 8 and newer have other methods than the older dispatcher knows.
    const current = 'onRequestStart' in handler ? all[DISPATCHER_KEY] : undefined;
    const dispatcher = current ?? all[OLD_DISPATCHER_KEY]!;
    return dispatcher.dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler);
  },
};

/** The platform's `fetch`, without time limits of its own. Other platforms than Node ignore the dispatcher. */
export const platformFetch: typeof globalThis.fetch = (input, init) =>
  globalThis.fetch(input, { dispatcher: withoutLimits, ...init } as RequestInit);

/** Returns true if the error is, or is caused by, one of undici's time limits. A `fetch` of the caller's may have them. */
export function isPlatformTimeout(error: unknown): boolean {
  let each = error as { code?: unknown; cause?: unknown } | null | undefined;
  for (let depth = 0; depth < 5 && typeof each === 'object' && each !== null; depth++) {
    if (each.code === 'UND_ERR_HEADERS_TIMEOUT' || each.code === 'UND_ERR_BODY_TIMEOUT') return true;
    each = each.cause as typeof each;
  }
  return false;
}
