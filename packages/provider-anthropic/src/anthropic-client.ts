import { ProviderConnection, TholeError } from '@thole/core';
import type { JsonObject } from '@thole/core';
import { toWellFormed } from '@thole/core/kit';
import type { Endpoint } from '@thole/core/kit';
import { selectEarlierVersion } from './api-version.ts';
import { endpointOf } from './anthropic-options.ts';
import type { AnthropicConnectionOptions } from './anthropic-options.ts';
import { anthropicErrors, isCredentialsError } from './map-anthropic-error.ts';

/** A request in the API's format. */
export interface AnthropicCall {
  readonly body: JsonObject;
  /** Names of beta features, sent as a header. */
  readonly betas: readonly string[];
  readonly stream: boolean;
}

/** A streamed answer: its events, or a complete unread body. */
export type OpenedAnswer = { readonly events: AsyncIterable<unknown> } | { readonly body: Response };

/** The longest delay that a timer supports. It turns the SDK's time limit off, so that only ours applies. */
const NO_TIMEOUT_MS = 2_147_483_647;

/** The members of the SDK's clients that this package uses. */
interface Sdk {
  post(path: string, options: object): SdkAnswer;
}

interface SdkAnswer extends PromiseLike<unknown> {
  asResponse(): Promise<Response>;
  withResponse(): Promise<{ data: unknown; response: Response }>;
}

/**
 * Calls Claude through Anthropic's SDK, which is loaded at the first call. Reads nothing from the environment except cloud
 * credentials.
 */
export class AnthropicClient {
  readonly connection: ProviderConnection;
  readonly endpoint: Endpoint;
  readonly #options: AnthropicConnectionOptions;
  #sdk: Promise<Sdk> | undefined;

  constructor(options: AnthropicConnectionOptions) {
    this.#options = options;
    this.endpoint = endpointOf(options);
    this.connection = new ProviderConnection(options, anthropicErrors);
    const { accessKeyId, secretAccessKey, sessionToken } = options.bedrock ?? {};
    for (const secret of [accessKeyId, secretAccessKey, sessionToken]) if (secret) this.connection.hide(secret);
  }

  /** Sends the request and returns the unread answer, for `stream` of `ProviderConnection`. */
  async post(call: AnthropicCall, signal: AbortSignal): Promise<OpenedAnswer> {
    const sdk = await this.#load();
    const { betas, stream } = call;
    const version = selectEarlierVersion(call.body, this.#options);
    const body = toWellFormed({ ...call.body, ...version.body });
    const headers = { ...version.headers, ...(betas.length > 0 && { 'anthropic-beta': betas.join(',') }) };
    try {
      if (!stream) return { body: await sdk.post('/v1/messages', { body, headers, signal }).asResponse() };
      const { data, response } = await sdk.post('/v1/messages', { body, headers, signal, stream: true }).withResponse();
      // The SDK would find no events in these bodies and end without an error.
      const type = response.headers.get('content-type') ?? '';
      if (/json|html/i.test(type)) return { body: response };
      return { events: data as AsyncIterable<unknown> };
    } catch (error) {
      // The client would not look for the credentials again, so the next call creates a new one.
      if (isCredentialsError(error)) this.#sdk = undefined;
      throw error;
    }
  }

  #load(): Promise<Sdk> {
    this.#sdk ??= this.#create().catch((error: unknown) => {
      this.#sdk = undefined;
      throw error;
    });
    return this.#sdk;
  }

  async #create(): Promise<Sdk> {
    const { apiKey, headers, bedrock, vertex } = this.#options;
    const { baseUrl, defaultQuery } = splitQuery(this.#options.baseUrl);
    const options = {
      defaultQuery,
      maxRetries: 0,
      timeout: NO_TIMEOUT_MS,
      logLevel: 'off' as const,
      // The runner already traces model calls.
      openTelemetry: false as const,
      fetch: (input: string | URL | Request, init?: RequestInit) => this.connection.fetch(input, init),
      defaultHeaders: {
        ...withoutCustomHeaders(),
        ...(!bedrock && !vertex && apiKey === undefined && HEADERS_WITHOUT_KEY),
        ...headers,
      },
    };
    if (bedrock) {
      const { AnthropicBedrock } = await loadBedrock();
      const { region, accessKeyId, secretAccessKey, sessionToken = null } = bedrock;
      const baseURL = baseUrl ?? `https://bedrock-runtime.${region}.amazonaws.com`;
      // With null, the SDK does not read the environment.
      const common = { ...options, apiKey: apiKey ?? null, baseURL, awsRegion: region };
      if (accessKeyId === undefined || secretAccessKey === undefined)
        return new AnthropicBedrock(common) as unknown as Sdk;
      const keys = { awsAccessKey: accessKeyId, awsSecretKey: secretAccessKey, awsSessionToken: sessionToken };
      return new AnthropicBedrock({ ...common, ...keys }) as unknown as Sdk;
    }
    if (vertex) {
      const { AnthropicVertex } = await loadVertex();
      const { project, region = 'global', authClient } = vertex;
      return new AnthropicVertex({
        ...options,
        baseURL: baseUrl ?? vertexUrl(region),
        projectId: project,
        region,
        ...(authClient && { authClient }),
      } as ConstructorParameters<typeof AnthropicVertex>[0]) as unknown as Sdk;
    }
    const { Anthropic } = await import('@anthropic-ai/sdk');
    const baseURL = baseUrl ?? 'https://api.anthropic.com';
    return new Anthropic({ ...options, apiKey: apiKey ?? 'none', authToken: null, webhookKey: null, baseURL }) as Sdk;
  }
}

/** Returns the URL without its query, and the query: the SDK would add its paths to the query. */
function splitQuery(url: string | undefined): { baseUrl?: string; defaultQuery?: { [name: string]: string } } {
  if (url === undefined) return {};
  const parsed = new URL(url);
  const defaultQuery = Object.fromEntries(parsed.searchParams);
  parsed.search = '';
  return { baseUrl: parsed.href, defaultQuery };
}

/** Removes the header with the placeholder key, which the SDK requires although the server needs no key. */
const HEADERS_WITHOUT_KEY = { Authorization: null };

function vertexUrl(region: string): string {
  if (region === 'global') return 'https://aiplatform.googleapis.com/v1';
  if (region === 'us' || region === 'eu') return `https://aiplatform.${region}.rep.googleapis.com/v1`;
  return `https://${region}-aiplatform.googleapis.com/v1`;
}

// Bundlers accept an optional package that is not installed only if its import is directly in `try`.
async function loadBedrock() {
  try {
    return await import('@anthropic-ai/bedrock-sdk');
  } catch (cause) {
    throw sdkMissing('@anthropic-ai/bedrock-sdk', cause);
  }
}

async function loadVertex() {
  try {
    return await import('@anthropic-ai/vertex-sdk');
  } catch (cause) {
    throw sdkMissing('@anthropic-ai/vertex-sdk', cause);
  }
}

function sdkMissing(name: string, cause: unknown): TholeError {
  return new TholeError('DRIVER_MISSING', `${name} could not be loaded. Install it with \`npm install ${name}\`.`, {
    cause,
  });
}

/** Removes the headers that the SDK reads from `ANTHROPIC_CUSTOM_HEADERS`. Null removes a header. */
function withoutCustomHeaders(): { [name: string]: null } {
  const lines = globalThis.process?.env['ANTHROPIC_CUSTOM_HEADERS']?.split('\n') ?? [];
  const names = lines.filter((line) => line.includes(':')).map((line) => line.slice(0, line.indexOf(':')).trim());
  return Object.fromEntries(names.map((name) => [name, null]));
}
