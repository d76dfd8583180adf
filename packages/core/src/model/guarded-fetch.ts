import { TholeError } from '../errors/thole-error.ts';
import { raceAbort } from '../errors/race-abort.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { isPlatformTimeout } from './platform-fetch.ts';
import { SilenceLimit } from './silence-limit.ts';

/** An answer with an error status. */
export interface RefusedAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON, or the text if it is not JSON; at most the first 64 KB. */
  readonly body: unknown;
}

/** Time limits and error handling of `guardedFetch`. */
export interface FetchGuard {
  readonly fetch: typeof globalThis.fetch;
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly runtime: Runtime;
  /** Returns the error for an answer with an error status. */
  readonly refuse: (answer: RefusedAnswer) => TholeError;
}

/**
 * Returns a `fetch` for a provider's SDK with time limits. Throws `MODEL_TIMEOUT` and closes the connection if the
 * answer does not begin within `timeoutMs`, or is silent for `idleTimeoutMs` while it is read. For an error status
 * it throws the error of `refuse`, so that the SDK does not hide status and headers. The header `x-should-retry` sets
 * `retryable`. A time limit of `fetch` itself also becomes `MODEL_TIMEOUT`.
 */
export function guardedFetch(guard: FetchGuard): typeof globalThis.fetch {
  return async (input, init) => {
    const timeout = new AbortController();
    const limit = new SilenceLimit(guard.runtime, (ms) => timeout.abort(timeoutError(ms)));
    const callerSignal = init?.signal ?? (input as { signal?: AbortSignal }).signal;
    const signal = callerSignal ? AbortSignal.any([callerSignal, timeout.signal]) : timeout.signal;
    limit.wait(guard.timeoutMs);
    try {
      const response = await raceAbort(guard.fetch(input, { ...init, signal }), signal);
      limit.received();
      const guarded = guardBody(response, guard.idleTimeoutMs, limit, signal);
      if (guarded.ok) return guarded;
      const { status, headers } = guarded;
      throw applyShouldRetry(guard.refuse({ status, headers, body: await readRefusal(guarded, signal) }), headers);
    } catch (error) {
      limit.end();
      throw timeout.signal.aborted
        ? timeout.signal.reason
        : isPlatformTimeout(error)
          ? fetchTimeoutError(error)
          : error;
    }
  };
}

// The message avoids the word "time-out": SDKs search messages for it and would throw their own error.
const timeoutError = (ms: number): TholeError =>
  new TholeError('MODEL_TIMEOUT', `The provider's server sent nothing for ${ms} ms.`, { details: ENDED_HERE });

const fetchTimeoutError = (cause: unknown): TholeError =>
  new TholeError(
    'MODEL_TIMEOUT',
    "The provider's server sent nothing for longer than a time limit of the fetch function.",
    {
      details: ENDED_HERE,
      cause,
    },
  );

/** Distinguishes a wait that this client ended from a status such as 504: the server may still work on the answer. */
const ENDED_HERE = { endedBy: 'client' };

function applyShouldRetry(error: TholeError, headers: Headers): TholeError {
  const shouldRetry = headers.get('x-should-retry');
  if (shouldRetry !== 'true' && shouldRetry !== 'false') return error;
  const { code, message, retryAfterMs, status, details, cause } = error;
  const retryable = shouldRetry === 'true';
  return new TholeError(code, message, {
    retryable,
    retryAfterMs,
    status,
    details,
    ...(cause !== undefined && { cause }),
  });
}

function guardBody(response: Response, idleMs: number, limit: SilenceLimit, signal: AbortSignal): Response {
  if (!response.body) {
    limit.end();
    return response;
  }
  const reader = response.body.getReader();
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  // While the combined signal has a listener, Node keeps it in memory, and the response with it.
  const end = (): void => {
    limit.end();
    signal.removeEventListener('abort', abort);
  };
  // For a body that does not end when its signal is aborted.
  const abort = (): void => {
    end();
    controller.error(signal.reason);
    reader.cancel(signal.reason).catch(noop);
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start(own) {
        controller = own;
        if (signal.aborted) abort();
        else signal.addEventListener('abort', abort, { once: true });
      },
      // The limit applies only while a read waits: a slow reader does not mean a silent server. Not an async function,
      // because it is called for each chunk.
      pull() {
        limit.wait(idleMs);
        return reader.read().then(
          ({ done, value }) => {
            limit.received();
            if (signal.aborted) return;
            if (!done) return controller.enqueue(value);
            end();
            controller.close();
          },
          (error: unknown) => {
            end();
            if (!signal.aborted) throw isPlatformTimeout(error) ? fetchTimeoutError(error) : error;
          },
        );
      },
      async cancel(reason) {
        end();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}

const MAX_REFUSAL_BYTES = 65_536;

/** Returns the body of a refusal. If the connection breaks, returns the part that has arrived. */
async function readRefusal(response: Response, signal: AbortSignal): Promise<unknown> {
  let text = '';
  let leftBytes = MAX_REFUSAL_BYTES;
  const decoder = new TextDecoder();
  try {
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk.subarray(0, leftBytes), { stream: true });
      leftBytes -= chunk.length;
      if (leftBytes <= 0) break;
    }
  } catch {
    signal.throwIfAborted();
  }
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function noop(): void {}
