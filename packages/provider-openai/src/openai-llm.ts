import type { Llm, LlmOptions, LlmRequest, LlmResponse } from '@thole/core';
import { fromOpenAiResponse } from './from-openai-response.ts';
import { mapOpenAiError } from './map-openai-error.ts';
import { readOpenAiStream } from './read-openai-stream.ts';
import { toOpenAiRequest } from './to-openai-request.ts';

/** How to reach OpenAi. */
export interface OpenAiOptions {
  readonly model: string;
  /** One request to the provider: its answer, or the pieces of it. */
  readonly send: (body: unknown, options: LlmOptions) => Promise<unknown>;
}

/** A model of OpenAi. Errors carry the codes of core's table, `MODEL_…`. */
export class OpenAi implements Llm {
  readonly specVersion = 1;
  readonly model: string;
  readonly #send: OpenAiOptions['send'];

  constructor(options: OpenAiOptions) {
    this.model = options.model;
    this.#send = options.send;
  }

  async *generateContentAsync(request: LlmRequest, options: LlmOptions): AsyncGenerator<LlmResponse> {
    try {
      const answer = await this.#send(toOpenAiRequest(request), options);
      if (options.stream) yield* readOpenAiStream(answer);
      else yield fromOpenAiResponse(answer);
    } catch (error) {
      throw mapOpenAiError(error);
    }
  }
}
