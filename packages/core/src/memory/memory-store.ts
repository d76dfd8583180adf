import type { UserRef } from '../session/session-service.ts';
import type { MemoryEntry } from './memory-entry.ts';
import type { MemoryFilter } from './memory-service.ts';

/** The owner of a memory: one user of one app. */
export type MemoryScope = UserRef;

/**
 * The interface of a database that stores memory. It stores a log of entries for each user, numbered 1, 2, 3 … Services
 * derive the ranked index from the log. A store never ranks. Each method is atomic. Others implement this interface, so
 * it only ever gains optional members.
 */
export interface MemoryStore {
  readonly specVersion: 1;
  readonly abilities: { segmented?: IndexSnapshots | undefined; users?: MemoryUsers | undefined };
  /**
   * Writes entries by id. `ifAbsent` skips ids that exist, ids that were deleted, and entries whose timestamp is not
   * newer than the last removal of everything. `ifPresent` writes only existing ids. `replace` writes all. If an id
   * is given twice, the first entry counts. Returns the written ids and the log's last number.
   */
  put(
    scope: MemoryScope,
    entries: readonly MemoryEntry[],
    mode: MemoryPutMode,
  ): Promise<{ written: readonly string[]; seq: number }>;
  /**
   * Returns the changes after `seq`, in order: entries in their current form (each once, at the number of its last write)
   * and tombstones of deleted entries. A store whose data can be lost or restored from a backup also returns `previous`.
   */
  since(scope: MemoryScope, seq: number, limit: number): Promise<MemoryChanges>;
  get(scope: MemoryScope, ids: readonly string[]): Promise<StoredMemory[]>;
  list(scope: MemoryScope, page: MemoryPageRequest): Promise<MemoryPage>;
  /**
   * Deletes entries with their texts at once, leaves tombstones, and returns the number of deleted entries. `everything`
   * also stores `now`, so that `ifAbsent` skips entries up to this time.
   */
  remove(scope: MemoryScope, what: MemoryRemoval, now: number): Promise<number>;
}

/** The condition under which entries are written; see `put`. */
export type MemoryPutMode = 'ifAbsent' | 'ifPresent' | 'replace';

/** The entries to delete. */
export type MemoryRemoval = { ids: readonly string[] } | { sessionId: string } | 'everything';

/** An entry in the log. */
export interface StoredMemory {
  seq: number;
  entry: MemoryEntry;
}

/** Conditions that services add to a filter. `matchesFilter` of `@thole/recall` checks them. */
export interface StoredMemoryFilter extends MemoryFilter {
  /** Only entries that have not expired at this time, in seconds. */
  liveAt?: number | undefined;
  /** Only entries that have expired at this time, in seconds. */
  expiredAt?: number | undefined;
}

/** A filter and the page to return. */
export interface MemoryPageRequest {
  limit: number;
  /** The `next` of the previous page. */
  cursor?: string | undefined;
  filter?: StoredMemoryFilter | undefined;
}

/** One page of entries. */
export interface MemoryPage {
  memories: StoredMemory[];
  next?: string | undefined;
}

/** A change in a log: an entry in its current form, or a tombstone with the id of a deleted entry. */
export type MemoryChange = ({ seq: number; entry: MemoryEntry } | { seq: number; removed: string }) & {
  /** A random id of the write that made this change. Absent if the store does not support it; see `previous`. */
  writeId?: string | undefined;
};

/** The place of a change in a log. */
export interface MemoryLogPosition {
  seq: number;
  /** Id of the entry or of the tombstone. */
  id: string;
  writeId?: string | undefined;
}

/** Changes in a log after a `seq`. If `more` is true, call again with the last `seq`. */
export interface MemoryChanges {
  changes: MemoryChange[];
  /**
   * The last change up to the given `seq`, in the same state of the log as `changes`. Null if there is none. An index compares it
   * with the changes that it has read. If they differ, the log was lost, or restored from an earlier state, and the index
   * reads the log from its start. Undefined if the store does not support this.
   */
  previous?: MemoryLogPosition | null | undefined;
  /** Total number of deletions in this memory. */
  removals: number;
  more: boolean;
}

/** A saved part of the derived index. It contains no text. */
export interface IndexSegment {
  analyzer: string;
  upTo: number;
  bytes: Uint8Array;
}

/** Optional ability of a memory store: stores parts of the derived index next to the entries. */
export interface IndexSnapshots {
  loadSegments(scope: MemoryScope): Promise<IndexSegment[]>;
  /** Saves a part and returns true. Returns false and saves nothing if an entry was deleted after the part was built. */
  saveSegment(scope: MemoryScope, segment: IndexSegment, p: { ifRemovals: number }): Promise<boolean>;
}

/** Optional ability of a memory store: lists the users of an app, for work on all users, such as retention. */
export interface MemoryUsers {
  /**
   * Returns users of an app who have or had entries, each once, in a stable order. Users who are added meanwhile may
   * be included. `next` is the cursor of the following page.
   */
  listUsers(
    appName: string,
    page: { limit: number; cursor?: string | undefined },
  ): Promise<{ userIds: string[]; next?: string | undefined }>;
}
