import type { MemoryScope } from '@thole/core';
import { DerivedIndex } from './derived-index.ts';
import type { MemoryRanking } from './memory-index.ts';

/** The indexes of the users who were here last, within a budget of bytes. One that has left is made again from its log. */
export class IndexCache {
  readonly #ranking: MemoryRanking;
  readonly #budget: number;
  // The least recently used stands first.
  readonly #held = new Map<string, { index: DerivedIndex; bytes: number }>();
  #bytes = 0;

  constructor(ranking: MemoryRanking, budget: number) {
    this.#ranking = ranking;
    this.#budget = budget;
  }

  of(scope: MemoryScope): DerivedIndex {
    const key = JSON.stringify([scope.appName, scope.userId]);
    const held = this.#held.get(key) ?? { index: new DerivedIndex(this.#ranking.createIndex()), bytes: 0 };
    this.#held.delete(key);
    this.#held.set(key, held);
    return held.index;
  }

  /** Counts anew what a user's index holds, and lets others go until all fit; the newest stays, however large. */
  weigh(scope: MemoryScope): void {
    const held = this.#held.get(JSON.stringify([scope.appName, scope.userId]));
    if (!held) return;
    this.#bytes += held.index.bytes - held.bytes;
    held.bytes = held.index.bytes;
    for (const [key, { bytes }] of this.#held) {
      if (this.#bytes <= this.#budget || this.#held.size === 1) return;
      this.#held.delete(key);
      this.#bytes -= bytes;
    }
  }
}
