import { systemRuntime, TholeError } from '@thole/core';
import { assertBytes, assertCount, invalidInput, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { Embedder, MemoryStore, Runtime, VectorStore } from '@thole/core';
import { EmbeddingClient, InMemoryVectorStore, StoredMemoryService } from '@thole/recall';
import type { Rerank } from '@thole/recall';
import { assertEmbedder, VectorMemoryRanking, VectorRemovingStore } from '@thole/recall/kit';
import { InMemoryMemoryStore } from './in-memory-memory-store.ts';

/** Options of `VectorMemoryService`. */
export interface VectorMemoryServiceOptions {
  /** Computes the vectors of texts and queries. */
  embedder: Embedder;
  /** Maximum number of results if a search has no `limit`. Default: 5. */
  topK?: number | undefined;
  /** Minimum score of results: a cosine, or with `hybrid` a fraction of the best score. Default: none. */
  minScore?: number | undefined;
  /** Minimum relevance of results, from 0 to 1, if a search has no `minRelevance`. Default: 0. */
  minRelevance?: number | undefined;
  /** Reorders the results of each search. Default: the order of the ranking. */
  rerank?: Rerank | undefined;
  /** Stores the vectors. Default: an `InMemoryVectorStore`. */
  store?: VectorStore | undefined;
  /** Stores the entries. Default: an `InMemoryMemoryStore`. */
  entries?: MemoryStore | undefined;
  /** `vector` ranks by cosine. `hybrid` ranks by words, as `InMemoryMemoryService` does, and by cosine. Default: `vector`. */
  ranking?: 'vector' | 'hybrid' | undefined;
  /** Weight of the cosine (shifted to 0 … 1) next to the sum of the lexical signals, for `hybrid`. Default: 0.6. */
  vectorWeight?: number | undefined;
  /** Maximum number of concurrent calls of the embedder. Default: 4. */
  maxConcurrentBatches?: number | undefined;
  /** Maximum attempts of a call that fails with a retryable error. A search makes one attempt to embed entries. Default: 3. */
  maxAttempts?: number | undefined;
  /** Approximate size of the cache of vectors by model and text, in bytes. Default: 16 MiB. */
  cacheBytes?: number | undefined;
  /**
   * Approximate size of the indexes of all users in bytes. The least recently used indexes are evicted first. Default:
   * 64 MiB. There is no limit if the store has no `has`, because then only the index shows which entries have vectors.
   */
  indexBytes?: number | undefined;
  runtime?: Runtime | undefined;
}

const knownOptions = optionNames<VectorMemoryServiceOptions>({
  embedder: true,
  topK: true,
  minScore: true,
  minRelevance: true,
  rerank: true,
  store: true,
  entries: true,
  ranking: true,
  vectorWeight: true,
  maxConcurrentBatches: true,
  maxAttempts: true,
  cacheBytes: true,
  indexBytes: true,
  runtime: true,
});

/**
 * Memory ranked by the cosine of an embedder's vectors, with the methods of `InMemoryMemoryService`. If the embedder fails,
 * the entry is stored and found by its words, and results report `vectorsMissing`. A later ingestion or search computes
 * the vector.
 */
export class VectorMemoryService extends StoredMemoryService {
  readonly #stores: readonly (VectorStore | MemoryStore)[];

  constructor(options: VectorMemoryServiceOptions) {
    rejectUnknownOptions(options, knownOptions, 'VectorMemoryService');
    const { embedder, topK = 5, minScore, minRelevance, rerank, runtime = systemRuntime() } = options;
    const { store = new InMemoryVectorStore(), entries = new InMemoryMemoryStore() } = options;
    const { ranking: kind = 'vector', vectorWeight: weight = 0.6 } = options;
    const { maxConcurrentBatches = 4, maxAttempts = 3, cacheBytes = 16 * 1024 * 1024 } = options;
    assertEmbedder(embedder);
    if (typeof store?.query !== 'function') throw invalidInput('store', 'a VectorStore', store);
    if (typeof entries?.since !== 'function') throw invalidInput('entries', 'a MemoryStore', entries);
    if (kind !== 'vector' && kind !== 'hybrid')
      throw new TholeError('INVALID_INPUT', `ranking must be 'vector' or 'hybrid'.`);
    if (!(Number.isFinite(weight) && weight >= 0)) throw invalidInput('vectorWeight', 'a finite number ≥ 0', weight);
    assertCount('maxConcurrentBatches', maxConcurrentBatches, 1);
    assertCount('maxAttempts', maxAttempts, 1);
    assertBytes('cacheBytes', cacheBytes);
    const client = new EmbeddingClient({ embedder, runtime, maxConcurrentBatches, maxAttempts, cacheBytes });
    const ranking = new VectorMemoryRanking({ client, store, log: entries, runtime, kind, weight });
    const memoryStore = new VectorRemovingStore(entries, store, (scope, ids) => ranking.forget(scope, ids));
    // Without `has`, the vectors of an evicted index would have to be computed again.
    const { indexBytes = store.has ? undefined : Infinity } = options;
    super(memoryStore, { runtime, topK, minScore, minRelevance, rerank, ranking, indexBytes });
    this.#stores = [entries, store];
  }

  /** Waits for indexes that are being saved, and closes the stores that have `close`. */
  async close(): Promise<void> {
    await this.saved();
    for (const store of this.#stores) await (store as { close?(): unknown }).close?.();
  }
}
