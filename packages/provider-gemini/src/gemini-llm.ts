import { hasSealedParts, isSealRefused, recoverFirst, withoutSealedParts } from '@thole/core/kit';
import type { EnvVars, JsonObject, Llm, LlmOptions, LlmRequest, LlmResponse, Usage } from '@thole/core';
import type { Endpoint } from '@thole/core/kit';
import { ContextCaches } from './context-caches.ts';
import type { CacheCalls, PreparedBody } from './context-caches.ts';
import { GatheredAnswer } from './gathered-answer.ts';
import { GeminiClient } from './gemini-client.ts';
import { assertGeminiOptions, assertModelName, endpointOf, withEnv } from './gemini-options.ts';
import type { GeminiConnectionOptions } from './gemini-options.ts';
import { isCacheRefused } from './map-gemini-error.ts';
import { readGeminiAnswer, readGeminiStream } from './read-gemini-stream.ts';
import { refusedSetting, withoutSettings } from './refused-settings.ts';
import { toGeminiRequest } from './to-gemini-request.ts';
import type { GeminiPlace } from './to-gemini-request.ts';

/** Model and connection of a `Gemini`. */
export interface GeminiOptions extends GeminiConnectionOptions {
  /** Name such as `gemini-3-flash-preview`; on Vertex AI also a resource name. */
  model: string;
}

/**
 * A Gemini model on the Gemini API or on Vertex AI. Errors have the codes `MODEL_…`; the constructor throws
 * `INVALID_INPUT`. Google's SDK is loaded at the first call.
 */
export class Gemini implements Llm {
  readonly specVersion = 1;
  readonly model: string;
  readonly providerName: string;
  readonly #client: GeminiClient;
  readonly #caches: ContextCaches;
  readonly #place: GeminiPlace;
  readonly #endpoint: Endpoint;
  /** Settings that Gemini has rejected, by model. They are not sent again. */
  readonly #refused = new Map<string, Set<string>>();
  /** Warnings already logged: each is logged once. */
  readonly #warned = new Set<string>();

  constructor(options: GeminiOptions) {
    assertGeminiOptions(options, ['model'], 'Gemini');
    assertModelName(options.model, 'Gemini');
    const { model, vertexai, project, location, schemas, ...rest } = options;
    this.model = model;
    this.providerName = vertexai ? 'gcp.vertex_ai' : 'gcp.gemini';
    this.#endpoint = endpointOf(options);
    this.#place = { vertexai, project, location, schemas, endpoint: this.#endpoint };
    this.#client = new GeminiClient({ ...rest, vertexai, project, location });
    const calls: CacheCalls = {
      create: (p, signal) => this.#client.createCache(p, signal),
      delete: (name) => this.#client.deleteCache(name),
    };
    this.#caches = new ContextCaches(calls, this.#client.connection.runtime);
  }

  /**
   * Creates a model with options from the environment (`GOOGLE_API_KEY` or `GEMINI_API_KEY` …). `env` replaces the
   * variables of the process.
   */
  static fromEnv(model: string, options: Omit<GeminiOptions, 'model'> & { env?: EnvVars | undefined } = {}): Gemini {
    const { env, ...given } = options;
    return new Gemini({ ...withEnv(given, env), model });
  }

  /**
   * Calls the model. `request.model` overrides the constructor's model. A rejected request is sent again without the
   * rejected part if it is optional: thought signatures of another endpoint, a context cache, and settings such as
   * `thinkingLevel`. All are logged.
   */
  generateContentAsync(request: LlmRequest, options: LlmOptions): AsyncIterableIterator<LlmResponse> {
    const { model = this.model } = request;
    const refused = this.#refused.get(model) ?? new Set<string>();
    let sent: JsonObject = {};
    let prepared: PreparedBody | undefined;
    const makeBody = async (): Promise<JsonObject> => {
      sent = withoutSettings(toGeminiRequest(request, this.model, this.#place).body, refused);
      const { contextCache: hint } = request;
      if (!hint || sent['cachedContent'] !== undefined) return sent;
      const logger = options.logger ?? this.#client.connection.runtime.logger;
      prepared = await this.#caches.prepare(sent, { hint, model, signal: options.signal, logger });
      return prepared.body;
    };
    const answered = (usage: Usage | undefined): void => prepared?.answered(usage?.promptTokenCount);
    return recoverFirst(this.#answer(model, { makeBody, answered }, options), (error) => {
      if (prepared?.hasCache && isCacheRefused(error)) {
        prepared.refused();
        this.#warn('a context cache that the server does not accept is left out', model, 'cachedContent', options);
        return this.generateContentAsync({ ...request, contextCache: undefined }, options);
      }
      if (isSealRefused(error) && this.#hasSeals(request)) {
        this.#warn('thought signatures that the model cannot read are left out', model, this.#endpoint.name, options);
        return this.generateContentAsync({ ...request, contents: withoutSealedParts(request.contents) }, options);
      }
      const setting = refusedSetting(error, sent);
      if (setting === undefined || refused.has(setting)) return undefined;
      this.#refused.set(model, refused.add(setting));
      this.#warn('settings that the server refused are left out', model, setting, options);
      return this.generateContentAsync(request, options);
    });
  }

  /** Yields one answer, from as many requests as it needs. */
  async *#answer(
    model: string,
    { makeBody, answered }: { makeBody: () => Promise<JsonObject>; answered: (usage: Usage | undefined) => void },
    { stream, signal }: LlmOptions,
  ): AsyncGenerator<LlmResponse, void, undefined> {
    const body = await makeBody();
    const { connection } = this.#client;
    const gathered = new GatheredAnswer(this.#endpoint.name);
    let asked = { model, body, stream };
    for (;;) {
      const ask = (own: AbortSignal): Promise<Response> => this.#client.ask(asked, own);
      if (stream) yield* connection.stream(ask, (answer) => readGeminiStream(answer, gathered), signal);
      else for await (const piece of connection.stream(ask, readGeminiAnswer, signal)) gathered.add(piece);
      const continuationToken = gathered.takeToken();
      if (continuationToken === undefined) break;
      asked = { model, body: { ...body, continuationToken }, stream };
    }
    const final = gathered.final();
    answered(final.usageMetadata);
    yield final;
  }

  /** Parts without an endpoint may hold a signature too, from other frameworks. */
  #hasSeals({ contents }: LlmRequest): boolean {
    if (hasSealedParts(contents, this.#endpoint)) return true;
    return contents.some(({ parts = [] }) => parts.some((part) => part.thoughtSignature !== undefined));
  }

  #warn(message: string, model: string, what: string, { logger }: LlmOptions): void {
    const key = `${model} ${message} ${what}`;
    if (this.#warned.has(key)) return;
    this.#warned.add(key);
    (logger ?? this.#client.connection.runtime.logger).warn(message, { model, provider: 'gemini', settings: [what] });
  }
}
