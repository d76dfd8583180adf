import { systemRuntime, TholeError } from '@thole/core';
import { assertBytes, assertCount, invalidInput, rejectUnknownOptions } from '@thole/core/kit';
import type { Embedder, MemoryStore, Runtime, VectorStore } from '@thole/core';
import { EmbeddingClient, InMemoryVectorStore, StoredMemoryService } from '@thole/recall';
import type { Rerank } from '@thole/recall';
import { assertEmbedder, VectorMemoryRanking, VectorRemovingStore } from '@thole/recall/kit';
import { InMemoryMemoryStore } from './in-memory-memory-store.ts';

/** What makes the vectors, where they and the entries are kept, and how much a search answers. */
export interface VectorMemoryServiceOptions {
  embedder: Embedder;
  /** Answers of a search that names no limit (5). */
  topK?: number | undefined;
  /** The least score of answers (none): a cosine, or with `hybrid` the fraction of the best score. */
  minScore?: number | undefined;
  /** Smallest relevance (0 to 1) of results of searches that name none. Default: 0. */
  minRelevance?: number | undefined;
  /** Reorders the results of each search. Default: the order of the ranking. */
  rerank?: Rerank | undefined;
  /** Where vectors are kept (`InMemoryVectorStore`). */
  store?: VectorStore | undefined;
  /** Where entries are kept (`InMemoryMemoryStore`). */
  entries?: MemoryStore | undefined;
  /** `vector` (default): by cosine. `hybrid`: by words, as `InMemoryMemoryService`, and by cosine together. */
  ranking?: 'vector' | 'hybrid' | undefined;
  /** Of `hybrid`: what the cosine, shifted to 0 … 1, counts beside the sum of the lexical signals (0.6). */
  vectorWeight?: number | undefined;
  /** Calls of the embedder at once, at most (4). */
  maxConcurrentBatches?: number | undefined;
  /** How often a call of the embedder is made that fails with an error that may pass (3); searches embed entries once. */
  maxAttempts?: number | undefined;
  /** About how many bytes of vectors are remembered by model and text (16 MiB). */
  cacheBytes?: number | undefined;
  /**
   * About how many bytes of derived indexes are held (64 MiB); the users who were not here for longest leave first. No limit
   * where the store has no `has`: which entries have vectors is known nowhere else then.
   */
  indexBytes?: number | undefined;
  runtime?: Runtime | undefined;
}

const names: readonly (keyof VectorMemoryServiceOptions)[] = [
  'embedder',
  'topK',
  'minScore',
  'minRelevance',
  'rerank',
  'store',
  'entries',
  'ranking',
  'vectorWeight',
  'maxConcurrentBatches',
  'maxAttempts',
  'cacheBytes',
  'indexBytes',
  'runtime',
];

/**
 * Memory ranked by the cosine of an embedder's vectors: a drop-in for `InMemoryMemoryService`. An embedder that fails loses
 * nothing: the entry is stored, words find it, answers say how many `vectorsMissing`, and a later ingestion or search makes them.
 */
export class VectorMemoryService extends StoredMemoryService {
  constructor(options: VectorMemoryServiceOptions) {
    rejectUnknownOptions(options, names, 'VectorMemoryService');
    const { embedder, topK = 5, minScore, minRelevance, rerank, runtime = systemRuntime() } = options;
    const { store = new InMemoryVectorStore(), entries = new InMemoryMemoryStore() } = options;
    const { ranking: kind = 'vector', vectorWeight: weight = 0.6 } = options;
    const { maxConcurrentBatches = 4, maxAttempts = 3, cacheBytes = 16 * 1024 * 1024 } = options;
    assertEmbedder(embedder);
    if (typeof store?.query !== 'function') throw invalidInput('store', 'a VectorStore', store);
    if (typeof entries?.since !== 'function') throw invalidInput('entries', 'a MemoryStore', entries);
    if (kind !== 'vector' && kind !== 'hybrid')
      throw new TholeError('INVALID_INPUT', `ranking must be 'vector' or 'hybrid'.`);
    if (!(Number.isFinite(weight) && weight >= 0)) throw invalidInput('vectorWeight', 'a number from 0 on', weight);
    assertCount('maxConcurrentBatches', maxConcurrentBatches, 1);
    assertCount('maxAttempts', maxAttempts, 1);
    assertBytes('cacheBytes', cacheBytes);
    const client = new EmbeddingClient({ embedder, runtime, maxConcurrentBatches, maxAttempts, cacheBytes });
    const ranking = new VectorMemoryRanking({ client, store, log: entries, runtime, kind, weight });
    const kept = new VectorRemovingStore(entries, store, (scope, ids) => ranking.forget(scope, ids));
    // Without `has`, letting an index go would mean to pay for its vectors again.
    const { indexBytes = store.has ? undefined : Infinity } = options;
    super(kept, { runtime, topK, minScore, minRelevance, rerank, ranking, indexBytes });
  }
}
