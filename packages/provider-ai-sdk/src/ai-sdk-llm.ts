import { TholeError } from '@thole/core';
import {
  ModelWarnings,
  mayHaveEncryptedReasoning,
  invalidInput,
  isPlainObject,
  isReasoningRejected,
  optionNames,
  recoverFirst,
  toWellFormed,
  withoutEncryptedReasoning,
  withoutRejectedMedia,
} from '@thole/core/kit';
import type { Llm, LlmOptions, LlmRequest, LlmResponse } from '@thole/core';
import type { Endpoint } from '@thole/core/kit';
import { AiSdkClient } from './ai-sdk-client.ts';
import { assertAiSdkModel, assertAiSdkOptions, endpointOf } from './ai-sdk-options.ts';
import type { AiSdkConnectionOptions, AiSdkLanguageModel, AiSdkProviderTool } from './ai-sdk-options.ts';
import { fromAiSdkResponse } from './from-ai-sdk-response.ts';
import { operatorOf } from './operator-of.ts';
import { readAiSdkStream } from './read-ai-sdk-stream.ts';
import { readWarnings } from './read-warnings.ts';
import { toAiSdkRequest } from './to-ai-sdk-request.ts';
import { findUnreadableType } from './find-unreadable-type.ts';

/** Limits and defaults of an `AiSdkLlm`. */
export interface AiSdkLlmOptions extends AiSdkConnectionOptions {
  /** Tools that the provider runs itself, added to every request. */
  providerTools?: readonly AiSdkProviderTool[] | undefined;
  /**
   * Name of the account or server for `partMetadata.provider`: reasoning with signatures is sent back only to the
   * model with the same name. Default: `ai-sdk:` and the provider of the language model.
   */
  endpoint?: string | undefined;
  /**
   * Returns the language model of a name, for requests with another `model`. It may be the AI SDK provider. Default:
   * none; such a request throws `INVALID_INPUT`.
   */
  models?: ((name: string) => AiSdkLanguageModel) | undefined;
}

/**
 * A model of agents that calls any language model of the AI SDK (`LanguageModelV3` or `LanguageModelV4`). Errors have the
 * codes `MODEL_…`. Key, address and `fetch` are options of the AI SDK provider that created the language model.
 */
export class AiSdkLlm implements Llm {
  readonly specVersion = 1;
  readonly model: string;
  readonly providerName: string;
  readonly #defaultModel: AiSdkLanguageModel;
  readonly #options: AiSdkLlmOptions;
  readonly #client: AiSdkClient;
  readonly #otherModels = new Map<string, AiSdkLanguageModel>();
  /** Media types that a model rejected, by model. */
  readonly #unreadable = new Map<string, Set<string>>();
  readonly #warnings: ModelWarnings;

  /** Throws `INVALID_INPUT` for invalid options, and for a value that is not a language model of v3 or v4. */
  constructor(languageModel: AiSdkLanguageModel, options: AiSdkLlmOptions = {}) {
    assertAiSdkModel(languageModel, 'doGenerate', 'AiSdkLlm');
    assertLlmOptions(options);
    const { providerTools: _tools, endpoint: _endpoint, models: _models, ...connection } = options;
    this.#defaultModel = languageModel;
    this.#options = options;
    this.model = languageModel.modelId;
    this.providerName = operatorOf(languageModel.provider);
    this.#client = new AiSdkClient(connection, languageModel.provider);
    this.#warnings = new ModelWarnings(this.providerName, this.#client.connection.runtime.logger);
  }

  /**
   * Calls the model. If it cannot read its own encrypted reasoning, or rejects a media type of an earlier message, the
   * request is sent again without this data. A request that a filter rejects is a blocked answer. One warning names the
   * settings that were left out.
   */
  generateContentAsync(request: LlmRequest, options: LlmOptions): AsyncIterableIterator<LlmResponse> {
    const { model = this.model } = request;
    const warn = (warning: string, settings: readonly string[]): void =>
      this.#warnings.warn(warning, { model, settings, logger: options.logger });
    return recoverFirst(this.#send(request, options), (error) => {
      if (TholeError.is(error, 'MODEL_BLOCKED'))
        return yieldOne({ finishReason: 'SAFETY', errorCode: 'MODEL_BLOCKED', errorMessage: error.message });
      const endpoint = isReasoningRejected(error) ? this.#endpointOf(this.#modelOf(request)) : undefined;
      if (endpoint && mayHaveEncryptedReasoning(request.contents, endpoint)) {
        warn('encrypted reasoning that the model cannot read is left out', [endpoint.name]);
        const contents = withoutEncryptedReasoning(request.contents);
        return this.generateContentAsync({ ...request, contents }, options);
      }
      const known = this.#unreadableBy(request);
      const type = findUnreadableType(error, request.contents, known);
      if (type !== undefined) {
        known.add(type);
        return this.generateContentAsync(request, options);
      }
      const contents = withoutRejectedMedia(error, request.contents);
      if (!contents) return undefined;
      warn('files that the server refused are left out', ['files']);
      return this.generateContentAsync({ ...request, contents }, options);
    });
  }

  #send(request: LlmRequest, options: LlmOptions): AsyncIterableIterator<LlmResponse, undefined> {
    const leftOut: string[] = [];
    const warn = (warnings: unknown): void => {
      const { model = this.model } = request;
      const settings = [...leftOut, ...readWarnings(warnings)];
      const { logger } = options;
      this.#warnings.warn('settings that the model does not accept are left out', { model, settings, logger });
    };
    const open = async (signal: AbortSignal): Promise<AsyncIterable<LlmResponse>> => {
      leftOut.length = 0;
      const model = this.#modelOf(request);
      const endpoint = this.#endpointOf(model);
      const target = {
        ...this.#options,
        version: model.specificationVersion,
        endpoint,
        supportedUrls: await model.supportedUrls,
        unreadable: this.#unreadableBy(request),
        leaveOut: (setting: string) => void leftOut.push(setting),
      };
      const call = toWellFormed(toAiSdkRequest(request, target));
      if (options.stream) {
        const parts = await this.#client.open((abortSignal) => model.doStream({ ...call, abortSignal }), signal);
        return readAiSdkStream(parts, endpoint, { onWarnings: warn, explain: (error) => this.#client.explain(error) });
      }
      try {
        const result = await this.#client.call((abortSignal) => model.doGenerate({ ...call, abortSignal }), signal);
        const response = fromAiSdkResponse(result, endpoint);
        warn((result as { warnings?: unknown }).warnings);
        return yieldOne(response);
      } catch (error) {
        // If an answer ends early, the request is not sent again: the answer is already billed.
        if (!hasBegun(error)) throw error;
        return yieldOne(Promise.reject(error as Error));
      }
    };
    return this.#client.connection.stream(open, (responses) => responses, options.signal);
  }

  #modelOf({ model = this.model }: LlmRequest): AiSdkLanguageModel {
    if (model === this.model) return this.#defaultModel;
    const known = this.#otherModels.get(model);
    if (known) return known;
    const { models } = this.#options;
    if (!models) {
      throw new TholeError(
        'INVALID_INPUT',
        `This AiSdkLlm calls only ${this.model}, but the model of the request is ${model}. Set the option models.`,
      );
    }
    const otherModel = models(model);
    assertAiSdkModel(otherModel, 'doGenerate', 'models of AiSdkLlm');
    this.#otherModels.set(model, otherModel);
    return otherModel;
  }

  #endpointOf({ provider }: AiSdkLanguageModel): Endpoint {
    return endpointOf(provider, this.#options.endpoint);
  }

  #unreadableBy({ model = this.model }: LlmRequest): Set<string> {
    const known = this.#unreadable.get(model) ?? new Set<string>();
    this.#unreadable.set(model, known);
    return known;
  }
}

/** True if the error occurred after the answer began: its status is a success. */
function hasBegun(error: unknown): boolean {
  const { statusCode } = (error ?? {}) as { statusCode?: unknown };
  if (TholeError.is(error)) return error.code === 'MODEL_INCOMPLETE';
  return typeof statusCode === 'number' && statusCode < 400;
}

async function* yieldOne(response: LlmResponse | Promise<LlmResponse>): AsyncGenerator<LlmResponse> {
  yield await response;
}

const llmOptionNames = optionNames<Omit<AiSdkLlmOptions, keyof AiSdkConnectionOptions>>({
  providerTools: true,
  endpoint: true,
  models: true,
});

function assertLlmOptions(options: AiSdkLlmOptions): void {
  assertAiSdkOptions(options, llmOptionNames, 'AiSdkLlm');
  const { providerTools, endpoint, models } = options;
  if (endpoint !== undefined && (typeof endpoint !== 'string' || endpoint === ''))
    throw invalidInput('endpoint of AiSdkLlm', 'a string that is not empty', endpoint);
  if (models !== undefined && typeof models !== 'function')
    throw invalidInput('models of AiSdkLlm', 'a function from a name to a language model', models);
  if (providerTools === undefined) return;
  if (!Array.isArray(providerTools)) throw invalidInput('providerTools of AiSdkLlm', 'a list of tools', providerTools);
  for (const [index, tool] of providerTools.entries()) {
    const isTool = isPlainObject(tool) && typeof tool['id'] === 'string' && typeof tool['name'] === 'string';
    if (!isTool || !isPlainObject(tool['args']))
      throw invalidInput(`providerTools[${index}] of AiSdkLlm`, '{id, name, args}', tool);
  }
}
