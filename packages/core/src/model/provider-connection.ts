import { TholeError } from '../errors/thole-error.ts';
import { raceAbort } from '../errors/race-abort.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { systemRuntime } from '../runtime/system-runtime.ts';
import { findWrapped, wrapError } from './wrapped-error.ts';
import type { ConnectionOptions, RetryOptions } from './connection-options.ts';
import { guardedFetch } from './guarded-fetch.ts';
import type { RefusedAnswer } from './guarded-fetch.ts';
import { platformFetch } from './platform-fetch.ts';
import { ProviderStream } from './provider-stream.ts';
import { redact, redactJson } from '../errors/redact.ts';
import { setAttempts, withRetries } from './with-retries.ts';
import { withoutRedirects } from './without-redirects.ts';

const TIMEOUT_MS = 600_000;
const IDLE_TIMEOUT_MS = 300_000;
const MAX_ATTEMPTS = 3;

/** Error mapping of a provider. */
export interface ErrorTable {
  /** Returns the error for an answer with an error status. `now` is in seconds since the epoch, for `readRetryAfter`. */
  refuse(answer: RefusedAnswer, now: number): TholeError;
  /**
   * Returns the error for any other error that the SDK threw. `when` is `sending` before the answer began, and `reading` after
   * that. A broken connection is `MODEL_UNAVAILABLE` in the first case, `MODEL_INCOMPLETE` in the second.
   */
  explain(error: unknown, when: 'sending' | 'reading'): TholeError;
}

/**
 * Wraps all calls of a provider's SDK. It adds time limits and retries (turn off the SDK's own retries), closes the socket
 * after an abort, and throws only `TholeError`s, without secrets. Aborting the caller's signal rejects with its reason.
 */
export class ProviderConnection {
  /** The `fetch` to pass to the SDK. */
  readonly fetch: typeof globalThis.fetch;
  readonly runtime: Runtime;
  readonly #table: ErrorTable;
  readonly #retry: RetryOptions;
  readonly #secrets: readonly string[];
  #laterSecrets: readonly string[] = [];

  constructor(options: ConnectionOptions, table: ErrorTable) {
    const { timeoutMs = TIMEOUT_MS, idleTimeoutMs = IDLE_TIMEOUT_MS, retry, runtime = systemRuntime() } = options;
    this.runtime = runtime;
    this.#table = table;
    this.#retry = retry === false ? { maxAttempts: 1 } : (retry ?? {});
    this.#secrets = secretsIn(options);
    const fetch = guardedFetch({
      fetch: withoutRedirects(options.fetch ?? platformFetch),
      timeoutMs,
      idleTimeoutMs,
      runtime,
      refuse: (answer) => table.refuse(answer, runtime.now()),
    });
    this.fetch = async (input, init) => {
      try {
        return await fetch(input, init);
      } catch (error) {
        throw TholeError.is(error) ? wrapError(error) : error;
      }
    };
  }

  /**
   * Hides a further secret in errors, such as a token created for one call. Secrets in the options are always hidden. Keeps
   * the newest four.
   */
  hide(secret: string): void {
    if (!this.#laterSecrets.includes(secret)) this.#laterSecrets = [secret, ...this.#laterSecrets].slice(0, 4);
  }

  /** Makes a call whose answer is not streamed. `send` must pass the signal to the SDK. */
  async send<T>(send: (signal: AbortSignal) => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const callEnd = new AbortController();
    try {
      return await this.#sendWithRetries(send, signal, callEnd);
    } finally {
      callEnd.abort();
    }
  }

  /** Makes a call whose answer is streamed. Leaving the loop over the result closes the connection. */
  stream<T, R>(
    open: (signal: AbortSignal) => Promise<T>,
    read: (answer: T) => AsyncIterable<R>,
    signal: AbortSignal | undefined,
  ): AsyncIterableIterator<R, undefined> {
    const callEnd = new AbortController();
    return new ProviderStream<R>({
      open: async () => read(await this.#sendWithRetries(open, signal, callEnd))[Symbol.asyncIterator](),
      explain: (error) => this.#clean(findWrapped(error) ?? this.#table.explain(error, 'reading')),
      throwIfEnded: () => signal?.throwIfAborted(),
      close: () => callEnd.abort(),
    });
  }

  async #sendWithRetries<T>(
    send: (signal: AbortSignal) => Promise<T>,
    signal: AbortSignal | undefined,
    callEnd: AbortController,
  ): Promise<T> {
    let attempts = 0;
    let last: TholeError | undefined;
    const attempt = async (): Promise<T> => {
      signal?.throwIfAborted();
      attempts++;
      try {
        const anySignal = signal ? AbortSignal.any([signal, callEnd.signal]) : callEnd.signal;
        return await raceAbort(send(anySignal), signal);
      } catch (error) {
        signal?.throwIfAborted();
        throw (last = this.#clean(findWrapped(error) ?? this.#table.explain(error, 'sending')));
      }
    };
    const { maxAttempts = MAX_ATTEMPTS, maxTotalMs } = this.#retry;
    try {
      return await withRetries(attempt, { maxAttempts, maxTotalMs, runtime: this.runtime, signal });
    } catch (error) {
      throw error === last ? setAttempts(last!, attempts) : error;
    }
  }

  /**
   * Returns the error without secrets. Its cause keeps only name and message, because an SDK's error may contain
   * the request.
   */
  #clean(error: TholeError): TholeError {
    const { code, retryable, retryAfterMs, status, details, cause } = error;
    const secrets = [...this.#secrets, ...this.#laterSecrets];
    const clean = (text: string): string => redact(text, secrets);
    return new TholeError(code, clean(error.message), {
      retryable,
      retryAfterMs,
      status,
      details: details && redactJson(details, secrets),
      ...(cause !== undefined && { cause: withoutMembers(cause, clean) }),
    });
  }
}

function withoutMembers(cause: unknown, clean: (text: string) => string): Error {
  const { name, message } = cause instanceof Error ? cause : { name: 'Error', message: String(cause) };
  const kept = new Error(clean(message));
  kept.name = name;
  return kept;
}

const SECRET_NAME = /auth|key|token|secret|cookie|password/i;

function secretsIn({ apiKey = '', baseUrl, headers = {} }: ConnectionOptions): string[] {
  const url = baseUrl === undefined ? null : URL.parse(baseUrl);
  const named = [...Object.entries(headers), ...(url?.searchParams ?? [])].filter(([name]) => SECRET_NAME.test(name));
  const values = named.flatMap(([, value]) => [value, value.replace(/^\w+ /, '')]);
  return [apiKey, url?.password ?? '', ...values].map((each) => each.trim());
}
