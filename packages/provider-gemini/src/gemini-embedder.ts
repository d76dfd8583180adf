import { TholeError } from '@thole/core';
import { assertCount, assertModelName, isPlainObject, readVectors, splitIntoBatches } from '@thole/core/kit';
import type { Embedder, EnvVars } from '@thole/core';
import { GeminiClient } from './gemini-client.ts';
import type { EmbedCall } from './gemini-client.ts';
import { assertGeminiOptions, withEnv } from './gemini-options.ts';
import type { GeminiConnectionOptions } from './gemini-options.ts';

/** Model, vector length and connection of a `GeminiEmbedder`. */
export interface GeminiEmbedderOptions extends GeminiConnectionOptions {
  /** Name of the model. Default: `gemini-embedding-001`. */
  model?: string | undefined;
  /** Length of a vector. Shorter vectors are normalized to length 1. Default: 3072. */
  dimensions?: number | undefined;
  /** Maximum number of estimated tokens in one request; more texts are split. Default: 20,000. */
  maxBatchTokens?: number | undefined;
}

/** Length of the vectors that Gemini normalizes itself. */
const FULL_DIMENSIONS = 3072;
/** Maximum number of concurrent calls. */
const MAX_CONCURRENT_CALLS = 8;

/**
 * Embeds texts with Gemini, at most 100 at a time. Texts with more than `maxBatchTokens` tokens are split into several
 * calls. On Vertex AI, models named `gemini-…` embed one text per call. Errors have the code `EMBEDDER_FAILED` for an
 * invalid answer, otherwise `MODEL_…`; the constructor throws `INVALID_INPUT`.
 */
export class GeminiEmbedder implements Embedder {
  readonly specVersion = 1;
  readonly model: string;
  readonly dimensions: number;
  readonly maxBatch = 100;
  readonly providerName: string;
  readonly #client: GeminiClient;
  readonly #textsPerCall: number;
  readonly #maxBatchTokens: number;

  constructor(options: GeminiEmbedderOptions) {
    assertGeminiOptions(options, ['model', 'dimensions', 'maxBatchTokens'], 'GeminiEmbedder');
    const { model = 'gemini-embedding-001', dimensions = FULL_DIMENSIONS, maxBatchTokens = 20_000, ...rest } = options;
    assertModelName(model, 'GeminiEmbedder');
    assertCount('dimensions of GeminiEmbedder', dimensions, 1);
    assertCount('maxBatchTokens of GeminiEmbedder', maxBatchTokens, 1);
    this.#maxBatchTokens = maxBatchTokens;
    this.model = model;
    this.dimensions = dimensions;
    this.providerName = rest.vertexai ? 'gcp.vertex_ai' : 'gcp.gemini';
    const { schemas: _, ...connection } = rest;
    this.#client = new GeminiClient(connection);
    this.#textsPerCall = rest.vertexai && model.includes('gemini') ? 1 : this.maxBatch;
  }

  /**
   * Creates an embedder with options from the environment (`GOOGLE_API_KEY` or `GEMINI_API_KEY` …). `env` replaces
   * the variables of the process.
   */
  static fromEnv(
    model?: string,
    options: Omit<GeminiEmbedderOptions, 'model'> & { env?: EnvVars | undefined } = {},
  ): GeminiEmbedder {
    const { env, ...given } = options;
    return new GeminiEmbedder({ ...withEnv(given, env), model });
  }

  async embed(
    texts: readonly string[],
    p: { task: 'query' | 'document'; signal?: AbortSignal | undefined },
  ): Promise<Float32Array[]> {
    p.signal?.throwIfAborted();
    if (texts.length > this.maxBatch)
      throw new TholeError('INVALID_INPUT', `texts must have at most ${this.maxBatch} texts, got ${texts.length}.`);
    const batches = splitIntoBatches(texts, { maxTexts: this.#textsPerCall, maxTokens: this.#maxBatchTokens });
    const stop = new AbortController();
    const signal = p.signal ? AbortSignal.any([p.signal, stop.signal]) : stop.signal;
    const vectors: Float32Array[] = [];
    try {
      for (let i = 0; i < batches.length; i += MAX_CONCURRENT_CALLS) {
        const calls = batches
          .slice(i, i + MAX_CONCURRENT_CALLS)
          .map((batch) => this.#embed(batch, { task: p.task, signal }));
        vectors.push(...(await Promise.all(calls)).flat());
      }
      return vectors;
    } finally {
      stop.abort();
    }
  }

  async #embed(
    texts: readonly string[],
    p: { task: 'query' | 'document'; signal?: AbortSignal | undefined },
  ): Promise<Float32Array[]> {
    const call = { model: this.model, ...applyTask(this.model, texts, p.task), dimensions: this.dimensions };
    const answer = await this.#client.connection.send((signal) => this.#client.embed(call, signal), p.signal);
    const { embeddings } = (answer ?? {}) as { embeddings?: unknown };
    const values = Array.isArray(embeddings) ? embeddings.map(valuesOf) : embeddings;
    const vectors = readVectors(values, { count: texts.length, dimensions: this.dimensions, server: 'Gemini' });
    return this.dimensions < FULL_DIMENSIONS ? vectors.map(normalize) : vectors;
  }
}

function valuesOf(embedding: unknown): unknown {
  return isPlainObject(embedding) ? embedding['values'] : undefined;
}

/** Returns texts and task in the format of the model: since `gemini-embedding-2`, the task is a prefix of each text. */
function applyTask(
  model: string,
  texts: readonly string[],
  task: 'query' | 'document',
): Pick<EmbedCall, 'texts' | 'taskType'> {
  if (Number(/gemini-embedding-(\d+)/.exec(model)?.[1] ?? 1) < 2)
    return { texts, taskType: task === 'query' ? 'RETRIEVAL_QUERY' : 'RETRIEVAL_DOCUMENT' };
  const prefix = task === 'query' ? 'task: search result | query: ' : 'title: none | text: ';
  return { texts: texts.map((text) => prefix + text), taskType: undefined };
}

function normalize(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return length > 0 ? vector.map((x) => x / length) : vector;
}
