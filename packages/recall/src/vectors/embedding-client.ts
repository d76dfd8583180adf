import { TholeError } from '@thole/core';
import {
  assertBytes,
  assertCount,
  inNewSpan,
  optionNames,
  raceAbort,
  rejectUnknownOptions,
  withRetries,
} from '@thole/core/kit';
import type { TracedWork } from '@thole/core/kit';
import type { Embedder, Runtime } from '@thole/core';
import { EmbeddingCache } from './embedding-cache.ts';
import { unitVector } from './unit-vector.ts';
import { ConcurrencyLimiter } from './concurrency-limiter.ts';

/** Options of `EmbeddingClient`. */
export interface EmbeddingClientOptions {
  embedder: Embedder;
  runtime: Runtime;
  /** Maximum number of parallel calls. Default: 4. */
  maxConcurrentBatches?: number | undefined;
  /** Maximum number of attempts of a call that fails with a retryable error. Default: 3. */
  maxAttempts?: number | undefined;
  /** Approximate size of the vector cache in bytes. Default: 16 MiB. */
  cacheBytes?: number | undefined;
}

const names = optionNames<EmbeddingClientOptions>({
  embedder: true,
  runtime: true,
  maxConcurrentBatches: true,
  maxAttempts: true,
  cacheBytes: true,
});

/** Calls an embedder with a limit on parallel calls, retries and a cache. */
export class EmbeddingClient {
  readonly #embedder: Embedder;
  readonly #runtime: Runtime;
  readonly #maxAttempts: number;
  readonly #limiter: ConcurrencyLimiter;
  readonly #cache: EmbeddingCache;
  readonly maxConcurrentBatches: number;

  /** Throws `INVALID_INPUT` for wrong options. */
  constructor(options: EmbeddingClientOptions) {
    rejectUnknownOptions(options, names, 'EmbeddingClient');
    const { embedder, runtime, maxConcurrentBatches = 4, maxAttempts = 3, cacheBytes = 16 * 1024 * 1024 } = options;
    assertCount('maxConcurrentBatches', maxConcurrentBatches, 1);
    assertCount('maxAttempts', maxAttempts, 1);
    assertBytes('cacheBytes', cacheBytes);
    this.#embedder = embedder;
    this.#runtime = runtime;
    this.#maxAttempts = maxAttempts;
    this.#limiter = new ConcurrencyLimiter(maxConcurrentBatches);
    this.#cache = new EmbeddingCache(cacheBytes);
    this.maxConcurrentBatches = maxConcurrentBatches;
  }

  /** The embedder's current model and dimensions, as stored with each vector. */
  get model(): string {
    return `${this.#embedder.model}@${this.#embedder.dimensions}`;
  }

  /** Maximum number of texts in one call. */
  get maxBatch(): number {
    return Math.max(1, Math.floor(this.#embedder.maxBatch));
  }

  /**
   * Returns a vector of length 1 for each of at most `maxBatch` texts; undefined where the embedder returns a vector that is empty,
   * all zero or not finite. Throws the embedder's error if it is a `TholeError`, otherwise `EMBEDDER_FAILED`. Rejects with the
   * signal's reason as soon as it is aborted.
   */
  async embed(
    texts: readonly string[],
    p: { task: 'query' | 'document'; signal?: AbortSignal | undefined; maxAttempts?: number | undefined },
  ): Promise<(Float32Array | undefined)[]> {
    const { task, signal, maxAttempts = this.#maxAttempts } = p;
    const { model } = this;
    const keys = texts.map((text) => JSON.stringify([model, task, text]));
    const units = keys.map((key) => this.#cache.get(key));
    const missing = texts.flatMap((_, i) => (units[i] ? [] : [i]));
    if (missing.length === 0) return units;
    const missingTexts = missing.map((i) => texts[i]!);
    const attempt = (): Promise<Float32Array[]> =>
      this.#limiter.run(() => raceAbort(this.#call(missingTexts, task, signal), signal), signal);
    const vectors = await withRetries(attempt, { maxAttempts, runtime: this.#runtime, signal });
    for (const [k, i] of missing.entries()) {
      const unit = unitVector(vectors[k]!);
      units[i] = unit;
      if (unit) this.#cache.set(keys[i]!, unit);
    }
    return units;
  }

  /** Clears the cache, so that it keeps no text that was deleted. */
  forget(): void {
    this.#cache.clear();
  }

  async #call(
    texts: readonly string[],
    task: 'query' | 'document',
    signal: AbortSignal | undefined,
  ): Promise<Float32Array[]> {
    const embedder = this.#embedder;
    const { model, dimensions } = embedder;
    let vectors: Float32Array[];
    try {
      const call = (): Promise<Float32Array[]> => embedder.embed(texts, { task, signal });
      vectors = await (this.#runtime.tracer.isSilent ? call() : inNewSpan(this.#runtime, spanOf(embedder), call));
    } catch (cause) {
      signal?.throwIfAborted();
      if (TholeError.is(cause)) throw cause;
      throw new TholeError('EMBEDDER_FAILED', `Embedder ${model} failed.`, { cause });
    }
    if (!Array.isArray(vectors) || vectors.length !== texts.length) {
      const result = Array.isArray(vectors) ? `${vectors.length} vectors` : 'no array';
      const message = `Embedder ${model} must return ${texts.length} vectors for ${texts.length} texts, got ${result}.`;
      throw new TholeError('EMBEDDER_FAILED', message, { retryable: false });
    }
    for (const vector of vectors) {
      if (vector?.length === dimensions) continue;
      const message = `Embedder ${model} must return vectors of ${dimensions} numbers, got ${vector?.length}.`;
      throw new TholeError('EMBEDDER_FAILED', message, { retryable: false });
    }
    return vectors;
  }
}

/** Returns name and attributes of the span of a call, with the names of OpenTelemetry's conventions. */
function spanOf({ model, dimensions, providerName }: Embedder): TracedWork<Float32Array[]> {
  const attributes = {
    'gen_ai.operation.name': 'embeddings',
    'gen_ai.provider.name': providerName,
    'gen_ai.request.model': model,
    'gen_ai.embeddings.dimension.count': dimensions,
  };
  return { name: `embeddings ${model}`, attributes };
}
