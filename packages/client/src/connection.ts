import { queryString } from './request-path.ts';
import type { Query } from './request-path.ts';
import { assertClientOptions, assertMs, invalid } from './assert-client-options.ts';
import type { ClientCallOptions } from './client.ts';
import { ClientError } from './client-error.ts';
import type { ClientHeaders, ClientOptions, ClientRuntime } from './client-options.ts';
import { toClientError } from './to-client-error.ts';
import { withTimeout } from './with-timeout.ts';
import { systemRuntime } from './runtime/system-runtime.ts';

/** Options of one request. The default method is POST with a body, otherwise GET. */
export interface RequestOptions {
  call: ClientCallOptions | undefined;
  method?: string | undefined;
  query?: Query | undefined;
  body?: object | undefined;
  headers?: ClientHeaders | undefined;
}

/** Sends a request and returns the JSON of the response. Its type is not verified. */
export type RequestJson = <T>(path: string, options: RequestOptions) => Promise<T>;

/** Sends a request whose response has no content. */
export type RequestVoid = (path: string, options: RequestOptions) => Promise<void>;

/** Sends requests. All failures are `ClientError`s. */
export class Connection {
  // `declare` saves bytes: fields without it are also set to undefined before the constructor sets them.
  declare readonly options: ClientOptions;
  declare readonly runtime: ClientRuntime;
  readonly #baseUrl: string;

  constructor(options: ClientOptions) {
    assertClientOptions(options);
    this.options = options;
    this.runtime = options.runtime ?? systemRuntime();
    this.#baseUrl = `${options.baseUrl}`.replace(/\/+$/, '');
  }

  readonly requestJson: RequestJson = async <T>(path: string, options: RequestOptions): Promise<T> => {
    const controller = new AbortController();
    try {
      return await this.withCallTimeout(options.call, async () => {
        const response = await this.fetch(path, options, controller.signal);
        const text = await response.text().catch((cause: unknown) => {
          throw unreachable(path, cause);
        });
        try {
          return (text && JSON.parse(text)) as T;
        } catch (cause) {
          throw new ClientError(`The response to ${path} is not JSON.`, { code: 'INVALID_RESPONSE', cause });
        }
      });
    } finally {
      // Ends a pending request; has no effect on a finished one.
      controller.abort();
    }
  };

  readonly requestVoid: RequestVoid = async (path, options) => void (await this.requestJson(path, options));

  /** Runs `work` with the time limit and the signal of a call. */
  async withCallTimeout<T>(call: ClientCallOptions | undefined, work: () => Promise<T>): Promise<T> {
    const ms = call?.timeoutMs ?? this.options.timeoutMs ?? 60_000;
    assertMs('timeoutMs', ms);
    const timeoutError = (): ClientError =>
      new ClientError(`The server did not answer within ${ms} ms.`, { code: 'TIMEOUT', retryable: true });
    return withTimeout({ runtime: this.runtime, signal: call?.signal, ms, timeoutError }, work);
  }

  /** Returns a successful response with its body unread. */
  async fetch(path: string, options: Omit<RequestOptions, 'call'>, signal: AbortSignal): Promise<Response> {
    const { headers, credentials, fetch = globalThis.fetch } = this.options;
    const { body, method = body ? 'POST' : 'GET' } = options;
    const text = body && toJson(body);
    let isSent = false;
    let response: Response;
    try {
      const callerHeaders = typeof headers === 'function' ? await headers() : headers;
      isSent = true;
      response = await fetch(this.#baseUrl + path + queryString(options.query), {
        method,
        headers: { ...(text && { 'content-type': 'application/json' }), ...options.headers, ...callerHeaders },
        ...(text && { body: text }),
        ...(credentials && { credentials }),
        cache: 'no-store',
        signal,
      });
    } catch (cause) {
      if (isSent) throw unreachable(path, cause);
      throw invalid('headers() failed.', { retryable: true, cause });
    }
    if (!response.ok) throw await toClientError(path, response, this.runtime.now());
    return response;
  }
}

function toJson(body: object): string {
  try {
    return JSON.stringify(body);
  } catch (cause) {
    throw invalid('The body must be JSON.', { cause });
  }
}

// The message contains only the path, because the query may contain a user's text.
function unreachable(path: string, cause: unknown): ClientError {
  return new ClientError(`No response arrived for ${path}.`, { code: 'UNREACHABLE', retryable: true, cause });
}
