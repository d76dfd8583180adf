import { invalidInput, refuseUnknown, systemRuntime } from '@thole/core';
import type { Embedder, Runtime } from '@thole/core';
import { StoredMemoryService } from '@thole/recall';
import { InMemoryMemoryStore } from './in-memory-memory-store.ts';
import { vectorMemoryRanking } from './vector-memory-ranking.ts';

/** What makes the vectors, and how much a search answers. */
export interface VectorMemoryServiceOptions {
  embedder: Embedder;
  /** Answers of a search that names no limit (5). */
  topK?: number | undefined;
  /** The least cosine of answers (none). */
  minScore?: number | undefined;
  runtime?: Runtime | undefined;
}

/**
 * Memory in this process, ranked by the cosine of an embedder's vectors: a drop-in for `InMemoryMemoryService`. An entry is
 * stored before it is embedded: when the embedder fails, ingestion throws `EMBEDDER_FAILED`, nothing is lost, and the
 * vector is made by the next ingestion or search.
 */
export class VectorMemoryService extends StoredMemoryService {
  constructor(options: VectorMemoryServiceOptions) {
    refuseUnknown(options, ['embedder', 'topK', 'minScore', 'runtime'], 'VectorMemoryService');
    const { embedder, topK = 5, minScore, runtime = systemRuntime() } = options;
    if (typeof embedder?.embed !== 'function') throw invalidInput('embedder', 'an Embedder', embedder);
    const ranking = vectorMemoryRanking({ embedder, logger: runtime.logger });
    // Vectors are kept nowhere else: letting one go would mean to pay for it again.
    super(new InMemoryMemoryStore(), { runtime, topK, minScore, ranking, indexBytes: Infinity });
  }
}
