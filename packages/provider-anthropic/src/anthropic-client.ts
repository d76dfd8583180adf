import { ProviderConnection, TholeError } from '@thole/core';
import type { JsonObject } from '@thole/core';
import type { Endpoint } from '@thole/core/kit';
import { earlierVersion } from './api-version.ts';
import { endpointOf } from './anthropic-options.ts';
import type { AnthropicConnectionOptions } from './anthropic-options.ts';
import { anthropicErrors, isAboutCredentials } from './map-anthropic-error.ts';

/** A request in the API's format. */
export interface AnthropicCall {
  readonly body: JsonObject;
  /** Names of beta features, sent as a header. */
  readonly betas: readonly string[];
  readonly stream: boolean;
}

/** A streamed answer: its events, or a complete unread body. */
export type OpenedAnswer = { readonly events: AsyncIterable<unknown> } | { readonly whole: Response };

/** Maximum delay of a timer: the SDK's time limit must not fire before ours. */
const NEVER_MS = 2_147_483_647;

/** The members of the SDK's clients that are used. */
interface Sdk {
  post(path: string, options: object): SdkAnswer;
}

interface SdkAnswer extends PromiseLike<unknown> {
  asResponse(): Promise<Response>;
  withResponse(): Promise<{ data: unknown; response: Response }>;
}

/** Anthropic's SDK with our connection, loaded at the first call. Takes nothing from the environment except cloud credentials. */
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

  /** Sends the request and returns the answer, for `stream` of `ProviderConnection`. */
  async post(call: AnthropicCall, signal: AbortSignal): Promise<OpenedAnswer> {
    const sdk = await this.#load();
    const { betas, stream } = call;
    const version = earlierVersion(call.body, this.#options);
    const body = { ...call.body, ...version.body };
    const headers = { ...version.headers, ...(betas.length > 0 && { 'anthropic-beta': betas.join(',') }) };
    try {
      if (!stream) return { whole: await sdk.post('/v1/messages', { body, headers, signal }).asResponse() };
      const { data, response } = await sdk.post('/v1/messages', { body, headers, signal, stream: true }).withResponse();
      // The SDK would find no events in these bodies and end without an error.
      const type = response.headers.get('content-type') ?? '';
      if (/json|html/i.test(type)) return { whole: response };
      return { events: data as AsyncIterable<unknown> };
    } catch (error) {
      // A client keeps credentials that it could not get.
      if (isAboutCredentials(error)) this.#sdk = undefined;
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
    const { apiKey, baseUrl, headers, bedrock, vertex } = this.#options;
    const options = {
      maxRetries: 0,
      timeout: NEVER_MS,
      logLevel: 'off' as const,
      // The runner traces model calls.
      openTelemetry: false as const,
      fetch: (input: string | URL | Request, init?: RequestInit) => this.connection.fetch(input, init),
      defaultHeaders: {
        ...withoutCustomHeaders(),
        ...(!bedrock && !vertex && apiKey === undefined && WITHOUT_KEY),
        ...headers,
      },
    };
    if (bedrock) {
      const { AnthropicBedrock } = await installed(
        '@anthropic-ai/bedrock-sdk',
        () => import('@anthropic-ai/bedrock-sdk'),
      );
      const { region, accessKeyId, secretAccessKey, sessionToken = null } = bedrock;
      const baseURL = baseUrl ?? `https://bedrock-runtime.${region}.amazonaws.com`;
      // Null keeps the variables of the environment out.
      const common = { ...options, apiKey: apiKey ?? null, baseURL, awsRegion: region };
      if (accessKeyId === undefined || secretAccessKey === undefined)
        return new AnthropicBedrock(common) as unknown as Sdk;
      const keys = { awsAccessKey: accessKeyId, awsSecretKey: secretAccessKey, awsSessionToken: sessionToken };
      return new AnthropicBedrock({ ...common, ...keys }) as unknown as Sdk;
    }
    if (vertex) {
      const { AnthropicVertex } = await installed('@anthropic-ai/vertex-sdk', () => import('@anthropic-ai/vertex-sdk'));
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

/** The SDK requires a key; a server with another authorization does not receive this one. */
const WITHOUT_KEY = { Authorization: null };

function vertexUrl(region: string): string {
  if (region === 'global') return 'https://aiplatform.googleapis.com/v1';
  if (region === 'us' || region === 'eu') return `https://aiplatform.${region}.rep.googleapis.com/v1`;
  return `https://${region}-aiplatform.googleapis.com/v1`;
}

async function installed<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw new TholeError('DRIVER_MISSING', `${name} could not be loaded. Install it with \`npm install ${name}\`.`, {
      cause,
    });
  }
}

/** The SDK reads headers from `ANTHROPIC_CUSTOM_HEADERS`, which the caller did not ask for. Null removes each. */
function withoutCustomHeaders(): { [name: string]: null } {
  const lines = globalThis.process?.env['ANTHROPIC_CUSTOM_HEADERS']?.split('\n') ?? [];
  const names = lines.filter((line) => line.includes(':')).map((line) => line.slice(0, line.indexOf(':')).trim());
  return Object.fromEntries(names.map((name) => [name, null]));
}
