import { TholeError } from '@thole/core';
import { assertCount, invalidInput, optionNames, readVectors, toWellFormed } from '@thole/core/kit';
import type { Embedder } from '@thole/core';
import { AiSdkClient } from './ai-sdk-client.ts';
import { assertAiSdkModel, assertAiSdkOptions, assertProviderOptions, mergeProviderOptions } from './ai-sdk-options.ts';
import type { AiSdkConnectionOptions, AiSdkEmbeddingModel, AiSdkProviderOptions } from './ai-sdk-options.ts';
import { operatorOf } from './operator-of.ts';

/** Vector length and limits of an `AiSdkEmbedder`. */
export interface AiSdkEmbedderOptions extends AiSdkConnectionOptions {
  /** Length of the model's vectors. It is checked, not sent: to shorten vectors, also set the provider's option. */
  dimensions: number;
  /** Maximum number of texts in one call. Default: the limit of the model, otherwise 100. */
  maxBatch?: number | undefined;
  /** Provider options for queries only, such as `{google: {taskType: 'RETRIEVAL_QUERY'}}`. */
  queryOptions?: AiSdkProviderOptions | undefined;
  /** Provider options for documents only. */
  documentOptions?: AiSdkProviderOptions | undefined;
}

const MAX_BATCH = 100;

/** Embeds texts with any embedding model of the AI SDK (`EmbeddingModelV3` or `EmbeddingModelV4`). */
export class AiSdkEmbedder implements Embedder {
  readonly specVersion = 1;
  readonly model: string;
  readonly dimensions: number;
  readonly maxBatch: number;
  readonly providerName: string;
  readonly #embeddingModel: AiSdkEmbeddingModel;
  readonly #options: AiSdkEmbedderOptions;
  readonly #client: AiSdkClient;

  /** Throws `INVALID_INPUT` for invalid options, and for a value that is not an embedding model of v3 or v4. */
  constructor(embeddingModel: AiSdkEmbeddingModel, options: AiSdkEmbedderOptions) {
    assertAiSdkModel(embeddingModel, 'doEmbed', 'AiSdkEmbedder');
    assertEmbedderOptions(options);
    const { dimensions, maxBatch, queryOptions: _query, documentOptions: _document, ...connection } = options;
    const limit = embeddingModel.maxEmbeddingsPerCall;
    const hasLimit = typeof limit === 'number' && Number.isSafeInteger(limit) && limit > 0;
    this.model = embeddingModel.modelId;
    this.providerName = operatorOf(embeddingModel.provider);
    this.dimensions = dimensions;
    this.maxBatch = maxBatch ?? (hasLimit ? limit : MAX_BATCH);
    this.#embeddingModel = embeddingModel;
    this.#options = options;
    this.#client = new AiSdkClient(connection, embeddingModel.provider);
  }

  /**
   * Returns one vector per text. Throws `EMBEDDER_FAILED` for a wrong number or length of vectors, otherwise
   * `MODEL_…`.
   */
  async embed(texts: readonly string[], { task, signal }: Parameters<Embedder['embed']>[1]): Promise<Float32Array[]> {
    signal?.throwIfAborted();
    if (texts.length === 0) return [];
    if (texts.length > this.maxBatch) {
      throw new TholeError('INVALID_INPUT', `texts must have at most ${this.maxBatch} texts, got ${texts.length}.`);
    }
    const { headers, providerOptions: commonOptions, queryOptions, documentOptions } = this.#options;
    const providerOptions = mergeProviderOptions(commonOptions, task === 'query' ? queryOptions : documentOptions);
    const call = {
      values: [...toWellFormed(texts)],
      ...(headers && { headers: { ...headers } }),
      ...(providerOptions && { providerOptions }),
    };
    return await this.#client.connection.send(async (attemptSignal) => {
      const result: { readonly embeddings?: unknown } = await this.#client.call(
        (abortSignal) => this.#embeddingModel.doEmbed({ ...call, abortSignal }),
        attemptSignal,
      );
      const { dimensions } = this;
      return readVectors(result.embeddings, { count: texts.length, dimensions, server: 'The embedding model' });
    }, signal);
  }
}

const embedderOptionNames = optionNames<Omit<AiSdkEmbedderOptions, keyof AiSdkConnectionOptions>>({
  dimensions: true,
  maxBatch: true,
  queryOptions: true,
  documentOptions: true,
});

function assertEmbedderOptions(options: AiSdkEmbedderOptions): void {
  if (options === undefined) throw invalidInput('Options of AiSdkEmbedder', '{dimensions}', options);
  assertAiSdkOptions(options, embedderOptionNames, 'AiSdkEmbedder');
  assertCount('dimensions of AiSdkEmbedder', options.dimensions, 1);
  if (options.maxBatch !== undefined) assertCount('maxBatch of AiSdkEmbedder', options.maxBatch, 1);
  assertProviderOptions(options.queryOptions, 'queryOptions of AiSdkEmbedder');
  assertProviderOptions(options.documentOptions, 'documentOptions of AiSdkEmbedder');
}
