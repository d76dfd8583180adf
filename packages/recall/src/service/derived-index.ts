import type {
  MemoryChanges,
  MemoryEntry,
  MemoryFilter,
  MemoryScope,
  MemoryStore,
  Runtime,
  IndexSnapshots,
} from '@thole/core';
import type { Scored } from './scored.ts';
import { EntryHeaders } from './entry-headers.ts';
import { matchesFilter } from './matches-filter.ts';
import type { MemoryIndex, MemoryRanking, RankRequest } from './memory-index.ts';
import { TimeSlicer } from './time-slicer.ts';
import { loadSavedIndex, toSegment } from './saved-index.ts';

/** Changes read from the log at a time. */
const CHANGES_PER_READ = 250;
const HEADER_BYTES = 300;
/** Fewer changes than this, or than a quarter of the entries, are not worth saving the index again. */
const MIN_UNSAVED_CHANGES = 500;

/** The index of one user's log, and how far it has read it. */
export class DerivedIndex {
  readonly #ranking: MemoryRanking;
  readonly #runtime: Runtime;
  #index: MemoryIndex;
  #headers = new EntryHeaders();
  /** Times from which entries are no longer found. */
  #expiries = new Map<string, number>();
  #seq = 0;
  #removals = 0;
  #unsaved = 0;
  #isNew = true;
  #updating: Promise<void> = Promise.resolve();
  /** Updates that have not ended. */
  #underWay = 0;
  #saving: Promise<void> | undefined;

  constructor(ranking: MemoryRanking, scope: MemoryScope, runtime: Runtime) {
    this.#ranking = ranking;
    this.#runtime = runtime;
    this.#index = ranking.createIndex(scope);
  }

  get bytes(): number {
    return 1000 + this.#index.bytes + this.#headers.size * HEADER_BYTES;
  }

  /** Reads what is new in the log. Calls at once wait for each other: no change is applied twice or out of order. */
  update(store: MemoryStore, scope: MemoryScope): Promise<void> {
    const read = (): Promise<void> => this.#readOn(store, scope);
    this.#updating = this.#underWay++ === 0 ? read() : this.#updating.then(read, read);
    return this.#updating;
  }

  /** What was saved is no longer: it is worth saving again, if it ever was. */
  markUnsaved(): void {
    if (this.#headers.size >= MIN_UNSAVED_CHANGES) this.#unsaved = Infinity;
  }

  /** It is held no longer. */
  dispose(): void {
    this.#index.dispose?.();
  }

  async prepare(signal: AbortSignal | undefined): Promise<void> {
    await this.#index.prepare?.(signal);
  }

  async rank(
    query: string,
    p: Omit<RankRequest, 'accepts'> & { filter?: MemoryFilter | undefined },
  ): Promise<Scored[]> {
    const { filter, now = -Infinity } = p;
    const isLive = (id: string): boolean => (this.#expiries.get(id) ?? Infinity) > now;
    if (!filter) return this.#index.rank(query, this.#expiries.size === 0 ? p : { ...p, accepts: isLive });
    await new TimeSlicer(this.#runtime).run(this.#headers.read());
    const accepts = (id: string): boolean => {
      const header = this.#headers.get(id);
      return header !== undefined && isLive(id) && matchesFilter(header, filter);
    };
    return this.#index.rank(query, { ...p, accepts });
  }

  async #readOn(store: MemoryStore, scope: MemoryScope): Promise<void> {
    try {
      const turns = new TimeSlicer(this.#runtime);
      if (this.#isNew) await this.#load(store, scope, turns);
      this.#isNew = false;
      for (let more = true; more;) {
        const page = await store.since(scope, this.#seq, CHANGES_PER_READ);
        await this.#take(page, turns);
        more = page.more;
      }
      if (this.#unsaved >= Math.max(MIN_UNSAVED_CHANGES, this.#headers.size / 4)) this.#save(store, scope);
    } finally {
      this.#underWay--;
    }
  }

  async #load({ abilities }: MemoryStore, scope: MemoryScope, turns: TimeSlicer): Promise<void> {
    const saved = abilities.segmented && (await loadSavedIndex(this.#ranking, abilities.segmented, scope, turns));
    if (saved) ({ index: this.#index, headers: this.#headers, expiries: this.#expiries, seq: this.#seq } = saved);
  }

  async #take({ changes, removals }: MemoryChanges, turns: TimeSlicer): Promise<void> {
    for (const change of changes) {
      if (turns.isSliceOver) await turns.pause();
      if ('removed' in change) this.#remove(change.removed);
      else this.#put(change.entry);
      this.#seq = change.seq;
    }
    this.#removals = removals;
    this.#unsaved += changes.length;
  }

  // In the background: the search that finds it worthwhile does not wait for it.
  #save({ abilities: { segmented } }: MemoryStore, scope: MemoryScope): void {
    if (this.#saving || !segmented) return;
    const unsaved = this.#unsaved;
    this.#unsaved = 0;
    this.#saving = this.#saveNow(segmented, scope)
      // A store that fails is asked again once as much is new again.
      .catch(() => true)
      .then((isSaved) => {
        this.#saving = undefined;
        // Changes that were read meanwhile stopped it: it is tried again at the next search.
        if (!isSaved) this.#unsaved += unsaved;
      });
  }

  async #saveNow(segmented: IndexSnapshots, scope: MemoryScope): Promise<boolean> {
    const [seq, removals] = [this.#seq, this.#removals];
    const saved = { index: this.#index, headers: this.#headers, expiries: this.#expiries, seq };
    const steps = toSegment(this.#ranking, saved);
    const segment = await new TimeSlicer(this.#runtime).run(steps, () => this.#seq === seq);
    if (segment) await segmented.saveSegment(scope, segment, { ifRemovals: removals });
    return segment !== undefined;
  }

  #put(entry: MemoryEntry): void {
    const { content: _, ...header } = entry;
    this.#index.put(entry);
    this.#headers.set(entry.id, header);
    if (entry.expiresAt === undefined) this.#expiries.delete(entry.id);
    else this.#expiries.set(entry.id, entry.expiresAt);
  }

  #remove(id: string): void {
    this.#index.remove(id);
    this.#headers.delete(id);
    this.#expiries.delete(id);
  }
}
