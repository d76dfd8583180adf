import { TholeError } from '../errors/thole-error.ts';
import { raceAbort } from '../errors/race-abort.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { isPlatformTimeout } from './platform-fetch.ts';
import { SilenceLimit } from './silence-limit.ts';

/** An answer with a status that is no success. */
export interface RefusedAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** What its JSON holds, or its text where it is none; at most its first 64 KB. */
  readonly body: unknown;
}

/** What `guardedFetch` guards, and by which limits. */
export interface FetchGuard {
  readonly fetch: typeof globalThis.fetch;
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly runtime: Runtime;
  /** What an answer that is no success throws. */
  readonly refuse: (answer: RefusedAnswer) => TholeError;
}

/**
 * A `fetch` for a provider's SDK that does not wait for ever: `MODEL_TIMEOUT` where the answer does not begin within
 * `timeoutMs`, or falls silent for `idleTimeoutMs` while somebody reads it; the connection is closed then. An answer that is
 * no success is thrown as what `refuse` makes of it, so that status and headers get past the SDK; its header `x-should-retry`
 * decides whether it is `retryable`. A time limit of `fetch` itself is `MODEL_TIMEOUT` as well.
 */
export function guardedFetch(guard: FetchGuard): typeof globalThis.fetch {
  return async (input, init) => {
    const late = new AbortController();
    const limit = new SilenceLimit(guard.runtime, (ms) => late.abort(tooLate(ms)));
    const callers = init?.signal ?? (input as { signal?: AbortSignal }).signal;
    const signal = callers ? AbortSignal.any([callers, late.signal]) : late.signal;
    limit.wait(guard.timeoutMs);
    try {
      const response = await raceAbort(guard.fetch(input, { ...init, signal }), signal);
      limit.heard();
      const guarded = guardBody(response, guard.idleTimeoutMs, limit, signal);
      if (guarded.ok) return guarded;
      const { status, headers } = guarded;
      throw asToldToRetry(guard.refuse({ status, headers, body: await readRefusal(guarded, signal) }), headers);
    } catch (error) {
      limit.end();
      throw late.signal.aborted ? late.signal.reason : isPlatformTimeout(error) ? tooLateForFetch(error) : error;
    }
  };
}

// No word of "time-out": SDKs read messages, and would put an error of their own in its place.
const tooLate = (ms: number): TholeError =>
  new TholeError('MODEL_TIMEOUT', `The provider's server was silent for ${ms} ms.`, { details: ENDED_HERE });

const tooLateForFetch = (cause: unknown): TholeError =>
  new TholeError(
    'MODEL_TIMEOUT',
    "The provider's server was silent for longer than a limit of the fetch that is used.",
    {
      details: ENDED_HERE,
      cause,
    },
  );

/** Tells a wait that this side ended from a status such as 504: the server may still be at work on the answer. */
const ENDED_HERE = { endedBy: 'client' };

function asToldToRetry(error: TholeError, headers: Headers): TholeError {
  const told = headers.get('x-should-retry');
  if (told !== 'true' && told !== 'false') return error;
  const { code, message, retryAfterMs, status, details, cause } = error;
  const retryable = told === 'true';
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
  const body = new ReadableStream<Uint8Array>(
    {
      // For a body that does not listen to its signal.
      start(controller) {
        const abort = (): void => {
          controller.error(signal.reason);
          reader.cancel(signal.reason).catch(noop);
        };
        if (signal.aborted) abort();
        else signal.addEventListener('abort', abort, { once: true });
      },
      // Only while somebody reads: a reader that takes its time is not a silent server. Once a piece: so no async function.
      pull(controller) {
        limit.wait(idleMs);
        return reader.read().then(
          ({ done, value }) => {
            limit.heard();
            if (signal.aborted) return;
            if (!done) return controller.enqueue(value);
            limit.end();
            controller.close();
          },
          (error: unknown) => {
            limit.end();
            if (!signal.aborted) throw isPlatformTimeout(error) ? tooLateForFetch(error) : error;
          },
        );
      },
      async cancel(reason) {
        limit.end();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}

const MAX_REFUSAL_BYTES = 65_536;

/** What came of it counts, should its connection break: the status says more than that. */
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
