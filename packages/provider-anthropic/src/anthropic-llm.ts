import { TholeError } from '@thole/core';
import {
  assertModelName,
  isReasoningRejected,
  mayHaveEncryptedReasoning,
  ModelWarnings,
  recoverFirst,
  withoutEncryptedReasoning,
  withoutRejectedMedia,
} from '@thole/core/kit';
import type { JsonObject, Llm, LlmOptions, LlmRequest, LlmResponse } from '@thole/core';
import { AnthropicClient } from './anthropic-client.ts';
import type { AnthropicCall } from './anthropic-client.ts';
import { assertAnthropicOptions } from './anthropic-options.ts';
import type { AnthropicConnectionOptions, RequestTarget } from './anthropic-options.ts';
import { AnswerBuilder } from './answer-builder.ts';
import { optionsFromEnv } from './options-from-env.ts';
import type { FromEnv } from './options-from-env.ts';
import { renameParameters } from './property-names.ts';
import type { RenamedRequest } from './property-names.ts';
import { readAnthropicStream } from './read-anthropic-stream.ts';
import { findAnthropicSetting, readTokenLimit, withoutSettings, withToolName } from './refused-settings.ts';
import { toAnthropicRequest } from './to-anthropic-request.ts';

/** Model and connection of an `Anthropic`. */
export interface AnthropicOptions extends AnthropicConnectionOptions {
  /** Name such as `claude-sonnet-5-5`; on Bedrock and Vertex AI their names of the model. */
  model: string;
}

/** Options of `Anthropic.fromEnv`. `bedrock: true` and `vertex: true` read all options of the cloud from the environment. */
export type AnthropicEnvOptions = FromEnv;

/** Maximum number of requests for one answer that the provider pauses. */
const MAX_REQUESTS = 20;

/**
 * A Claude model on Anthropic's API, Amazon Bedrock or Vertex AI. Errors have the codes `MODEL_…`, and `DRIVER_MISSING`
 * if the cloud's package is not installed. Anthropic's SDK is loaded at the first call.
 */
export class Anthropic implements Llm {
  readonly specVersion = 1;
  readonly model: string;
  readonly providerName: string;
  readonly #client: AnthropicClient;
  readonly #maxTokens: number | undefined;
  /** Settings that the server rejected, by model. They are not sent again. */
  readonly #rejectedSettings = new Map<string, Set<string>>();
  /** Limits of `max_tokens` that error messages of the server contained, by model. */
  readonly #limits = new Map<string, number>();
  readonly #warnings: ModelWarnings;

  /** Throws `INVALID_INPUT` for invalid options and for a missing key; the message names the variable to set. */
  constructor(options: AnthropicOptions) {
    const { model, ...connection } = options;
    assertAnthropicOptions(connection, 'Anthropic');
    assertModelName(model, 'Anthropic');
    this.model = model;
    this.providerName = connection.bedrock ? 'aws.bedrock' : connection.vertex ? 'gcp.vertex_ai' : 'anthropic';
    this.#maxTokens = connection.maxTokens;
    this.#client = new AnthropicClient(connection);
    this.#warnings = new ModelWarnings('anthropic', this.#client.connection.runtime.logger);
  }

  /**
   * Creates a model with options from the environment: `ANTHROPIC_API_KEY` and `ANTHROPIC_BASE_URL`, or the variables
   * of Bedrock or Vertex AI. The given options have priority.
   */
  static fromEnv(model: string, options: AnthropicEnvOptions = {}): Anthropic {
    return new Anthropic({ ...optionsFromEnv(options), model });
  }

  /**
   * Calls the model. `request.model` overrides the constructor's model. An answer that the provider pauses is continued.
   * A rejected request is sent again without the rejected part if that is optional: thoughts that the model cannot read,
   * settings such as `temperature`, and a `max_tokens` over the model's limit. A warning is logged once for each. The API
   * rejects names of parameters such as `filter[id]`: they are sent with other names, and calls are returned with the tool's names.
   */
  generateContentAsync(request: LlmRequest, options: LlmOptions): AsyncIterableIterator<LlmResponse> {
    const renamed = renameParameters(request);
    return renamed ? restoreNames(this.#generate(renamed.request, options), renamed) : this.#generate(request, options);
  }

  #generate(request: LlmRequest, options: LlmOptions): AsyncIterableIterator<LlmResponse> {
    const { model = this.model } = request;
    const { endpoint } = this.#client;
    const warn = (warning: string, settings: readonly string[]): void =>
      this.#warnings.warn(warning, { model, settings, logger: options.logger });
    const rejected = this.#rejectedSettings.get(model) ?? new Set<string>();
    const limit = this.#limits.get(model);
    let sentBody: JsonObject = {};
    const makeCall = (): AnthropicCall => {
      const leftOut: string[] = [];
      const target: RequestTarget = {
        model,
        endpoint,
        stream: options.stream,
        maxTokens: limit ?? this.#maxTokens,
        leaveOut: (setting) => leftOut.push(setting),
      };
      const { body, betas } = toAnthropicRequest(request, target);
      sentBody = withoutSettings(body, rejected);
      warn('settings that the model does not accept are left out', leftOut);
      return { body: sentBody, betas, stream: options.stream };
    };
    return recoverFirst(this.#answer(makeCall, options.signal), (error) => {
      if (isReasoningRejected(error) && mayHaveEncryptedReasoning(request.contents, endpoint)) {
        warn('thoughts that the model cannot read are left out', [endpoint.name]);
        return this.#generate({ ...request, contents: withoutEncryptedReasoning(request.contents) }, options);
      }
      const serverLimit = readTokenLimit(error);
      if (serverLimit !== undefined && limit === undefined && request.config.maxOutputTokens === undefined) {
        this.#limits.set(model, serverLimit);
        warn('maxTokens is lowered to the limit of the model', ['maxTokens']);
        return this.#generate(request, options);
      }
      const setting = findAnthropicSetting(error, sentBody);
      if (setting !== undefined && !rejected.has(setting)) {
        this.#rejectedSettings.set(model, rejected.add(setting));
        warn('settings that the server refused are left out', [setting]);
        return this.#generate(request, options);
      }
      const contents = withoutRejectedMedia(error, request.contents);
      if (!contents) throw withToolName(error, sentBody) ?? error;
      warn('files that the server refused are left out', ['files']);
      return this.#generate({ ...request, contents }, options);
    });
  }

  /** Yields one answer. Sends further requests while the answer is paused. A filter may reject the request or stop the answer. */
  async *#answer(makeCall: () => AnthropicCall, signal: AbortSignal): AsyncGenerator<LlmResponse, void, undefined> {
    const { connection, endpoint } = this.#client;
    const builder = new AnswerBuilder(endpoint.name);
    const first = makeCall();
    let call = first;
    for (let requests = 1; ; requests++) {
      const current = call;
      try {
        yield* connection.stream(
          (attemptSignal) => this.#client.post(current, attemptSignal),
          (opened) => readAnthropicStream(opened, builder),
          signal,
        );
      } catch (error) {
        if (!TholeError.is(error, 'MODEL_BLOCKED')) throw error;
        yield builder.toBlockedResponse(error.message);
        return;
      }
      const pause = requests < MAX_REQUESTS ? builder.takePause() : undefined;
      if (!pause) break;
      const { messages } = first.body;
      const earlierMessages = Array.isArray(messages) ? messages : [];
      const continued = [...earlierMessages, { role: 'assistant', content: [...pause.content] }];
      const container = pause.container === undefined ? {} : { container: pause.container };
      call = { ...first, body: { ...first.body, ...container, messages: continued } };
    }
    yield builder.toResponse();
  }
}

async function* restoreNames(
  responses: AsyncIterable<LlmResponse>,
  { restore }: RenamedRequest,
): AsyncGenerator<LlmResponse, void, undefined> {
  for await (const response of responses) yield restore(response);
}
