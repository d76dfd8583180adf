import { TholeError } from '@thole/core';
import { assertCount, isPlainObject, splitIntoBatches } from '@thole/core/kit';
import type { Embedder } from '@thole/core';
import { openAiFailure } from './map-openai-error.ts';
import { OpenAiClient } from './openai-client.ts';
import { assertOpenAiOptions, assertText } from './openai-options.ts';
import type { OpenAiConnectionOptions } from './openai-options.ts';
import { optionsFromEnv } from './options-from-env.ts';
import type { FromEnv } from './options-from-env.ts';
import { readOrderedVectors } from './read-ordered-vectors.ts';

/** Model, vector length and connection of an `OpenAiEmbedder`. */
export interface OpenAiEmbedderOptions extends OpenAiConnectionOptions {
  /** The server's name of the model. */
  model: string;
  /** Length of a vector. Default: the length of OpenAI's models; required for others. `text-embedding-3-…` can be shortened. */
  dimensions?: number | undefined;
  /** Maximum number of texts in one call. Default: 2,048, OpenAI's limit. */
  maxBatch?: number | undefined;
  /**
   * Maximum number of estimated tokens in one request; more texts are split. Default: 150,000, which keeps texts of
   * every script below OpenAI’s limit of 300,000.
   */
  maxBatchTokens?: number | undefined;
}

/** Options of `OpenAiEmbedder.fromEnv`, in addition to the model. */
export type OpenAiEmbedderEnvOptions = FromEnv<OpenAiEmbedderOptions>;

const DIMENSIONS: { readonly [model: string]: number } = {
  'text-embedding-3-small': 1536,
  'text-embedding-3-large': 3072,
  'text-embedding-ada-002': 1536,
};

/** Embeds texts with OpenAI, Azure or a compatible server. Queries and documents are embedded in the same way. */
export class OpenAiEmbedder implements Embedder {
  readonly specVersion = 1;
  readonly model: string;
  readonly dimensions: number;
  readonly maxBatch: number;
  readonly providerName: string;
  readonly #maxBatchTokens: number;
  readonly #client: OpenAiClient;
  /** Members of the request, without the texts. */
  readonly #body: object;

  /**
   * Throws `INVALID_INPUT` for invalid options, a missing key, and a model whose dimensions are neither known nor
   * given.
   */
  constructor(options: OpenAiEmbedderOptions) {
    const { model, dimensions, maxBatch = 2048, maxBatchTokens = 150_000, ...connection } = options;
    assertOpenAiOptions(connection, 'OpenAiEmbedder');
    assertText(model ?? '', 'model of OpenAiEmbedder');
    if (dimensions !== undefined) assertCount('dimensions of OpenAiEmbedder', dimensions, 1);
    assertCount('maxBatch of OpenAiEmbedder', maxBatch, 1);
    assertCount('maxBatchTokens of OpenAiEmbedder', maxBatchTokens, 1);
    this.#maxBatchTokens = maxBatchTokens;
    const fullLength = Object.hasOwn(DIMENSIONS, model) ? DIMENSIONS[model] : undefined;
    const length = dimensions ?? fullLength;
    if (length === undefined) {
      throw new TholeError(
        'INVALID_INPUT',
        `OpenAiEmbedder does not know the length of the vectors of ${model}. Set dimensions.`,
      );
    }
    this.model = model;
    this.dimensions = length;
    this.maxBatch = maxBatch;
    this.#client = new OpenAiClient(connection);
    this.providerName = connection.azure ? 'azure.ai.openai' : this.#client.provider;
    const isShortened = fullLength !== undefined && length !== fullLength;
    // Floats are requested explicitly: many servers support nothing else, and the SDK would request base64.
    this.#body = {
      model: connection.azure?.deployment ?? model,
      encoding_format: 'float',
      ...(isShortened && { dimensions: length }),
    };
  }

  /** Creates an embedder with options from the environment. The variables are those of `OpenAi.fromEnv`. */
  static fromEnv(model: string, options: OpenAiEmbedderEnvOptions = {}): OpenAiEmbedder {
    return new OpenAiEmbedder({ ...optionsFromEnv<OpenAiEmbedderOptions>(options), model } as OpenAiEmbedderOptions);
  }

  /**
   * Returns one vector per text. Throws `EMBEDDER_FAILED` for a wrong number or length of vectors, otherwise
   * `MODEL_…`.
   */
  async embed(texts: readonly string[], { signal }: Parameters<Embedder['embed']>[1]): Promise<Float32Array[]> {
    signal?.throwIfAborted();
    if (texts.length === 0) return [];
    if (texts.length > this.maxBatch) {
      throw new TholeError('INVALID_INPUT', `texts must have at most ${this.maxBatch} texts, got ${texts.length}.`);
    }
    const vectors: Float32Array[] = [];
    for (const batch of splitIntoBatches(texts, { maxTokens: this.#maxBatchTokens }))
      vectors.push(...(await this.#send(batch, signal)));
    return vectors;
  }

  #send(texts: readonly string[], signal: AbortSignal | undefined): Promise<Float32Array[]> {
    return this.#client.connection.send(async (attemptSignal) => {
      const answer = await this.#client.post('/embeddings', { ...this.#body, input: texts }, attemptSignal);
      if (!isPlainObject(answer) || !Array.isArray(answer['data'])) throw openAiFailure(answer);
      return readOrderedVectors(answer['data'], texts.length, this.dimensions);
    }, signal);
  }
}
