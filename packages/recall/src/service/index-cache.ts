import { raceAbort, userKeyOf } from '@thole/core/kit';
import type { MemoryFilter, MemoryScope, MemoryStore, Runtime } from '@thole/core';
import type { Scored } from './scored.ts';
import { DerivedIndex } from './derived-index.ts';
import type { MemoryRanking, RankRequest } from './memory-index.ts';
import { emptySegment } from './saved-index.ts';

/** One user's index, with its size in bytes after its last use. */
interface CachedIndex {
  readonly key: string;
  readonly index: DerivedIndex;
  bytes: number;
}

/** A cache of the indexes of users with a maximum size in bytes. An evicted index is built again from its log or saved index. */
export class IndexCache {
  readonly #store: MemoryStore;
  readonly #ranking: MemoryRanking;
  readonly #maxBytes: number;
  readonly #runtime: Runtime;
  /** Least recently used first. */
  readonly #cached = new Map<string, CachedIndex>();
  #bytes = 0;
  /** Saves of evicted indexes that have not ended. */
  readonly #evicted = new Set<Promise<void>>();

  constructor(store: MemoryStore, ranking: MemoryRanking, maxBytes: number, runtime: Runtime) {
    this.#runtime = runtime;
    this.#store = store;
    this.#ranking = ranking;
    this.#maxBytes = maxBytes;
  }

  /** Ranks the store's current entries, including writes of other processes. */
  rank(
    scope: MemoryScope,
    query: string,
    p: Omit<RankRequest, 'accepts'> & { filter?: MemoryFilter | undefined },
  ): Promise<Scored[]> {
    return this.#use(scope, p.signal, (index) => index.rank(query, p));
  }

  /** True if indexes are saved next to the entries. */
  get areSaved(): boolean {
    return this.#store.abilities.segmented !== undefined && this.#ranking.savedAs !== undefined;
  }

  /** Replaces indexes that were saved up to `seq` by an empty segment. The next search saves the index again. */
  async deleteSaved(scope: MemoryScope, seq: number): Promise<void> {
    const { segmented } = this.#store.abilities;
    const segment = emptySegment(this.#ranking, seq);
    if (!segmented || !segment) return;
    this.#cached.get(userKeyOf(scope))?.index.markUnsaved();
    const { removals } = await this.#store.since(scope, seq, 1);
    // The store refuses this after a removal, which has deleted the saved indexes anyway.
    await segmented.saveSegment(scope, segment, { ifRemovals: removals });
  }

  /** Resolves when all active saves of indexes have ended, also of evicted indexes. */
  async saved(): Promise<void> {
    await Promise.all([...this.#evicted, ...[...this.#cached.values()].map(({ index }) => index.saved())]);
  }

  /** Updates the index after an ingestion, for rankings with `atIngest`. */
  async prepare(scope: MemoryScope, signal: AbortSignal | undefined): Promise<void> {
    if (this.#ranking.atIngest) await this.#use(scope, signal, (index) => index.prepare(signal));
  }

  /** Updates a user's index and then calls `work` with it. */
  async #use<T>(
    scope: MemoryScope,
    signal: AbortSignal | undefined,
    work: (index: DerivedIndex) => Promise<T>,
  ): Promise<T> {
    const cached = this.#indexOf(scope);
    try {
      await raceAbort(cached.index.update(this.#store, scope), signal);
      const result = await raceAbort(work(cached.index), signal);
      cached.index.saveIfGrown(this.#store, scope);
      return result;
    } finally {
      this.#updateSize(cached);
    }
  }

  #indexOf(scope: MemoryScope): CachedIndex {
    const key = userKeyOf(scope);
    const cached = this.#cached.get(key) ?? {
      key,
      index: new DerivedIndex(this.#ranking, scope, this.#runtime),
      bytes: 0,
    };
    this.#cached.delete(key);
    this.#cached.set(key, cached);
    return cached;
  }

  /** Updates the size of a user's index. Evicts the least recently used indexes until all fit, but keeps at least one. */
  #updateSize(cached: CachedIndex): void {
    if (this.#cached.get(cached.key) !== cached) return;
    const { bytes } = cached.index;
    this.#bytes += bytes - cached.bytes;
    cached.bytes = bytes;
    for (const [key, { index, bytes }] of this.#cached) {
      if (this.#bytes <= this.#maxBytes || this.#cached.size === 1) return;
      this.#cached.delete(key);
      this.#bytes -= bytes;
      index.dispose();
      const saved: Promise<void> = index.saved().then(() => void this.#evicted.delete(saved));
      this.#evicted.add(saved);
    }
  }
}
