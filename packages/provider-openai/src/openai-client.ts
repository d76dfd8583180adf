import { ProviderConnection, TholeError } from '@thole/core';
import { toWellFormed, withTimeLimit } from '@thole/core/kit';
import type { Endpoint } from '@thole/core/kit';
import type OpenAI from 'openai';
import { openAiErrors, openAiFailure } from './map-openai-error.ts';
import { endpointOf, providerOf } from './openai-options.ts';
import type { OpenAiConnectionOptions } from './openai-options.ts';

/** A streamed answer: its events, or the complete unread body from a server that does not stream. */
export type OpenedStream = { readonly events: AsyncIterable<unknown> } | { readonly body: Response };

/** Default time limit until an answer begins, and of the function `apiKey`, in milliseconds. */
const TIMEOUT_MS = 600_000;
/** The longest delay that a timer supports. It turns the SDK's time limit off, so that only ours applies. */
const NO_TIMEOUT_MS = 2_147_483_647;

/**
 * Calls OpenAI through the SDK, which is loaded at the first call. Reads nothing from the environment. Each call has its
 * own SDK client, which is cheap, so that the call's signal is passed directly to `fetch`: the SDK's signal handling
 * costs more than reading the stream.
 */
export class OpenAiClient {
  readonly connection: ProviderConnection;
  /** Name of the provider. */
  readonly provider: string;
  readonly endpoint: Endpoint;
  readonly #options: OpenAiConnectionOptions;

  constructor(options: OpenAiConnectionOptions) {
    this.#options = options;
    this.provider = providerOf(options);
    this.endpoint = endpointOf(options);
    const apiKey = typeof options.apiKey === 'function' ? undefined : options.apiKey;
    this.connection = new ProviderConnection({ ...options, apiKey }, openAiErrors(this.provider));
  }

  /** Returns the answer's JSON, or its text if it is not JSON. */
  async post(path: string, body: object, signal: AbortSignal): Promise<unknown> {
    const sdk = await this.#sdk(signal);
    const answer: unknown = await sdk.post(path, { body: toWellFormed(body) });
    return typeof answer === 'string' ? parseJson(answer) : answer;
  }

  /** Returns the answer with an unread body, because an error while the body is read must not be retried. */
  async postUnread(path: string, body: object, signal: AbortSignal): Promise<Response> {
    const sdk = await this.#sdk(signal);
    return await sdk.post(path, { body: toWellFormed(body) }).asResponse();
  }

  /** Returns the opened stream of a streamed answer. */
  async postStream(path: string, body: object, signal: AbortSignal): Promise<OpenedStream> {
    const sdk = await this.#sdk(signal);
    const { data, response } = await sdk.post(path, { body: toWellFormed(body), stream: true }).withResponse();
    const type = response.headers.get('content-type') ?? '';
    // The SDK would find no events in these bodies and end without an error.
    if (/json|html/i.test(type)) return { body: response };
    return { events: data as AsyncIterable<unknown> };
  }

  async #apiKey(): Promise<string | undefined> {
    const { apiKey, timeoutMs: ms = TIMEOUT_MS } = this.#options;
    if (typeof apiKey !== 'function') return apiKey;
    const timeout = new TholeError('MODEL_TIMEOUT', `The function apiKey returned no key for ${ms} ms.`, {
      details: { endedBy: 'client' },
    });
    const { runtime } = this.connection;
    let key: unknown;
    try {
      key = await withTimeLimit({ runtime, ms, timeoutError: () => timeout }, async () => apiKey());
    } catch (cause) {
      if (cause === timeout) throw timeout;
      throw new TholeError('MODEL_AUTH', 'The function apiKey threw an error, which is the cause.', { cause });
    }
    if (typeof key !== 'string' || key === '')
      throw new TholeError('MODEL_AUTH', 'The function apiKey must return a string that is not empty.');
    this.connection.hide(key);
    return key;
  }

  async #sdk(signal: AbortSignal): Promise<OpenAI> {
    const { default: OpenAI, AzureOpenAI } = await import('openai');
    const apiKey = await this.#apiKey();
    const { baseUrl, organization = null, project = null, azure, headers } = this.#options;
    const options = {
      apiKey: apiKey ?? 'none',
      organization,
      project,
      webhookSecret: null,
      maxRetries: 0,
      timeout: NO_TIMEOUT_MS,
      logLevel: 'off' as const,
      fetch: (input: string | URL | Request, init?: RequestInit) => this.connection.fetch(input, { ...init, signal }),
      defaultHeaders: { ...withoutCustomHeaders(), ...(apiKey === undefined && HEADERS_WITHOUT_KEY), ...headers },
    };
    if (azure) {
      const { endpoint, apiVersion } = azure;
      // The deployment is sent as the model, because the SDK would also put it before /responses. With null, the SDK does not
      // read the base URL from the environment; its types do not declare null.
      const azureOptions = { baseURL: null as unknown as undefined, endpoint, apiVersion };
      if (typeof this.#options.apiKey !== 'function') return new AzureOpenAI({ ...options, ...azureOptions });
      const azureADTokenProvider = (): Promise<string> => Promise.resolve(apiKey!);
      return new AzureOpenAI({ ...options, ...azureOptions, apiKey: undefined, azureADTokenProvider });
    }
    return new OpenAI({ ...options, adminAPIKey: null, baseURL: baseUrl ?? 'https://api.openai.com/v1' });
  }
}

/** Returns the answer's JSON. Throws `MODEL_PROTOCOL` if it is not JSON. */
export async function readJson(response: Response): Promise<unknown> {
  return parseJson(await response.text());
}

/** Removes the headers with the placeholder key, which the SDK requires although the server needs no key. */
const HEADERS_WITHOUT_KEY = { Authorization: null, 'api-key': null };

/** Removes the headers that the SDK reads from `OPENAI_CUSTOM_HEADERS`. Null removes a header. */
function withoutCustomHeaders(): { [name: string]: null } {
  const lines = globalThis.process?.env['OPENAI_CUSTOM_HEADERS']?.split('\n') ?? [];
  const names = lines.filter((line) => line.includes(':')).map((line) => line.slice(0, line.indexOf(':')).trim());
  return Object.fromEntries(names.map((name) => [name, null]));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw openAiFailure(text);
  }
}
