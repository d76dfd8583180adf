import { raceAbort, userKeyOf } from '@thole/core/kit';
import type { MemoryFilter, MemoryScope, MemoryStore, Runtime } from '@thole/core';
import type { Scored } from './scored.ts';
import { DerivedIndex } from './derived-index.ts';
import type { MemoryRanking, RankRequest } from './memory-index.ts';
import { emptySegment } from './saved-index.ts';

/** One user's index, and how large it was when it was last used. */
interface CachedIndex {
  readonly key: string;
  readonly index: DerivedIndex;
  bytes: number;
}

/** The indexes of the users who were here last, within a budget of bytes. One that has left is made again from its log. */
export class IndexCache {
  readonly #store: MemoryStore;
  readonly #ranking: MemoryRanking;
  readonly #budget: number;
  readonly #runtime: Runtime;
  // The least recently used stands first.
  readonly #held = new Map<string, CachedIndex>();
  #bytes = 0;

  constructor(store: MemoryStore, ranking: MemoryRanking, budget: number, runtime: Runtime) {
    this.#runtime = runtime;
    this.#store = store;
    this.#ranking = ranking;
    this.#budget = budget;
  }

  /** Ranks what the store holds now, other processes' writes included. */
  rank(
    scope: MemoryScope,
    query: string,
    p: Omit<RankRequest, 'accepts'> & { filter?: MemoryFilter | undefined },
  ): Promise<Scored[]> {
    return this.#use(scope, p.signal, (index) => index.rank(query, p));
  }

  /** Whether indexes are saved beside the entries. */
  get areSaved(): boolean {
    return this.#store.abilities.segmented !== undefined && this.#ranking.savedAs !== undefined;
  }

  /** Puts nothing in the place of what was saved before this `seq`; the index is saved anew when it is next asked. */
  async forgetSaved(scope: MemoryScope, seq: number): Promise<void> {
    const { segmented } = this.#store.abilities;
    const segment = emptySegment(this.#ranking, seq);
    if (!segmented || !segment) return;
    this.#held.get(userKeyOf(scope))?.index.markUnsaved();
    const { removals } = await this.#store.since(scope, seq, 1);
    // Refused where something was removed meanwhile: then nothing is saved any more.
    await segmented.saveSegment(scope, segment, { ifRemovals: removals });
  }

  /** After an ingestion: for rankings that do their work then. */
  async prepare(scope: MemoryScope, signal: AbortSignal | undefined): Promise<void> {
    if (this.#ranking.atIngest) await this.#use(scope, signal, (index) => index.prepare(signal));
  }

  /** Brings a user's index up to date first. */
  async #use<T>(
    scope: MemoryScope,
    signal: AbortSignal | undefined,
    work: (index: DerivedIndex) => Promise<T>,
  ): Promise<T> {
    const held = this.#of(scope);
    try {
      await raceAbort(held.index.update(this.#store, scope), signal);
      return await raceAbort(work(held.index), signal);
    } finally {
      this.#weigh(held);
    }
  }

  #of(scope: MemoryScope): CachedIndex {
    const key = userKeyOf(scope);
    const held = this.#held.get(key) ?? { key, index: new DerivedIndex(this.#ranking, scope, this.#runtime), bytes: 0 };
    this.#held.delete(key);
    this.#held.set(key, held);
    return held;
  }

  // Counts anew what a user's index holds, and lets others go until all fit; the newest stays, however large.
  #weigh(held: CachedIndex): void {
    if (this.#held.get(held.key) !== held) return;
    const { bytes } = held.index;
    this.#bytes += bytes - held.bytes;
    held.bytes = bytes;
    for (const [key, { index, bytes }] of this.#held) {
      if (this.#bytes <= this.#budget || this.#held.size === 1) return;
      this.#held.delete(key);
      this.#bytes -= bytes;
      index.dispose();
    }
  }
}
