import {
  assertModelName,
  isReasoningRejected,
  mayHaveEncryptedReasoning,
  ModelWarnings,
  recoverFirst,
  withoutEncryptedReasoning,
  withoutRejectedMedia,
} from '@thole/core/kit';
import type { EnvVars, JsonObject, Llm, LlmOptions, LlmRequest, LlmResponse, Usage } from '@thole/core';
import type { Endpoint } from '@thole/core/kit';
import { ContextCaches } from './context-caches.ts';
import type { CacheCalls, PreparedBody } from './context-caches.ts';
import { AnswerBuilder } from './answer-builder.ts';
import { GeminiClient } from './gemini-client.ts';
import { assertGeminiOptions, endpointOf, withEnv } from './gemini-options.ts';
import type { GeminiConnectionOptions } from './gemini-options.ts';
import { isCacheRefused } from './map-gemini-error.ts';
import { readGeminiAnswer, readGeminiStream } from './read-gemini-stream.ts';
import { findGeminiSetting, withoutSettings, withToolName } from './refused-settings.ts';
import { toGeminiRequest } from './to-gemini-request.ts';
import type { RequestTarget } from './to-gemini-request.ts';

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
  readonly #target: RequestTarget;
  readonly #endpoint: Endpoint;
  /** Settings that Gemini rejected, by model. They are not sent again. */
  readonly #rejectedSettings = new Map<string, Set<string>>();
  readonly #warnings: ModelWarnings;

  constructor(options: GeminiOptions) {
    assertGeminiOptions(options, ['model'], 'Gemini');
    assertModelName(options.model, 'Gemini');
    const { model, vertexai, project, location, schemas, ...rest } = options;
    this.model = model;
    this.providerName = vertexai ? 'gcp.vertex_ai' : 'gcp.gemini';
    this.#endpoint = endpointOf(options);
    this.#target = { vertexai, project, location, schemas, endpoint: this.#endpoint };
    this.#client = new GeminiClient({ ...rest, vertexai, project, location });
    this.#warnings = new ModelWarnings('gemini', this.#client.connection.runtime.logger);
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
   * rejected part if that is optional: thought signatures of another endpoint, a context cache, and settings such as
   * `thinkingLevel`. A warning is logged once for each.
   */
  generateContentAsync(request: LlmRequest, options: LlmOptions): AsyncIterableIterator<LlmResponse> {
    const { model = this.model } = request;
    const warn = (warning: string, settings: readonly string[]): void =>
      this.#warnings.warn(warning, { model, settings, logger: options.logger });
    const rejected = this.#rejectedSettings.get(model) ?? new Set<string>();
    let fullBody: JsonObject = {};
    let prepared: PreparedBody | undefined;
    const makeBody = async (): Promise<JsonObject> => {
      fullBody = withoutSettings(toGeminiRequest(request, this.model, this.#target).body, rejected);
      const { contextCache: hint } = request;
      if (!hint || fullBody['cachedContent'] !== undefined) return fullBody;
      const logger = options.logger ?? this.#client.connection.runtime.logger;
      prepared = await this.#caches.prepare(fullBody, { hint, model, signal: options.signal, logger });
      return prepared.body;
    };
    const onAnswer = (usage: Usage | undefined): void => prepared?.onAnswer(usage?.promptTokenCount);
    return recoverFirst(this.#answer(model, { makeBody, onAnswer }, options), (error) => {
      if (prepared?.hasCache && isCacheRefused(error)) {
        prepared.onCacheRejected();
        warn('a context cache that the server does not accept is left out', ['cachedContent']);
        return this.generateContentAsync({ ...request, contextCache: undefined }, options);
      }
      if (isReasoningRejected(error) && this.#hasSignatures(request)) {
        warn('thought signatures that the model cannot read are left out', [this.#endpoint.name]);
        const contents = withoutEncryptedReasoning(request.contents);
        return this.generateContentAsync({ ...request, contents }, options);
      }
      const setting = findGeminiSetting(error, fullBody);
      if (setting !== undefined && !rejected.has(setting)) {
        this.#rejectedSettings.set(model, rejected.add(setting));
        warn('settings that the server refused are left out', [setting]);
        return this.generateContentAsync(request, options);
      }
      const contents = withoutRejectedMedia(error, request.contents);
      if (!contents) throw withToolName(error, fullBody) ?? error;
      warn('files that the server refused are left out', ['files']);
      return this.generateContentAsync({ ...request, contents }, options);
    });
  }

  /** Yields one answer. Sends further requests while the server announces more of it. */
  async *#answer(
    model: string,
    { makeBody, onAnswer }: { makeBody: () => Promise<JsonObject>; onAnswer: (usage: Usage | undefined) => void },
    { stream, signal }: LlmOptions,
  ): AsyncGenerator<LlmResponse, void, undefined> {
    const body = await makeBody();
    const { connection } = this.#client;
    const builder = new AnswerBuilder(this.#endpoint.name);
    let call = { model, body, stream };
    for (;;) {
      const send = (attemptSignal: AbortSignal): Promise<Response> => this.#client.generate(call, attemptSignal);
      if (stream) yield* connection.stream(send, (answer) => readGeminiStream(answer, builder), signal);
      else for await (const chunk of connection.stream(send, readGeminiAnswer, signal)) builder.add(chunk);
      const continuationToken = builder.takeToken();
      if (continuationToken === undefined) break;
      call = { model, body: { ...body, continuationToken }, stream };
    }
    const final = builder.toResponse();
    onAnswer(final.usageMetadata);
    yield final;
  }

  /** Also true for signatures in parts that name no endpoint, such as parts of other frameworks. */
  #hasSignatures({ contents }: LlmRequest): boolean {
    if (mayHaveEncryptedReasoning(contents, this.#endpoint)) return true;
    return contents.some(({ parts = [] }) => parts.some((part) => part.thoughtSignature !== undefined));
  }
}
