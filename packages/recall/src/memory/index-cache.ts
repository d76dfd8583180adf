import { orAborted, userKeyOf } from '@thole/core';
import type { MemoryFilter, MemoryScope, MemoryStore } from '@thole/core';
import type { Scored } from '../index/word-index.ts';
import { DerivedIndex } from './derived-index.ts';
import type { MemoryRanking, RankRequest } from './memory-index.ts';
import { emptySegment } from './saved-index.ts';

/** The indexes of the users who were here last, within a budget of bytes. One that has left is made again from its log. */
export class IndexCache {
  readonly #store: MemoryStore;
  readonly #ranking: MemoryRanking;
  readonly #budget: number;
  // The least recently used stands first.
  readonly #held = new Map<string, { index: DerivedIndex; bytes: number }>();
  #bytes = 0;

  constructor(store: MemoryStore, ranking: MemoryRanking, budget: number) {
    this.#store = store;
    this.#ranking = ranking;
    this.#budget = budget;
  }

  /** Ranks what the store holds now, other processes' writes included. */
  async rank(
    scope: MemoryScope,
    query: string,
    p: Omit<RankRequest, 'accepts'> & { filter?: MemoryFilter | undefined },
  ): Promise<Scored[]> {
    const index = await this.#upToDate(scope, p.signal);
    const found = await orAborted(index.rank(query, p), p.signal);
    this.#weigh(scope);
    return found;
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
    this.#held.get(userKeyOf(scope))?.index.saveAnew();
    const { removals } = await this.#store.since(scope, seq, 1);
    // Refused where something was removed meanwhile: then nothing is saved any more.
    await segmented.saveSegment(scope, segment, { ifRemovals: removals });
  }

  /** After an ingestion: for rankings that do their work then. */
  async prepare(scope: MemoryScope, signal: AbortSignal | undefined): Promise<void> {
    if (!this.#ranking.atIngest) return;
    const index = await this.#upToDate(scope, signal);
    await orAborted(index.prepare(signal), signal);
    this.#weigh(scope);
  }

  async #upToDate(scope: MemoryScope, signal: AbortSignal | undefined): Promise<DerivedIndex> {
    const index = this.#of(scope);
    try {
      await orAborted(index.update(this.#store, scope), signal);
    } finally {
      this.#weigh(scope);
    }
    return index;
  }

  #of(scope: MemoryScope): DerivedIndex {
    const key = userKeyOf(scope);
    const held = this.#held.get(key) ?? { index: new DerivedIndex(this.#ranking, scope), bytes: 0 };
    this.#held.delete(key);
    this.#held.set(key, held);
    return held.index;
  }

  // Counts anew what a user's index holds, and lets others go until all fit; the newest stays, however large.
  #weigh(scope: MemoryScope): void {
    const held = this.#held.get(userKeyOf(scope));
    if (!held) return;
    this.#bytes += held.index.bytes - held.bytes;
    held.bytes = held.index.bytes;
    for (const [key, { index, bytes }] of this.#held) {
      if (this.#bytes <= this.#budget || this.#held.size === 1) return;
      this.#held.delete(key);
      this.#bytes -= bytes;
      index.letGo();
    }
  }
}
