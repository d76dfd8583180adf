import { userKeyOf } from '@thole/core/kit';
import type { MemoryScope, MemoryStore, Runtime, VectorStore } from '@thole/core';
import type { MemoryIndex, MemoryRanking } from '../service/memory-index.ts';
import { wordRanking } from '../service/word-ranking.ts';
import type { EmbeddingClient } from './embedding-client.ts';
import { VectorMemoryIndex } from './vector-memory-index.ts';

/** What ranks by vectors. */
export interface VectorRankingOptions {
  readonly client: EmbeddingClient;
  readonly store: VectorStore;
  /** Where the entries are. */
  readonly log: Pick<MemoryStore, 'get'>;
  readonly runtime: Runtime;
  /** `vector`: by cosine alone; `hybrid`: the sum of the lexical signals and the cosine, times `weight`. */
  readonly kind: 'vector' | 'hybrid';
  readonly weight: number;
}

/** The ranking of a `VectorMemoryService`: each entry is embedded once for each model, and words stand in for missing vectors. */
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
    const onLetGo = (index: VectorMemoryIndex): void => {
      if (this.#indexes.get(key) === index) this.#indexes.delete(key);
    };
    const words = this.#words.createIndex(scope);
    const index = new VectorMemoryIndex({ ...this.#options, scope, words, onLetGo });
    this.#indexes.set(key, index);
    return index;
  }

  /** The store has no vectors of these ids any more: they are made again if the entries are still there. */
  forget(scope: MemoryScope, ids: readonly string[] | 'everything'): void {
    this.#options.client.forget();
    this.#indexes.get(userKeyOf(scope))?.forget(ids);
  }
}
