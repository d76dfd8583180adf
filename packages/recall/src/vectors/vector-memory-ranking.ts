import { userKeyOf } from '@thole/core/kit';
import type { MemoryScope, MemoryStore, Runtime, VectorStore } from '@thole/core';
import type { MemoryIndex, MemoryRanking } from '../service/memory-index.ts';
import { wordRanking } from '../service/word-ranking.ts';
import type { EmbeddingClient } from './embedding-client.ts';
import { VectorMemoryIndex } from './vector-memory-index.ts';

/** Options of `VectorMemoryRanking`. */
export interface VectorRankingOptions {
  readonly client: EmbeddingClient;
  readonly store: VectorStore;
  /** The store of the entries. */
  readonly log: Pick<MemoryStore, 'get'>;
  readonly runtime: Runtime;
  /** `vector` ranks by cosine; `hybrid` by the sum of the lexical score and the cosine times `weight`. */
  readonly kind: 'vector' | 'hybrid';
  /** Weight of the cosine, for `hybrid`. */
  readonly weight: number;
}

/** The ranking of `VectorMemoryService`. Each entry is embedded once per model; entries without a vector are ranked by words. */
export class VectorMemoryRanking implements MemoryRanking {
  readonly atIngest = true;
  readonly #options: VectorRankingOptions;
  readonly #words: MemoryRanking = wordRanking();
  readonly #indexes = new Map<string, VectorMemoryIndex>();

  constructor(options: VectorRankingOptions) {
    this.#options = options;
  }

  createIndex(scope: MemoryScope): MemoryIndex {
    const key = userKeyOf(scope);
    const onDispose = (index: VectorMemoryIndex): void => {
      if (this.#indexes.get(key) === index) this.#indexes.delete(key);
    };
    const words = this.#words.createIndex(scope);
    const index = new VectorMemoryIndex({ ...this.#options, scope, words, onDispose });
    this.#indexes.set(key, index);
    return index;
  }

  /** Clears the cached vectors of ids that were deleted from the store. Entries that still exist are embedded again. */
  forget(scope: MemoryScope, ids: readonly string[] | 'everything'): void {
    this.#options.client.forget();
    this.#indexes.get(userKeyOf(scope))?.forget(ids);
  }
}
