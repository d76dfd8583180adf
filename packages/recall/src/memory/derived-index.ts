import type { MemoryEntry, MemoryFilter, MemoryScope, MemoryStore } from '@thole/core';
import type { Scored } from '../index/word-index.ts';
import { matchesFilter } from './matches-filter.ts';
import type { MemoryHeader } from './matches-filter.ts';
import type { MemoryIndex, RankRequest } from './memory-index.ts';

/** Changes read from the log at a time. */
const PAGE = 1000;
const HEADER_BYTES = 300;

/** The index of one user's log, and how far it has read it. */
export class DerivedIndex {
  readonly #index: MemoryIndex;
  readonly #headers = new Map<string, MemoryHeader>();
  #seq = 0;
  #updating: Promise<void> = Promise.resolve();

  constructor(index: MemoryIndex) {
    this.#index = index;
  }

  get bytes(): number {
    return 1000 + this.#index.bytes + this.#headers.size * HEADER_BYTES;
  }

  /** Reads what is new in the log. Calls at once wait for each other: no change is applied twice or out of order. */
  update(store: MemoryStore, scope: MemoryScope): Promise<void> {
    const read = (): Promise<void> => this.#readOn(store, scope);
    this.#updating = this.#updating.then(read, read);
    return this.#updating;
  }

  async prepare(signal: AbortSignal | undefined): Promise<void> {
    await this.#index.prepare?.(signal);
  }

  rank(query: string, p: Omit<RankRequest, 'accepts'> & { filter?: MemoryFilter | undefined }): Promise<Scored[]> {
    const { filter, ...request } = p;
    if (!filter) return this.#index.rank(query, request);
    const accepts = (id: string): boolean => {
      const header = this.#headers.get(id);
      return header !== undefined && matchesFilter(header, filter);
    };
    return this.#index.rank(query, { ...request, accepts });
  }

  async #readOn(store: MemoryStore, scope: MemoryScope): Promise<void> {
    for (;;) {
      const { changes, more } = await store.since(scope, this.#seq, PAGE);
      for (const change of changes) {
        if ('removed' in change) this.#remove(change.removed);
        else this.#put(change.entry);
        this.#seq = change.seq;
      }
      if (!more) return;
    }
  }

  #put(entry: MemoryEntry): void {
    const { content: _, ...header } = entry;
    this.#index.put(entry);
    this.#headers.set(entry.id, header);
  }

  #remove(id: string): void {
    this.#index.remove(id);
    this.#headers.delete(id);
  }
}
