import { systemRuntime, TholeError } from '@thole/core';
import { guardedFetch, parseJson, raceAbort, withRetries, withTimeLimit } from '@thole/core/kit';
import type { JsonObject, Runtime } from '@thole/core';
import { AccessTokens, silentTokenServer } from './access-tokens.ts';
import type { GoogleOptions } from './google-options.ts';
import { httpStatusOf, mapGoogleError } from './map-google-error.ts';
import type { ProductNames } from './map-google-error.ts';

/** One request to Google's server. */
export interface GoogleRequest {
  /** Default: `GET`. */
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE' | undefined;
  url: string;
  /** Query parameters. Undefined parameters are left out. */
  query?: { readonly [name: string]: string | number | undefined } | undefined;
  /** Body as JSON, or bytes with their content type. */
  body?: JsonObject | { readonly bytes: Uint8Array; readonly contentType: string } | undefined;
  headers?: { readonly [name: string]: string } | undefined;
  /** True if the request changes nothing. Default: true for `GET`. */
  isRead?: boolean | undefined;
  /** True if a repeated request could do harm. Then the client retries only if nothing was done. */
  isUnrepeatable?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** Errors of connections on which the request was never sent. */
const NOT_SENT = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT)$/;

/** Sends requests to one product of Google, with credentials, time limits and retries. Its errors name the next step. */
export class GoogleClient {
  readonly runtime: Runtime;
  readonly maxAttempts: number;
  readonly #names: ProductNames;
  readonly #tokens: AccessTokens;
  readonly #fetch: typeof globalThis.fetch;
  readonly #timeoutMs: number;

  constructor(options: GoogleOptions, names: ProductNames) {
    const { fetch = globalThis.fetch, timeoutMs = 30_000, maxAttempts = 4, runtime = systemRuntime() } = options;
    this.runtime = runtime;
    this.maxAttempts = maxAttempts;
    this.#names = names;
    this.#tokens = new AccessTokens(options);
    this.#fetch = fetch;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Sends a request and returns the JSON of the answer. An empty answer is `{}`. Throws `STORE_OUTCOME_UNKNOWN` for another
   * answer to a write.
   */
  async json(request: GoogleRequest): Promise<JsonObject> {
    const { method = 'GET', isRead = method === 'GET' } = request;
    const text = new TextDecoder().decode(await this.bytes(request));
    if (text.trim() === '') return {};
    const value = parseJson(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
    const [code, outcome] = outcomeOf(!isRead);
    const expected = value === undefined ? 'JSON' : 'an object';
    throw new TholeError(code, `${this.#names.product} returned an answer that is not ${expected}.${outcome}`);
  }

  /** Returns the token of the page after `page`, which was read with `pageToken`. Throws `STORE_UNAVAILABLE` if it repeats. */
  nextPageToken(page: JsonObject, pageToken: string | undefined): string | undefined {
    const next = (page['nextPageToken'] as string | undefined) || undefined;
    if (next === undefined || next !== pageToken) return next;
    throw new TholeError('STORE_UNAVAILABLE', `${this.#names.product} returned the same page of a list again.`, {
      retryable: false,
    });
  }

  /** Sends a request and returns the body of the answer. */
  async bytes(request: GoogleRequest): Promise<Uint8Array> {
    const { isUnrepeatable = false, signal } = request;
    let unclear: unknown;
    const attempt = async (): Promise<{ bytes: Uint8Array } | { error: unknown }> => {
      try {
        return { bytes: await raceAbort(this.#send(request), signal) };
      } catch (error) {
        // The write may have been done, so the caller must find out first.
        if (isUnrepeatable && TholeError.is(error, 'STORE_OUTCOME_UNKNOWN')) return { error };
        const status = unclear === undefined ? undefined : httpStatusOf(error);
        // An earlier attempt, whose answer was lost, has deleted the resource, or may have created the object.
        if (status === 404 && request.method === 'DELETE') return { bytes: new Uint8Array() };
        if (status === 412) return { error: unclear };
        if (TholeError.is(error, 'STORE_OUTCOME_UNKNOWN')) unclear = error;
        throw error;
      }
    };
    const { runtime, maxAttempts } = this;
    const outcome = await withRetries(attempt, { maxAttempts, runtime, signal });
    if ('error' in outcome) throw outcome.error;
    return outcome.bytes;
  }

  async #send(request: GoogleRequest): Promise<Uint8Array> {
    try {
      return await this.#sendOnce(request, await this.#credentials());
    } catch (error) {
      if (!TholeError.is(error) || error.details?.['httpStatus'] !== 401) throw error;
      this.#tokens.discard();
      const credentials = await this.#credentials();
      if (credentials === undefined) throw error;
      return this.#sendOnce(request, credentials);
    }
  }

  // The library has no time limit for a silent token server or metadata server.
  #credentials(): ReturnType<AccessTokens['headers']> {
    const timeoutError = (): TholeError => {
      this.#tokens.discard();
      return silentTokenServer(this.#timeoutMs);
    };
    return withTimeLimit({ runtime: this.runtime, ms: this.#timeoutMs, timeoutError }, () => this.#tokens.headers());
  }

  async #sendOnce(request: GoogleRequest, credentials: GoogleRequest['headers']): Promise<Uint8Array> {
    const { method = 'GET', isRead = method === 'GET', body, headers, signal } = request;
    const isWrite = !isRead;
    const fetch = guardedFetch({
      fetch: this.#fetch,
      timeoutMs: this.#timeoutMs,
      idleTimeoutMs: this.#timeoutMs,
      runtime: this.runtime,
      refuse: (answer) => mapGoogleError(answer, this.#names, isWrite, this.runtime.now()),
    });
    const [contentType, content] = encodeBody(body);
    try {
      const answer = await fetch(urlOf(request), {
        method,
        headers: {
          ...(contentType !== undefined && { 'content-type': contentType }),
          ...credentials,
          ...headers,
        },
        ...(content !== undefined && { body: content as NonNullable<RequestInit['body']> }),
        ...(signal && { signal }),
      });
      return new Uint8Array(await answer.arrayBuffer());
    } catch (error) {
      signal?.throwIfAborted();
      throw this.#explain(error, isWrite);
    }
  }

  #explain(error: unknown, isWrite: boolean): unknown {
    const { product } = this.#names;
    const [code, outcome] = outcomeOf(isWrite);
    if (TholeError.is(error, 'MODEL_TIMEOUT'))
      return new TholeError(code, `${product} did not answer within ${this.#timeoutMs} ms.${outcome}`, {
        // Not retried: the caller already waited for the whole limit.
        details: { endedBy: 'client' },
        cause: error,
      });
    if (TholeError.is(error)) return error;
    const reason = reasonOf(error);
    if (!isWrite || NOT_SENT.test(reason))
      return new TholeError('STORE_UNAVAILABLE', `${product} cannot be reached: ${reason}.`, { cause: error });
    return new TholeError(code, `The connection to ${product} broke: ${reason}.${outcome}`, { cause: error });
  }
}

/** Returns the code of an error without a clear answer, and a sentence for its message. */
function outcomeOf(isWrite: boolean): readonly [code: string, sentence: string] {
  return isWrite ? ['STORE_OUTCOME_UNKNOWN', ' The write may have been done.'] : ['STORE_UNAVAILABLE', ''];
}

function encodeBody(
  body: GoogleRequest['body'],
): [contentType: string | undefined, content: string | Uint8Array | undefined] {
  if (body === undefined) return [undefined, undefined];
  if (body['bytes'] instanceof Uint8Array) return [body['contentType'] as string, body['bytes']];
  return ['application/json', JSON.stringify(body)];
}

function urlOf({ url, query = {} }: GoogleRequest): string {
  const full = new URL(url);
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) full.searchParams.set(name, String(value));
  return full.href;
}

/** Returns the system's code of a failed connection, such as ECONNREFUSED. */
function reasonOf(error: unknown): string {
  let each = error as { code?: unknown; cause?: unknown } | null | undefined;
  for (let depth = 0; depth < 5 && typeof each === 'object' && each !== null; depth++) {
    if (typeof each.code === 'string') return each.code;
    each = each.cause as typeof each;
  }
  return 'the connection failed';
}
