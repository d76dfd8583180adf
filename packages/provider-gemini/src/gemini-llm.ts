import type { Environment, Llm, LlmOptions, LlmRequest, LlmResponse } from '@thole/core';
import { GatheredAnswer } from './gathered-answer.ts';
import { GeminiClient } from './gemini-client.ts';
import { checkGeminiOptions, checkModelName, withEnv } from './gemini-options.ts';
import type { GeminiConnectionOptions } from './gemini-options.ts';
import { readGeminiAnswer, readGeminiStream } from './read-gemini-stream.ts';
import { toGeminiRequest } from './to-gemini-request.ts';
import type { GeminiPlace } from './to-gemini-request.ts';

/** Which model, and how it is reached. */
export interface GeminiOptions extends GeminiConnectionOptions {
  /** Such as `gemini-3-flash-preview`; on Vertex AI also the name of a resource. */
  model: string;
}

/**
 * A model of Gemini, on the Gemini API or on Vertex AI. Errors carry the codes of core's table, `MODEL_…`; the constructor's are
 * `INVALID_INPUT`. Google's SDK is loaded at the first call.
 */
export class Gemini implements Llm {
  readonly specVersion = 1;
  readonly model: string;
  readonly providerName: string;
  readonly #client: GeminiClient;
  readonly #place: GeminiPlace;

  constructor(options: GeminiOptions) {
    checkGeminiOptions(options, ['model'], 'Gemini');
    checkModelName(options.model, 'Gemini');
    const { model, vertexai, project, location, ...rest } = options;
    this.model = model;
    this.providerName = vertexai ? 'gcp.vertex_ai' : 'gcp.gemini';
    this.#place = { vertexai, project, location };
    this.#client = new GeminiClient({ ...rest, ...this.#place });
  }

  /** With what the environment says (`GOOGLE_API_KEY` or `GEMINI_API_KEY` …); `env` stands in for that of the process. */
  static fromEnv(
    model: string,
    options: Omit<GeminiOptions, 'model'> & { env?: Environment | undefined } = {},
  ): Gemini {
    const { env, ...given } = options;
    return new Gemini({ ...withEnv(given, env), model });
  }

  async *generateContentAsync(request: LlmRequest, options: LlmOptions): AsyncGenerator<LlmResponse, void, undefined> {
    const { stream, signal } = options;
    const { model, body } = toGeminiRequest(request, this.model, this.#place);
    const { connection } = this.#client;
    const gathered = new GatheredAnswer();
    let asked = { model, body, stream };
    for (;;) {
      const ask = (own: AbortSignal): Promise<Response> => this.#client.ask(asked, own);
      if (stream) yield* connection.stream(ask, (answer) => readGeminiStream(answer, gathered), signal);
      else for await (const piece of connection.stream(ask, readGeminiAnswer, signal)) gathered.add(piece);
      const continuationToken = gathered.takeToken();
      if (continuationToken === undefined) break;
      asked = { model, body: { ...body, continuationToken }, stream };
    }
    yield gathered.final();
  }
}
