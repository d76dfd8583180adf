import { TholeError } from '@thole/core';
import { raceAbort, withRetries } from '@thole/core/kit';
import type { Embedder, Runtime } from '@thole/core';
import { EmbeddingCache } from './embedding-cache.ts';
import { unitVector } from './unit-vector.ts';
import { ConcurrencyLimiter } from './concurrency-limiter.ts';

/** How an embedder is called. */
export interface EmbeddingClientOptions {
  embedder: Embedder;
  runtime: Runtime;
  /** Calls at once, at most (4). */
  maxConcurrentBatches?: number | undefined;
  /** How often a call is made that fails with an error that may pass (3). */
  maxAttempts?: number | undefined;
  /** About how many bytes of vectors are remembered by model and text (16 MiB). */
  cacheBytes?: number | undefined;
}

/** An embedder called with care: so many calls at once, again where that may help, and not for what is known already. */
export class EmbeddingClient {
  readonly #embedder: Embedder;
  readonly #runtime: Runtime;
  readonly #maxAttempts: number;
  readonly #turns: ConcurrencyLimiter;
  readonly #cache: EmbeddingCache;
  readonly maxConcurrentBatches: number;

  constructor(options: EmbeddingClientOptions) {
    const { embedder, runtime, maxConcurrentBatches = 4, maxAttempts = 3, cacheBytes = 16 * 1024 * 1024 } = options;
    this.#embedder = embedder;
    this.#runtime = runtime;
    this.#maxAttempts = maxAttempts;
    this.#turns = new ConcurrencyLimiter(maxConcurrentBatches);
    this.#cache = new EmbeddingCache(cacheBytes);
    this.maxConcurrentBatches = maxConcurrentBatches;
  }

  /** What is kept with each vector: the embedder's present model, and how many numbers it gives. */
  get model(): string {
    return `${this.#embedder.model}@${this.#embedder.dimensions}`;
  }

  /** Texts in one call, at most. */
  get maxBatch(): number {
    return Math.max(1, Math.floor(this.#embedder.maxBatch));
  }

  /**
   * A vector of length 1 for each of at most `maxBatch` texts; undefined where the embedder gives one that points nowhere. What
   * the embedder throws, if it is an error of ours, or `EMBEDDER_FAILED`; the signal's reason at once, whatever the embedder does.
   */
  async embed(
    texts: readonly string[],
    p: { task: 'query' | 'document'; signal?: AbortSignal | undefined; maxAttempts?: number | undefined },
  ): Promise<(Float32Array | undefined)[]> {
    const { task, signal, maxAttempts = this.#maxAttempts } = p;
    const { model } = this;
    const keys = texts.map((text) => JSON.stringify([model, task, text]));
    const known = keys.map((key) => this.#cache.get(key));
    const unknown = texts.flatMap((_, i) => (known[i] ? [] : [i]));
    if (unknown.length === 0) return known;
    const asked = unknown.map((i) => texts[i]!);
    const attempt = (): Promise<Float32Array[]> =>
      this.#turns.run(() => raceAbort(this.#ask(asked, task, signal), signal), signal);
    const made = await withRetries(attempt, { maxAttempts, runtime: this.#runtime, signal });
    for (const [k, i] of unknown.entries()) {
      const unit = unitVector(made[k]!);
      known[i] = unit;
      if (unit) this.#cache.set(keys[i]!, unit);
    }
    return known;
  }

  /** Forgets what was remembered: after something was deleted for good. */
  forget(): void {
    this.#cache.clear();
  }

  async #ask(
    texts: readonly string[],
    task: 'query' | 'document',
    signal: AbortSignal | undefined,
  ): Promise<Float32Array[]> {
    const embedder = this.#embedder;
    const { model, dimensions } = embedder;
    let vectors: Float32Array[];
    try {
      vectors = await embedder.embed(texts, { task, signal });
    } catch (cause) {
      signal?.throwIfAborted();
      if (TholeError.is(cause)) throw cause;
      throw new TholeError('EMBEDDER_FAILED', `Embedder ${model} failed.`, { cause });
    }
    if (!Array.isArray(vectors) || vectors.length !== texts.length) {
      const count = Array.isArray(vectors) ? vectors.length : 'no list of';
      const sentence = `Embedder ${model} answered ${count} vectors for ${texts.length} texts.`;
      throw new TholeError('EMBEDDER_FAILED', sentence, { retryable: false });
    }
    for (const vector of vectors) {
      if (vector?.length === dimensions) continue;
      const sentence = `Embedder ${model} answered a vector of ${vector?.length} numbers; it promises ${dimensions}.`;
      throw new TholeError('EMBEDDER_FAILED', sentence, { retryable: false });
    }
    return vectors;
  }
}
