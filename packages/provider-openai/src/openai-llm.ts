import { TholeError } from '@thole/core';
import {
  ModelWarnings,
  mayHaveEncryptedReasoning,
  isReasoningRejected,
  recoverFirst,
  withoutEncryptedReasoning,
  withoutRejectedMedia,
} from '@thole/core/kit';
import type { JsonObject, Llm, LlmOptions, LlmRequest, LlmResponse } from '@thole/core';
import { blockAsFinal } from './block-as-final.ts';
import { fromChatResponse } from './chat/from-chat-response.ts';
import { readChatStream } from './chat/read-chat-stream.ts';
import { toChatRequest } from './chat/to-chat-request.ts';
import { fromOpenAiResponse } from './from-openai-response.ts';
import { assertApi, assertOpenAiOptions, assertText, isOpenAi } from './openai-options.ts';
import { OpenAiClient, readJson } from './openai-client.ts';
import type { OpenAiApi, OpenAiConnectionOptions, RequestTarget } from './openai-options.ts';
import { optionsFromEnv } from './options-from-env.ts';
import type { FromEnv } from './options-from-env.ts';
import { readOpenAiStream } from './read-openai-stream.ts';
import { findRejectedSetting, withoutSettings } from './refused-settings.ts';
import { toOpenAiRequest } from './to-openai-request.ts';

/** Model and connection of an `OpenAi`. */
export interface OpenAiOptions extends OpenAiConnectionOptions {
  /** The server's name of the model. On Azure, the model behind the deployment. */
  model: string;
  /** API of the server. Default: `responses` for OpenAI and Azure, `chat` for the server of another `baseUrl`. */
  api?: OpenAiApi | undefined;
}

/** Options of `OpenAi.fromEnv`, in addition to the model. `azure: true` reads all options of Azure from the environment. */
export type OpenAiEnvOptions = FromEnv<OpenAiOptions>;

/**
 * A model of OpenAI, Azure, or a server with a compatible Chat Completions API. Errors have the codes `MODEL_…`. The
 * SDK is loaded at the first call.
 */
export class OpenAi implements Llm {
  readonly specVersion = 1;
  readonly model: string;
  readonly providerName: string;
  readonly #client: OpenAiClient;
  readonly #protocol: Protocol;
  readonly #schemas: OpenAiOptions['schemas'];
  /** Azure's deployment of `model`. */
  readonly #deployment: string | undefined;
  /** Settings that the server rejected, by model. They are not sent again. */
  readonly #rejectedSettings = new Map<string, Set<string>>();
  readonly #warnings: ModelWarnings;

  /** Throws `INVALID_INPUT` for invalid options and for a missing key; the message names the variable to set. */
  constructor(options: OpenAiOptions) {
    const { model, api, ...connection } = options;
    assertOpenAiOptions(connection, 'OpenAi');
    assertText(model ?? '', 'model of OpenAi');
    assertApi(api, 'OpenAi');
    this.model = model;
    this.#client = new OpenAiClient(connection);
    this.#warnings = new ModelWarnings(this.#client.provider, this.#client.connection.runtime.logger);
    this.providerName = connection.azure ? 'azure.ai.openai' : this.#client.provider;
    this.#protocol = (api ?? (isOpenAi(connection.baseUrl) ? 'responses' : 'chat')) === 'chat' ? chat : responses;
    this.#schemas = connection.schemas;
    this.#deployment = connection.azure?.deployment;
  }

  /**
   * Creates a model with options from the environment: `OPENAI_API_KEY` and `OPENAI_BASE_URL`, or for Azure
   * `AZURE_OPENAI_API_KEY`, `AZURE_OPENAI_ENDPOINT` and `OPENAI_API_VERSION`. The given options have priority.
   */
  static fromEnv(model: string, options: OpenAiEnvOptions = {}): OpenAi {
    return new OpenAi({ ...optionsFromEnv<OpenAiOptions>(options), model });
  }

  /**
   * Calls the model. `request.model` overrides the constructor's model. A rejected request is sent again without the
   * rejected part if that is optional: encrypted reasoning of another endpoint or key, and settings such as
   * `temperature`. A warning is logged once for each.
   */
  generateContentAsync(request: LlmRequest, options: LlmOptions): AsyncIterableIterator<LlmResponse> {
    return blockAsFinal(this.#generate(request, options));
  }

  #generate(request: LlmRequest, options: LlmOptions): AsyncIterableIterator<LlmResponse> {
    const { model = this.model } = request;
    const { provider, endpoint } = this.#client;
    const warn = (warning: string, settings: readonly string[]): void =>
      this.#warnings.warn(warning, { model, settings, logger: options.logger });
    const rejected = this.#rejectedSettings.get(model) ?? new Set<string>();
    const leftOut: string[] = [];
    const target: RequestTarget = {
      model,
      deployment: model === this.model ? this.#deployment : undefined,
      provider,
      endpoint,
      stream: options.stream,
      schemas: this.#schemas,
      leaveOut: (setting) => leftOut.push(setting),
    };
    let body: JsonObject = {};
    const makeBody = (): JsonObject => {
      body = withoutSettings(this.#protocol.toBody(request, target) as JsonObject, rejected);
      warn('settings that the model does not accept are left out', leftOut.splice(0));
      return body;
    };
    return recoverFirst(this.#send(makeBody, target, options.signal), (error) => {
      if (isReasoningRejected(error) && mayHaveEncryptedReasoning(request.contents, endpoint)) {
        warn('encrypted reasoning that the model cannot read is left out', [endpoint.name]);
        return this.#generate({ ...request, contents: withoutEncryptedReasoning(request.contents) }, options);
      }
      const setting = findRejectedSetting(error, body);
      if (setting !== undefined && !rejected.has(setting)) {
        this.#rejectedSettings.set(model, rejected.add(setting));
        warn('settings that the server refused are left out', [setting]);
        return this.#generate(request, options);
      }
      const contents = withoutRejectedMedia(error, request.contents);
      if (!contents) return undefined;
      warn('files that the server refused are left out', ['files']);
      return this.#generate({ ...request, contents }, options);
    });
  }

  #send(
    makeBody: () => JsonObject,
    target: RequestTarget,
    signal: AbortSignal,
  ): AsyncIterableIterator<LlmResponse, undefined> {
    const { path, read, readStream } = this.#protocol;
    // If a body ends early, the request is not sent again: the answer is already billed. After an error body, it is.
    const readBody = async (response: Response): Promise<AsyncIterable<LlmResponse>> => {
      try {
        return yieldOne(read(await readJson(response), target));
      } catch (error) {
        if (TholeError.is(error) && error.code !== 'MODEL_INCOMPLETE') throw error;
        return yieldOne(Promise.reject(error as Error));
      }
    };
    let body: JsonObject | undefined;
    const open = async (attemptSignal: AbortSignal): Promise<AsyncIterable<LlmResponse>> => {
      body ??= makeBody();
      if (!target.stream) return await readBody(await this.#client.postUnread(path, body, attemptSignal));
      const opened = await this.#client.postStream(path, body, attemptSignal);
      return 'events' in opened ? readStream(opened.events, target) : await readBody(opened.body);
    };
    return this.#client.connection.stream(open, (responses) => responses, signal);
  }
}

/** One of the two APIs. */
interface Protocol {
  readonly path: string;
  readonly toBody: (request: LlmRequest, target: RequestTarget) => object;
  readonly read: (answer: unknown, target: RequestTarget) => LlmResponse;
  readonly readStream: (events: AsyncIterable<unknown>, target: RequestTarget) => AsyncIterable<LlmResponse>;
}

const chat: Protocol = {
  path: '/chat/completions',
  toBody: toChatRequest,
  read: fromChatResponse,
  readStream: readChatStream,
};

const responses: Protocol = {
  path: '/responses',
  toBody: toOpenAiRequest,
  read: fromOpenAiResponse,
  readStream: readOpenAiStream,
};

async function* yieldOne(response: LlmResponse | Promise<LlmResponse>): AsyncGenerator<LlmResponse> {
  yield await response;
}
