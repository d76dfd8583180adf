import { ProviderConnection, TholeError } from '@thole/core';
import { isPlainObject, toWellFormed } from '@thole/core/kit';
import type { JsonObject } from '@thole/core';
import type {
  CreateCachedContentParameters,
  DeleteCachedContentParameters,
  EmbedContentParameters,
  GenerateContentParameters,
  GoogleGenAIOptions,
} from '@google/genai';
import type { GeminiConnectionOptions } from './gemini-options.ts';
import { credentialsError, geminiErrors, notGemini } from './map-gemini-error.ts';

/** A request in the API's format. */
export interface GeminiCall {
  readonly model: string;
  readonly body: JsonObject;
  readonly stream: boolean;
}

/** Texts to embed, and settings. */
export interface EmbedCall {
  readonly model: string;
  readonly texts: readonly string[];
  /** Undefined for models that read the task in the text. */
  readonly taskType: 'RETRIEVAL_QUERY' | 'RETRIEVAL_DOCUMENT' | undefined;
  readonly dimensions: number;
}

/** The members of the SDK that this package uses. */
interface Sdk {
  readonly models: {
    generateContent(parameters: GenerateContentParameters): Promise<unknown>;
    generateContentStream(parameters: GenerateContentParameters): Promise<unknown>;
    embedContent(parameters: EmbedContentParameters): Promise<unknown>;
  };
  readonly caches: {
    create(parameters: CreateCachedContentParameters): Promise<unknown>;
    delete(parameters: DeleteCachedContentParameters): Promise<unknown>;
  };
}

/**
 * Calls Gemini through Google's SDK, which is loaded at the first call and determines address, headers and credentials.
 * The bodies of `generateContent` bypass the SDK in both directions, because its converters drop unknown members.
 */
export class GeminiClient {
  readonly connection: ProviderConnection;
  readonly #cacheConnection: ProviderConnection;
  readonly #options: GeminiConnectionOptions;
  #sdk: Promise<Sdk> | undefined;

  constructor(options: GeminiConnectionOptions) {
    this.#options = options;
    this.connection = new ProviderConnection(options, geminiErrors);
    const timeoutMs = Math.min(options.timeoutMs ?? CACHE_TIMEOUT_MS, CACHE_TIMEOUT_MS);
    this.#cacheConnection = new ProviderConnection({ ...options, timeoutMs, retry: false }, geminiErrors);
    for (const secret of secretsIn(options.googleAuthOptions)) {
      this.connection.hide(secret);
      this.#cacheConnection.hide(secret);
    }
  }

  /** Returns the server's response with an unread body, for `send` and `stream` of `ProviderConnection`. */
  async generate(call: GeminiCall, signal: AbortSignal): Promise<Response> {
    const body = JSON.stringify(toWellFormed(call.body));
    const responses: Response[] = [];
    await this.#call((sdk, fetch) => {
      const fetchWithBody: typeof fetch = async (input, init) => {
        responses.push(await fetch(input, { ...init, body }));
        return Response.json({});
      };
      // `Gemini` requests the rest of an answer, so the SDK must not.
      const config = { abortSignal: signal, automaticContinuation: false, httpOptions: { fetch: fetchWithBody } };
      const parameters = { model: call.model, contents: 'replaced by the body', config };
      return call.stream ? sdk.models.generateContentStream(parameters) : sdk.models.generateContent(parameters);
    });
    return responses[0]!;
  }

  /** Returns the SDK's result: an object with `embeddings`. */
  embed(call: EmbedCall, signal: AbortSignal): Promise<unknown> {
    const { model, texts, taskType, dimensions } = call;
    // The newer models would join strings into one content.
    const contents = toWellFormed(texts).map((text) => ({ parts: [{ text }] }));
    return this.#call((sdk, fetch) => {
      const config = {
        ...(taskType && { taskType }),
        outputDimensionality: dimensions,
        abortSignal: signal,
        httpOptions: { fetch },
      };
      return sdk.models.embedContent({ model, contents, config });
    });
  }

  /** Creates a cache and returns its name. Does not retry, because a request waits for the result. */
  createCache(
    { model, ttlSeconds, body }: { model: string; ttlSeconds: number; body: JsonObject },
    signal: AbortSignal,
  ): Promise<string> {
    return this.#cacheConnection.send(async (attemptSignal) => {
      const responses: Response[] = [];
      await this.#call((sdk, fetch) => {
        const fetchWithBody: typeof fetch = async (input, init) => {
          // The SDK formats model and time. The other members bypass it, because its converters drop unknown ones.
          const formatted = JSON.parse(init?.body as string) as JsonObject;
          responses.push(
            await fetch(input, { ...init, body: JSON.stringify({ ...toWellFormed(body), ...formatted }) }),
          );
          return Response.json({});
        };
        const config = { ttl: `${ttlSeconds}s`, abortSignal: attemptSignal, httpOptions: { fetch: fetchWithBody } };
        return sdk.caches.create({ model, config });
      }, this.#cacheConnection);
      const { name } = (await responses[0]!.json()) as { name?: unknown };
      if (typeof name !== 'string' || name === '') throw notGemini('the new cache has no name');
      return name;
    }, signal);
  }

  async deleteCache(name: string): Promise<void> {
    await this.#cacheConnection.send(
      (signal) =>
        this.#call(
          (sdk, fetch) => sdk.caches.delete({ name, config: { abortSignal: signal, httpOptions: { fetch } } }),
          this.#cacheConnection,
        ),
      undefined,
    );
  }

  async #call(
    call: (sdk: Sdk, fetch: typeof globalThis.fetch) => Promise<unknown>,
    connection: ProviderConnection = this.connection,
  ): Promise<unknown> {
    let hasSent = false;
    const fetch: typeof globalThis.fetch = (input, init) => {
      hasSent = true;
      return connection.fetch(this.#withQuery(input), init);
    };
    const sdk = await this.#load();
    try {
      return await call(sdk, fetch);
    } catch (error) {
      throw hasSent || TholeError.is(error) ? error : credentialsError(error);
    }
  }

  /** Adds the query of `baseUrl` to an address of the SDK, which would add its paths to the query. */
  #withQuery(address: Parameters<typeof globalThis.fetch>[0]): Parameters<typeof globalThis.fetch>[0] {
    const query = this.#options.baseUrl === undefined ? '' : new URL(this.#options.baseUrl).search;
    if (query === '' || typeof address !== 'string') return address;
    return `${address}${address.includes('?') ? '&' : '?'}${query.slice(1)}`;
  }

  #load(): Promise<Sdk> {
    this.#sdk ??= load(this.#options).catch((error: unknown) => {
      this.#sdk = undefined;
      throw error;
    });
    return this.#sdk;
  }
}

/** Returns the private keys, secrets and tokens in the options of the credentials. */
function secretsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    typeof each === 'string' && /(private_?key|secret|token)$/i.test(name) ? [each] : secretsIn(each),
  );
}

/** Time limit of a call for a cache in milliseconds. The request waits for this call. */
const CACHE_TIMEOUT_MS = 30_000;
const CREDENTIALS_TIMEOUT_MS = 60_000;

async function load(options: GeminiConnectionOptions): Promise<Sdk> {
  const { vertexai = false, apiKey, project, headers } = options;
  const sdkOptions: GoogleGenAIOptions = { vertexai, httpOptions: { ...(headers && { headers: { ...headers } }) } };
  const apiVersion = options.apiVersion ?? (vertexai ? undefined : 'v1beta');
  if (apiVersion !== undefined) sdkOptions.apiVersion = apiVersion;
  if (options.baseUrl !== undefined) sdkOptions.httpOptions!.baseUrl = options.baseUrl.replace(/[?#].*$/s, '');
  // An API key needs no credentials. The SDK's portable build reads no environment.
  if (apiKey !== undefined && project === undefined) {
    const { GoogleGenAI } = await import('@google/genai/web');
    return new GoogleGenAI({ ...sdkOptions, apiKey });
  }
  const { GoogleGenAI } = await import('@google/genai');
  // These options are always set, so that the SDK does not read them from the environment.
  const location = options.location ?? 'global';
  sdkOptions.httpOptions!.baseUrl ??= vertexUrl(location);
  const vertex: GoogleGenAIOptions = { apiVersion: 'v1beta1', ...sdkOptions, project: project!, location };
  if (apiKey !== undefined) return new GoogleGenAI({ ...vertex, apiKey });
  const transporterOptions = {
    // The library's timer overflows above this value.
    timeout: Math.min(options.timeoutMs ?? CREDENTIALS_TIMEOUT_MS, 2 ** 31 - 1),
    ...(options.fetch && { fetchImplementation: options.fetch }),
  };
  const auth: NonNullable<GoogleGenAIOptions['googleAuthOptions']> = options.googleAuthOptions ?? {};
  const givenClient: unknown = auth.clientOptions ?? {};
  // A client object of the caller is used unchanged.
  const clientOptions = isPlainObject(givenClient) ? { transporterOptions, ...givenClient } : givenClient;
  return new GoogleGenAI({ ...vertex, googleAuthOptions: { ...auth, clientOptions } as typeof auth });
}

function vertexUrl(location: string): string {
  if (location === 'global') return 'https://aiplatform.googleapis.com/';
  if (location === 'us' || location === 'eu') return `https://aiplatform.${location}.rep.googleapis.com/`;
  return `https://${location}-aiplatform.googleapis.com/`;
}
