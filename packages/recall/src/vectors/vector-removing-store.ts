import { textOf } from '@thole/core';
import type {
  MemoryChanges,
  MemoryEntry,
  MemoryPage,
  MemoryPageRequest,
  MemoryPutMode,
  MemoryRemoval,
  MemoryScope,
  MemoryStore,
  StoredMemory,
  VectorStore,
} from '@thole/core';

const ENTRIES_PER_READ = 500;

/**
 * A memory store that also deletes vectors: before entries are removed or their text changes, and again after a removal. So no
 * vector of a removed entry stays, even if a process ends in between or another process adds a vector. `onRemoved` receives the
 * ids whose vectors were deleted.
 */
export class VectorRemovingStore implements MemoryStore {
  readonly specVersion = 1;
  readonly #entries: MemoryStore;
  readonly #vectors: VectorStore;
  readonly #onRemoved: (scope: MemoryScope, ids: readonly string[] | 'everything') => void;

  constructor(
    entries: MemoryStore,
    vectors: VectorStore,
    onRemoved: (scope: MemoryScope, ids: readonly string[] | 'everything') => void,
  ) {
    this.#entries = entries;
    this.#vectors = vectors;
    this.#onRemoved = onRemoved;
  }

  get abilities(): MemoryStore['abilities'] {
    return this.#entries.abilities;
  }

  async put(
    scope: MemoryScope,
    entries: readonly MemoryEntry[],
    mode: MemoryPutMode,
  ): Promise<{ written: readonly string[]; seq: number }> {
    if (mode !== 'ifAbsent') await this.#removeChanged(scope, entries);
    return this.#entries.put(scope, entries, mode);
  }

  since(scope: MemoryScope, seq: number, limit: number): Promise<MemoryChanges> {
    return this.#entries.since(scope, seq, limit);
  }

  get(scope: MemoryScope, ids: readonly string[]): Promise<StoredMemory[]> {
    return this.#entries.get(scope, ids);
  }

  list(scope: MemoryScope, page: MemoryPageRequest): Promise<MemoryPage> {
    return this.#entries.list(scope, page);
  }

  async remove(scope: MemoryScope, removal: MemoryRemoval, now: number): Promise<number> {
    const { seq } = await this.#entries.put(scope, [], 'ifAbsent');
    await this.#removeVectors(scope, await this.#idsOf(scope, removal));
    const count = await this.#entries.remove(scope, removal, now);
    // Another process may have stored a vector in between. From now on, a process that stores a vector finds that the entry is gone.
    if (count > 0) await this.#removeVectors(scope, await this.#removedAfter(scope, seq));
    return count;
  }

  async #removeChanged(scope: MemoryScope, entries: readonly MemoryEntry[]): Promise<void> {
    const texts = new Map(entries.map((entry) => [entry.id, textOf(entry.content)]));
    const found = await this.#entries.get(scope, [...texts.keys()]);
    const changed = found.filter(({ entry }) => textOf(entry.content) !== texts.get(entry.id));
    await this.#removeVectors(
      scope,
      changed.map(({ entry }) => entry.id),
    );
  }

  async #idsOf(scope: MemoryScope, removal: MemoryRemoval): Promise<readonly string[] | 'everything'> {
    if (removal === 'everything') return removal;
    if ('ids' in removal) return removal.ids;
    const ids: string[] = [];
    for (let cursor: string | undefined; ;) {
      const page = await this.#entries.list(scope, {
        limit: ENTRIES_PER_READ,
        cursor,
        filter: { sessionId: removal.sessionId },
      });
      for (const { entry } of page.memories) ids.push(entry.id);
      if (page.next === undefined) return ids;
      cursor = page.next;
    }
  }

  async #removedAfter(scope: MemoryScope, seq: number): Promise<string[]> {
    const ids: string[] = [];
    for (let after = seq; ;) {
      const { changes, more } = await this.#entries.since(scope, after, ENTRIES_PER_READ);
      for (const change of changes) if ('removed' in change) ids.push(change.removed);
      if (!more) return ids;
      after = changes.at(-1)!.seq;
    }
  }

  async #removeVectors(scope: MemoryScope, ids: readonly string[] | 'everything'): Promise<void> {
    if (ids.length === 0) return;
    await this.#vectors.delete(scope, ids);
    this.#onRemoved(scope, ids);
  }
}
