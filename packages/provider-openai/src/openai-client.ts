import { ProviderConnection } from '@thole/core';
import type OpenAI from 'openai';
import { openAiErrors, openAiFailure } from './map-openai-error.ts';
import { providerOf } from './openai-options.ts';
import type { OpenAiConnectionOptions } from './openai-options.ts';

/** A streamed answer: its events, or the whole, from a server that does not stream. */
export type OpenedStream = { readonly events: AsyncIterable<unknown> } | { readonly whole: unknown };

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
  readonly #options: OpenAiConnectionOptions;

  constructor(options: OpenAiConnectionOptions) {
    this.#options = options;
    this.provider = providerOf(options);
    this.connection = new ProviderConnection(options, openAiErrors(this.provider));
  }

  /** The answer's JSON; what is none goes on as text. */
  async post(path: string, body: object, signal: AbortSignal): Promise<unknown> {
    const sdk = await this.#sdk(signal);
    const answer: unknown = await sdk.post(path, { body });
    return typeof answer === 'string' ? parsed(answer) : answer;
  }

  async postStream(path: string, body: object, signal: AbortSignal): Promise<OpenedStream> {
    const sdk = await this.#sdk(signal);
    const { data, response } = await sdk.post(path, { body, stream: true }).withResponse();
    const type = response.headers.get('content-type') ?? '';
    // The SDK would look for events in these, find none, and end as if all had been said.
    if (/json|html/i.test(type)) return { whole: parsed(await response.text()) };
    return { events: data as AsyncIterable<unknown> };
  }

  async #sdk(signal: AbortSignal): Promise<OpenAI> {
    const { default: OpenAI, AzureOpenAI } = await import('openai');
    const { apiKey, baseUrl, organization = null, project = null, azure, headers } = this.#options;
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
      const { endpoint, apiVersion, deployment } = azure;
      // Null, so that the environment's base URL does not come in; the types do not know that it is taken.
      return new AzureOpenAI({ ...options, baseURL: null as unknown as undefined, endpoint, apiVersion, deployment });
    }
    return new OpenAI({ ...options, adminAPIKey: null, baseURL: baseUrl ?? 'https://api.openai.com/v1' });
  }
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
