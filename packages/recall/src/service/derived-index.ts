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
import { LogHistory } from './log-history.ts';
import { TimeSlicer } from './time-slicer.ts';
import { loadSavedIndex, toSegment } from './saved-index.ts';

/** Maximum number of changes to read from the log at a time. */
const CHANGES_PER_READ = 250;
const HEADER_BYTES = 300;
/** Maximum number of times that one update starts again at the beginning of the log. */
const MAX_RESTARTS = 3;
const LOST = 'The store has lost memory entries that were read before. The index reads all entries again.';
/** The index is saved again only after this number of changes, and a quarter of the entries. */
const MIN_UNSAVED_CHANGES = 500;

/** The index of one user's log, and the position up to which it has read the log. */
export class DerivedIndex {
  readonly #ranking: MemoryRanking;
  readonly #runtime: Runtime;
  #index: MemoryIndex;
  #headers = new EntryHeaders();
  /** Times in seconds at which entries expire, by id. */
  #expiries = new Map<string, number>();
  #seq = 0;
  #history = new LogHistory();
  /** After a start at the beginning of the log: ids of entries that the log, read from its start, has not contained yet. */
  #unconfirmed: Set<string> | undefined;
  #removals = 0;
  #unsaved = 0;
  #isNew = true;
  #warmUp: Promise<void> | undefined;
  #lastUpdate: Promise<void> = Promise.resolve();
  /** Number of updates that have not ended. */
  #activeUpdates = 0;
  #saving: Promise<void> | undefined;

  constructor(ranking: MemoryRanking, scope: MemoryScope, runtime: Runtime) {
    this.#ranking = ranking;
    this.#runtime = runtime;
    this.#index = ranking.createIndex(scope);
  }

  get bytes(): number {
    return 1000 + this.#index.bytes + this.#headers.size * HEADER_BYTES + this.#history.bytes;
  }

  /** Applies the new changes of the log. Calls run one after the other, so that each change is applied once and in order. */
  update(store: MemoryStore, scope: MemoryScope): Promise<void> {
    const read = (): Promise<void> => this.#readChanges(store, scope);
    this.#lastUpdate = this.#activeUpdates++ === 0 ? read() : this.#lastUpdate.then(read, read);
    return this.#lastUpdate;
  }

  /** Marks a large index to be saved after the next search. Called when its saved index was deleted. */
  markUnsaved(): void {
    if (this.#headers.size >= MIN_UNSAVED_CHANGES) this.#unsaved = Infinity;
  }

  /** Resolves when the active save has ended, if there is one. */
  async saved(): Promise<void> {
    await this.#saving;
  }

  /** Releases the index. */
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
    const isFirst = this.#warmUp === undefined;
    await (this.#warmUp ??= this.#runWarmUp(query, p));
    const found = await this.#index.rank(query, await this.#withFilter(p));
    if (isFirst) await new TimeSlicer(this.#runtime).pause();
    return found;
  }

  /** Runs parts of the first search in separate slices: it takes long, because its code is not compiled yet. */
  async #runWarmUp(query: string, p: RankRequest): Promise<void> {
    const slicer = new TimeSlicer(this.#runtime);
    try {
      for (const _ of this.#index.warmUp?.(query, p) ?? []) await slicer.pause();
    } catch {
      // The search reports the error.
    }
  }

  /** Returns the request with a function that excludes entries that have expired or do not match the filter. */
  async #withFilter({ filter, ...p }: RankRequest & { filter?: MemoryFilter | undefined }): Promise<RankRequest> {
    const { now = -Infinity } = p;
    const isLive = (id: string): boolean => (this.#expiries.get(id) ?? Infinity) > now;
    if (!filter) return this.#expiries.size === 0 ? p : { ...p, accepts: isLive };
    await new TimeSlicer(this.#runtime).run(this.#headers.read());
    const accepts = (id: string): boolean => {
      const header = this.#headers.get(id);
      return header !== undefined && isLive(id) && matchesFilter(header, filter);
    };
    return { ...p, accepts };
  }

  async #readChanges(store: MemoryStore, scope: MemoryScope): Promise<void> {
    try {
      const slicer = new TimeSlicer(this.#runtime);
      if (this.#isNew) await this.#load(store, scope, slicer);
      this.#isNew = false;
      let restarts = 0;
      for (let more = true; more;) {
        const page = await store.since(scope, this.#seq, CHANGES_PER_READ);
        const continuation = this.#history.add(page);
        if (continuation !== 'complete' && restarts++ < MAX_RESTARTS) {
          await this.#restart(slicer);
          if (continuation === 'lost') {
            this.#runtime.logger.warn(LOST);
            this.#index.recheck?.();
          }
          continue;
        }
        await this.#apply(page, slicer);
        more = page.more;
      }
      for (const id of this.#unconfirmed ?? []) this.#remove(id);
      this.#unconfirmed = undefined;
    } finally {
      this.#activeUpdates--;
    }
  }

  async #load({ abilities }: MemoryStore, scope: MemoryScope, slicer: TimeSlicer): Promise<void> {
    const saved = abilities.segmented && (await loadSavedIndex(this.#ranking, abilities.segmented, scope, slicer));
    if (!saved) return;
    this.#index = saved.index;
    this.#headers = saved.headers;
    this.#expiries = saved.expiries;
    this.#seq = saved.seq;
    this.#history = saved.history;
  }

  /**
   * Starts again at the beginning of the log, because the store may have lost changes that this index has read. Entries that the
   * log no longer contains are removed at its end.
   */
  async #restart(slicer: TimeSlicer): Promise<void> {
    await slicer.run(this.#headers.read());
    this.#unconfirmed = new Set(this.#headers.ids());
    this.#seq = 0;
    this.#history = new LogHistory();
  }

  async #apply({ changes, removals }: MemoryChanges, slicer: TimeSlicer): Promise<void> {
    for (const change of changes) {
      if (slicer.isSliceOver) await slicer.pause();
      if ('removed' in change) {
        this.#remove(change.removed);
      } else {
        this.#unconfirmed?.delete(change.entry.id);
        this.#setHeader(change.entry);
        // The maps of headers and of turns grow at the same entries. The growth of a large map is slow.
        if (slicer.isSliceOver) await slicer.pause();
        this.#index.put(change.entry);
      }
      this.#seq = change.seq;
    }
    this.#removals = removals;
    this.#unsaved += changes.length;
  }

  /** Saves the index in the background if it has grown enough. */
  saveIfGrown({ abilities: { segmented } }: MemoryStore, scope: MemoryScope): void {
    const isGrown = this.#unsaved >= Math.max(MIN_UNSAVED_CHANGES, this.#headers.size / 4);
    // An index with unconfirmed entries may contain entries that the log has lost.
    if (!isGrown || this.#saving || this.#unconfirmed || !segmented) return;
    const unsaved = this.#unsaved;
    this.#unsaved = 0;
    this.#saving = this.#saveNow(segmented, scope)
      // After an error of the store, the index is saved again after the same number of changes.
      .catch(() => true)
      .then((isSaved) => {
        this.#saving = undefined;
        // New changes have stopped the save. The next search tries again.
        if (!isSaved) this.#unsaved += unsaved;
      });
  }

  async #saveNow(segmented: IndexSnapshots, scope: MemoryScope): Promise<boolean> {
    const [seq, removals] = [this.#seq, this.#removals];
    const steps = toSegment(this.#ranking, {
      index: this.#index,
      headers: this.#headers,
      expiries: this.#expiries,
      history: this.#history,
      seq,
    });
    const slicer = new TimeSlicer(this.#runtime);
    await slicer.pause();
    const segment = await slicer.run(steps, () => this.#seq === seq);
    if (segment) await segmented.saveSegment(scope, segment, { ifRemovals: removals });
    return segment !== undefined;
  }

  #setHeader(entry: MemoryEntry): void {
    const { content: _, ...header } = entry;
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
