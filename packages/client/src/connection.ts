import { queryOf } from './address.ts';
import type { Query } from './address.ts';
import type { ClientCallOptions } from './client.ts';
import { ClientError } from './client-error.ts';
import type { ClientOptions, ClientRuntime } from './client-options.ts';
import { errorOf } from './error-of.ts';
import { within } from './within.ts';
import { systemRuntime } from './runtime/system-runtime.ts';

/** What is asked of a path: GET, or POST where there is a body, unless a method is named. */
export interface Asking {
  call: ClientCallOptions | undefined;
  method?: string | undefined;
  query?: Query | undefined;
  body?: object | undefined;
}

/** Asks the server and answers its JSON; the type is believed. */
export type Ask = <T>(path: string, asking: Asking) => Promise<T>;

/** Asks where the answer says nothing but that it is done. */
export type Tell = (path: string, asking: Asking) => Promise<void>;

/** Sends requests and turns whatever goes wrong into a `ClientError`. */
export class Connection {
  readonly options: ClientOptions;
  readonly runtime: ClientRuntime;
  readonly #baseUrl: string;

  constructor(options: ClientOptions) {
    if (typeof options?.baseUrl !== 'string')
      throw new ClientError('baseUrl must be a string.', { code: 'INVALID_INPUT' });
    this.options = options;
    this.runtime = options.runtime ?? systemRuntime();
    this.#baseUrl = options.baseUrl.replace(/\/+$/, '');
  }

  readonly ask: Ask = async <T>(path: string, asking: Asking): Promise<T> => {
    const controller = new AbortController();
    try {
      return await this.limited(asking.call, async () => {
        const response = await this.send(path, asking, controller.signal);
        const text = await response.text().catch((cause: unknown) => {
          throw unreachable(path, cause);
        });
        try {
          return (text && JSON.parse(text)) as T;
        } catch (cause) {
          throw new ClientError(`The answer to ${path} is no JSON.`, { code: 'UNREADABLE', cause });
        }
      });
    } finally {
      // Ends what is under way still; changes nothing about what has ended.
      controller.abort();
    }
  };

  readonly tell: Tell = async (path, asking) => void (await this.ask(path, asking));

  /** The time limit of a call, and its signal. */
  limited<T>(call: ClientCallOptions | undefined, work: () => Promise<T>): Promise<T> {
    const ms = call?.timeoutMs ?? this.options.timeoutMs ?? 60_000;
    const late = (): ClientError =>
      new ClientError(`The server did not answer within ${ms} ms.`, { code: 'TIMEOUT', retryable: true });
    return within({ runtime: this.runtime, signal: call?.signal, ms, late }, work);
  }

  /** An answer that is no error, its body unread. */
  async send(path: string, asking: Asking, signal: AbortSignal): Promise<Response> {
    const { headers, credentials, fetch = globalThis.fetch } = this.options;
    const { body, method = body ? 'POST' : 'GET' } = asking;
    const text = body && jsonOf(body);
    let response: Response;
    try {
      const given = typeof headers === 'function' ? await headers() : headers;
      response = await fetch(this.#baseUrl + path + queryOf(asking.query), {
        method,
        headers: { ...(text && { 'content-type': 'application/json' }), ...given },
        ...(text && { body: text }),
        ...(credentials && { credentials }),
        cache: 'no-store',
        signal,
      });
    } catch (cause) {
      throw unreachable(path, cause);
    }
    if (!response.ok) throw await errorOf(path, response, this.runtime.now());
    return response;
  }
}

function jsonOf(body: object): string {
  try {
    return JSON.stringify(body);
  } catch (cause) {
    throw new ClientError('What is sent must be JSON.', { code: 'INVALID_INPUT', cause });
  }
}

// Without its query, which may hold what a user wrote.
function unreachable(path: string, cause: unknown): ClientError {
  return new ClientError(`No answer came to ${path}.`, { code: 'UNREACHABLE', retryable: true, cause });
}
