import { ProviderConnection, TholeError } from '@thole/core';
import type { Endpoint } from '@thole/core/kit';
import type OpenAI from 'openai';
import { openAiErrors, openAiFailure } from './map-openai-error.ts';
import { endpointOf, providerOf } from './openai-options.ts';
import type { OpenAiConnectionOptions } from './openai-options.ts';

/** A streamed answer: its events, or the whole, unread, from a server that does not stream. */
export type OpenedStream = { readonly events: AsyncIterable<unknown> } | { readonly whole: Response };

/** The longest that a timer can wait: the SDK's time limit must not come before ours. */
const NEVER_MS = 2_147_483_647;

/**
 * The SDK behind our connection, loaded at the first call. Reads nothing from the environment. Each call has a client of its own,
 * which costs next to nothing: so the call's signal goes around the SDK, straight to `fetch`. The SDK's own care for it costs more
 * than reading the stream does.
 */
export class OpenAiClient {
  readonly connection: ProviderConnection;
  /** Who is asked. */
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

  /** The answer's JSON; what is none goes on as text. */
  async post(path: string, body: object, signal: AbortSignal): Promise<unknown> {
    const sdk = await this.#sdk(signal);
    const answer: unknown = await sdk.post(path, { body });
    return typeof answer === 'string' ? parsed(answer) : answer;
  }

  /** The answer with its body unread: what goes wrong with a body that has begun is no reason to ask again. */
  async postUnread(path: string, body: object, signal: AbortSignal): Promise<Response> {
    const sdk = await this.#sdk(signal);
    return await sdk.post(path, { body }).asResponse();
  }

  async postStream(path: string, body: object, signal: AbortSignal): Promise<OpenedStream> {
    const sdk = await this.#sdk(signal);
    const { data, response } = await sdk.post(path, { body, stream: true }).withResponse();
    const type = response.headers.get('content-type') ?? '';
    // The SDK would look for events in these, find none, and end as if all had been said.
    if (/json|html/i.test(type)) return { whole: response };
    return { events: data as AsyncIterable<unknown> };
  }

  async #key(): Promise<string | undefined> {
    const { apiKey } = this.#options;
    if (typeof apiKey !== 'function') return apiKey;
    let key: unknown;
    try {
      key = await apiKey();
    } catch (cause) {
      throw new TholeError('MODEL_AUTH', 'The function apiKey failed.', { cause });
    }
    if (typeof key !== 'string' || key === '')
      throw new TholeError('MODEL_AUTH', 'The function apiKey must return a string that is not empty.');
    this.connection.hide(key);
    return key;
  }

  async #sdk(signal: AbortSignal): Promise<OpenAI> {
    const { default: OpenAI, AzureOpenAI } = await import('openai');
    const apiKey = await this.#key();
    const { baseUrl, organization = null, project = null, azure, headers } = this.#options;
    const options = {
      apiKey: apiKey ?? 'none',
      organization,
      project,
      webhookSecret: null,
      maxRetries: 0,
      timeout: NEVER_MS,
      logLevel: 'off' as const,
      fetch: (input: string | URL | Request, init?: RequestInit) => this.connection.fetch(input, { ...init, signal }),
      defaultHeaders: { ...withoutCustomHeaders(), ...(apiKey === undefined && WITHOUT_KEY), ...headers },
    };
    if (azure) {
      const { endpoint, apiVersion } = azure;
      // The deployment is sent as the model: in the SDK's address it would stand before /responses as well. Null, so that the environment's base URL does not come in; the types do not know that it is taken.
      const where = { baseURL: null as unknown as undefined, endpoint, apiVersion };
      if (typeof this.#options.apiKey !== 'function') return new AzureOpenAI({ ...options, ...where });
      const azureADTokenProvider = (): Promise<string> => Promise.resolve(apiKey!);
      return new AzureOpenAI({ ...options, ...where, apiKey: undefined, azureADTokenProvider });
    }
    return new OpenAI({ ...options, adminAPIKey: null, baseURL: baseUrl ?? 'https://api.openai.com/v1' });
  }
}

/** Reads the answer's JSON; what is none is `MODEL_PROTOCOL`. */
export async function readJson(response: Response): Promise<unknown> {
  return parsed(await response.text());
}

/** The SDK wants a key; a server that needs none is not sent this one. */
const WITHOUT_KEY = { Authorization: null, 'api-key': null };

/** The SDK takes headers from `OPENAI_CUSTOM_HEADERS`, which nobody asked for: null leaves each out. */
function withoutCustomHeaders(): { [name: string]: null } {
  const lines = globalThis.process?.env['OPENAI_CUSTOM_HEADERS']?.split('\n') ?? [];
  const names = lines.filter((line) => line.includes(':')).map((line) => line.slice(0, line.indexOf(':')).trim());
  return Object.fromEntries(names.map((name) => [name, null]));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw openAiFailure(text);
  }
}
