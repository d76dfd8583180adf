import { TholeError } from '../errors/thole-error.ts';
import { raceAbort } from '../errors/race-abort.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { systemRuntime } from '../runtime/system-runtime.ts';
import { carry, findCarried } from './carried-error.ts';
import type { ConnectionOptions, RetryOptions } from './connection-options.ts';
import { guardedFetch } from './guarded-fetch.ts';
import type { RefusedAnswer } from './guarded-fetch.ts';
import { platformFetch } from './platform-fetch.ts';
import { ProviderStream } from './provider-stream.ts';
import { redact, redactJson } from './redact.ts';
import { withRetries } from './with-retries.ts';

const TIMEOUT_MS = 600_000;
const IDLE_TIMEOUT_MS = 300_000;
const MAX_ATTEMPTS = 3;

/** A provider's table of errors. */
export interface ErrorTable {
  /** Of an answer with a status that is no success; `now` is in seconds, for `readRetryAfter`. */
  refuse(answer: RefusedAnswer, now: number): TholeError;
  /**
   * Of what the SDK threw for another reason: `asking` before the answer began, `reading` within it. A connection that broke is
   * `MODEL_UNAVAILABLE` in the one case, `MODEL_INCOMPLETE` in the other.
   */
  explain(error: unknown, when: 'asking' | 'reading'): TholeError;
}

/**
 * What a provider's SDK is called through: time limits, retries (the SDK's own are to be off), an abort that closes the socket,
 * errors of ours, and no secret in any of them. Aborting the caller's signal rejects with its reason.
 */
export class ProviderConnection {
  /** For the SDK. */
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
      fetch: options.fetch ?? platformFetch,
      timeoutMs,
      idleTimeoutMs,
      runtime,
      refuse: (answer) => table.refuse(answer, runtime.now()),
    });
    this.fetch = async (input, init) => {
      try {
        return await fetch(input, init);
      } catch (error) {
        throw TholeError.is(error) ? carry(error) : error;
      }
    };
  }

  /** Hides a secret that is not among the options, such as a token that was made for a call, in errors. Keeps the newest four. */
  hide(secret: string): void {
    if (!this.#laterSecrets.includes(secret)) this.#laterSecrets = [secret, ...this.#laterSecrets].slice(0, 4);
  }

  /** A call whose answer comes as a whole. `send` gives the signal to the SDK. */
  async send<T>(send: (signal: AbortSignal) => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const over = new AbortController();
    try {
      return await this.#ask(send, signal, over);
    } finally {
      over.abort();
    }
  }

  /** A call whose answer is read piece by piece. Leaving the loop closes the connection. */
  stream<T, R>(
    open: (signal: AbortSignal) => Promise<T>,
    read: (answer: T) => AsyncIterable<R>,
    signal: AbortSignal | undefined,
  ): AsyncIterableIterator<R, undefined> {
    const over = new AbortController();
    return new ProviderStream<R>({
      open: async () => read(await this.#ask(open, signal, over))[Symbol.asyncIterator](),
      explain: (error) => this.#clean(findCarried(error) ?? this.#table.explain(error, 'reading')),
      throwIfEnded: () => signal?.throwIfAborted(),
      close: () => over.abort(),
    });
  }

  #ask<T>(
    send: (signal: AbortSignal) => Promise<T>,
    signal: AbortSignal | undefined,
    over: AbortController,
  ): Promise<T> {
    const attempt = async (): Promise<T> => {
      signal?.throwIfAborted();
      try {
        const either = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
        return await raceAbort(send(either), signal);
      } catch (error) {
        signal?.throwIfAborted();
        throw this.#clean(findCarried(error) ?? this.#table.explain(error, 'asking'));
      }
    };
    const { maxAttempts = MAX_ATTEMPTS, maxTotalMs } = this.#retry;
    return withRetries(attempt, { maxAttempts, maxTotalMs, runtime: this.runtime, signal });
  }

  /** The error without secrets; its cause keeps name and message alone, since an SDK's error may hold the request. */
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
  const told = [...Object.entries(headers), ...(url?.searchParams ?? [])].filter(([name]) => SECRET_NAME.test(name));
  const values = told.flatMap(([, value]) => [value, value.replace(/^\w+ /, '')]);
  return [apiKey, url?.password ?? '', ...values].map((each) => each.trim());
}
