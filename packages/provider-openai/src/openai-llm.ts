import type { Llm, LlmOptions, LlmRequest, LlmResponse } from '@thole/core';
import { blockAsFinal } from './block-as-final.ts';
import { fromChatResponse } from './chat/from-chat-response.ts';
import { readChatStream } from './chat/read-chat-stream.ts';
import { toChatRequest } from './chat/to-chat-request.ts';
import { fromOpenAiResponse } from './from-openai-response.ts';
import { checkApi, checkOpenAiOptions, checkText, isOpenAi } from './openai-options.ts';
import { OpenAiClient } from './openai-client.ts';
import type { OpenAiApi, OpenAiConnectionOptions, RequestTarget } from './openai-options.ts';
import { optionsFromEnv } from './options-from-env.ts';
import type { FromEnv } from './options-from-env.ts';
import { readOpenAiStream } from './read-openai-stream.ts';
import { toOpenAiRequest } from './to-openai-request.ts';

/** Which model, and how it is reached. */
export interface OpenAiOptions extends OpenAiConnectionOptions {
  model: string;
  /** `responses` for OpenAI and Azure, `chat` for the server of another `baseUrl`, unless it is told here. */
  api?: OpenAiApi | undefined;
}

/** What `OpenAi.fromEnv` takes beside the model; `azure: true` takes all of Azure's options from the environment. */
export type OpenAiEnvOptions = FromEnv<OpenAiOptions>;

/**
 * A model of OpenAI, of Azure, or of a server that speaks Chat Completions as they do. Errors carry the codes of core's table,
 * `MODEL_…`; the SDK is loaded at the first call.
 */
export class OpenAi implements Llm {
  readonly specVersion = 1;
  readonly model: string;
  readonly providerName: string;
  readonly #client: OpenAiClient;
  readonly #protocol: Protocol;
  /** Azure goes by the deployment's name. */
  readonly #name: string;

  /** `INVALID_INPUT` for options that cannot be, and for a missing key: the message says which variable to set. */
  constructor(options: OpenAiOptions) {
    const { model, api, ...connection } = options;
    checkOpenAiOptions(connection, [], 'OpenAi');
    checkText(model ?? '', 'model of OpenAi');
    checkApi(api, 'OpenAi');
    this.model = model;
    this.#client = new OpenAiClient(connection);
    this.providerName = connection.azure ? 'azure.ai.openai' : this.#client.provider;
    this.#protocol = (api ?? (isOpenAi(connection.baseUrl) ? 'responses' : 'chat')) === 'chat' ? chat : responses;
    this.#name = connection.azure?.deployment ?? model;
  }

  /**
   * With what the environment says: `OPENAI_API_KEY` and `OPENAI_BASE_URL`, or for Azure `AZURE_OPENAI_API_KEY`,
   * `AZURE_OPENAI_ENDPOINT` and `OPENAI_API_VERSION`. What is given wins.
   */
  static fromEnv(model: string, options: OpenAiEnvOptions = {}): OpenAi {
    return new OpenAi({ ...optionsFromEnv<OpenAiOptions>(options), model });
  }

  generateContentAsync(request: LlmRequest, { stream, signal }: LlmOptions): AsyncIterableIterator<LlmResponse> {
    const target = { model: this.#name, provider: this.#client.provider, stream };
    return blockAsFinal(stream ? this.#stream(request, target, signal) : this.#whole(request, target, signal));
  }

  async *#whole(request: LlmRequest, target: RequestTarget, signal: AbortSignal): AsyncGenerator<LlmResponse> {
    const { path, toBody, read } = this.#protocol;
    const body = toBody(request, target);
    yield await this.#client.connection.send(
      async (inner) => read(await this.#client.post(path, body, inner), target),
      signal,
    );
  }

  #stream(request: LlmRequest, target: RequestTarget, signal: AbortSignal): AsyncIterableIterator<LlmResponse> {
    const { path, toBody, read, readStream } = this.#protocol;
    const open = async (inner: AbortSignal): Promise<AsyncIterable<LlmResponse>> => {
      const opened = await this.#client.postStream(path, toBody(request, target), inner);
      return 'events' in opened ? readStream(opened.events, target) : only(read(opened.whole, target));
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

async function* only(response: LlmResponse): AsyncGenerator<LlmResponse> {
  yield response;
}
