import type { UserRef } from '../session/session-service.ts';
import type { MemoryEntry } from './memory-entry.ts';
import type { MemoryFilter } from './memory-service.ts';

/** The owner of a memory: one user of one app. */
export type MemoryScope = UserRef;

/**
 * The interface of a database that stores memory: for each user a log of entries numbered 1, 2, 3 …, from which the
 * ranked index is derived elsewhere. A store never ranks. Each method is atomic. Others implement this interface, so
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
   * Returns the changes after `seq`, in order: entries in their current form (each once, at its last write) and
   * tombstones.
   */
  since(scope: MemoryScope, seq: number, limit: number): Promise<MemoryChanges>;
  get(scope: MemoryScope, ids: readonly string[]): Promise<StoredMemory[]>;
  list(scope: MemoryScope, page: MemoryPageRequest): Promise<MemoryPage>;
  /**
   * Removes texts at once and leaves tombstones. `everything` also stores `now`: entries up to this time are
   * forgotten.
   */
  remove(scope: MemoryScope, what: MemoryRemoval, now: number): Promise<number>;
}

/** The condition under which entries are written; see `put`. */
export type MemoryPutMode = 'ifAbsent' | 'ifPresent' | 'replace';

/** The entries to forget. */
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
  /** The `next` of the page before. */
  cursor?: string | undefined;
  filter?: StoredMemoryFilter | undefined;
}

/** One page of entries. */
export interface MemoryPage {
  memories: StoredMemory[];
  next?: string | undefined;
}

/** Changes in a log after a `seq`. If `more` is true, call again with the last `seq`. */
export interface MemoryChanges {
  changes: ({ seq: number; entry: MemoryEntry } | { seq: number; removed: string })[];
  /** Number of deletions so far. */
  removals: number;
  more: boolean;
}

/** A saved piece of the derived index. It holds no text. */
export interface IndexSegment {
  analyzer: string;
  upTo: number;
  bytes: Uint8Array;
}

/** Optional ability of a memory store: keeps pieces of the derived index next to the entries. */
export interface IndexSnapshots {
  loadSegments(scope: MemoryScope): Promise<IndexSegment[]>;
  /** Saves a piece. Returns false and saves nothing if something was deleted since the piece was built. */
  saveSegment(scope: MemoryScope, segment: IndexSegment, p: { ifRemovals: number }): Promise<boolean>;
}

/** Optional ability of a memory store: lists the users it holds, for work on all users of an app, such as retention. */
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
