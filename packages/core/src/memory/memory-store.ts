import type { UserRef } from '../session/session-service.ts';
import type { MemoryEntry } from './memory-entry.ts';
import type { MemoryFilter } from './memory-service.ts';

/** Whose memory: one user's of one app. */
export type MemoryScope = UserRef;

/**
 * What a database implements to keep memory: a log of entries for each user, numbered 1, 2, 3 …, from which the ranked index
 * is derived elsewhere. It never ranks. Each method is atomic. Strangers implement this; it is only ever extended.
 */
export interface MemoryStore {
  readonly specVersion: 1;
  readonly abilities: { segmented?: IndexSnapshots | undefined; users?: MemoryUsers | undefined };
  /**
   * By entry id. `ifAbsent` skips ids that are there, ids that were deleted, and entries with a timestamp that is not newer than
   * the last removal of everything; `ifPresent` writes only over ids that are there; `replace` writes them all. Of one id given
   * twice the first counts. Answers the ids written and the log's last number.
   */
  put(
    scope: MemoryScope,
    entries: readonly MemoryEntry[],
    mode: MemoryPutMode,
  ): Promise<{ written: readonly string[]; seq: number }>;
  /** What happened after `seq`, in order: entries as they stand now (each once, at its last write) and tombstones. */
  since(scope: MemoryScope, seq: number, limit: number): Promise<MemoryChanges>;
  get(scope: MemoryScope, ids: readonly string[]): Promise<StoredMemory[]>;
  list(scope: MemoryScope, page: MemoryPageRequest): Promise<MemoryPage>;
  /** Takes texts at once and leaves tombstones; `everything` also keeps `now` as the time up to which all is forgotten. */
  remove(scope: MemoryScope, what: MemoryRemoval, now: number): Promise<number>;
}

/** Which of the given entries are written, by what is there under their ids; see `put`. */
export type MemoryPutMode = 'ifAbsent' | 'ifPresent' | 'replace';

/** Which entries to forget. */
export type MemoryRemoval = { ids: readonly string[] } | { sessionId: string } | 'everything';

/** An entry as the log holds it. */
export interface StoredMemory {
  seq: number;
  entry: MemoryEntry;
}

/** Conditions that services add to a filter; `matchesFilter` of `@thole/recall` checks them. */
export interface StoredMemoryFilter extends MemoryFilter {
  /** Only entries that have not expired at this time, in seconds. */
  liveAt?: number | undefined;
  /** Only entries that have expired at this time, in seconds. */
  expiredAt?: number | undefined;
}

/** Which entries to list, and which page of them. */
export interface MemoryPageRequest {
  limit: number;
  /** What the page before answered as `next`. */
  cursor?: string | undefined;
  filter?: StoredMemoryFilter | undefined;
}

/** One page of entries. */
export interface MemoryPage {
  memories: StoredMemory[];
  next?: string | undefined;
}

/** What moved in a scope's log after a `seq`; `more`: ask again from the last one. */
export interface MemoryChanges {
  changes: ({ seq: number; entry: MemoryEntry } | { seq: number; removed: string })[];
  /** Deletions so far. */
  removals: number;
  more: boolean;
}

/** A saved piece of the derived index; holds no text. */
export interface IndexSegment {
  analyzer: string;
  upTo: number;
  bytes: Uint8Array;
}

/** An ability of its own: keeps pieces of the derived index beside the entries. */
export interface IndexSnapshots {
  loadSegments(scope: MemoryScope): Promise<IndexSegment[]>;
  /** Refused (false) when something was deleted since the segment was made. */
  saveSegment(scope: MemoryScope, segment: IndexSegment, p: { ifRemovals: number }): Promise<boolean>;
}

/** An ability of its own: tells whose memory a store holds, for what is done for all users of an app, such as retention. */
export interface MemoryUsers {
  /**
   * Users of an app who have entries or had some, each once, in an order that stays; those who come meanwhile may be among
   * them. Another page follows where there is a `next`, which is its cursor.
   */
  listUsers(
    appName: string,
    page: { limit: number; cursor?: string | undefined },
  ): Promise<{ userIds: string[]; next?: string | undefined }>;
}
