import type { Llm, LlmOptions, LlmRequest, LlmResponse } from '@thole/core';
import { fromGeminiResponse } from './from-gemini-response.ts';
import { mapGeminiError } from './map-gemini-error.ts';
import { readGeminiStream } from './read-gemini-stream.ts';
import { toGeminiRequest } from './to-gemini-request.ts';

/** How to reach Gemini. */
export interface GeminiOptions {
  readonly model: string;
  /** One request to the provider: its answer, or the pieces of it. */
  readonly send: (body: unknown, options: LlmOptions) => Promise<unknown>;
}

/** A model of Gemini. Errors carry the codes of core's table, `MODEL_…`. */
export class Gemini implements Llm {
  readonly specVersion = 1;
  readonly model: string;
  readonly #send: GeminiOptions['send'];

  constructor(options: GeminiOptions) {
    this.model = options.model;
    this.#send = options.send;
  }

  async *generateContentAsync(request: LlmRequest, options: LlmOptions): AsyncGenerator<LlmResponse> {
    try {
      const answer = await this.#send(toGeminiRequest(request), options);
      if (options.stream) yield* readGeminiStream(answer);
      else yield fromGeminiResponse(answer);
    } catch (error) {
      throw mapGeminiError(error);
    }
  }
}
