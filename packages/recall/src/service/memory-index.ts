import type { MemoryEntry, MemoryScope } from '@thole/core';
import type { Scored } from './scored.ts';
import type { Column } from './pack-columns.ts';
import type { Steps } from './time-slicer.ts';

/** How memory is ranked: makes the index that is derived from one user's log. Strangers implement this. */
export interface MemoryRanking {
  /** Whether an index is brought up to date at each ingestion, and not only before a search. */
  readonly atIngest?: boolean | undefined;
  createIndex(scope: MemoryScope): MemoryIndex;
  /**
   * The name of what makes the indexes, for those that can be saved: an index is only loaded by a ranking of the same name. Their
   * indexes have `save`, and `loadIndex` makes one from it, or answers undefined for columns that it cannot read.
   */
  readonly savedAs?: string | undefined;
  loadIndex?(columns: readonly Column[], scope: MemoryScope): Steps<MemoryIndex | undefined>;
}

/** What is derived from one user's entries. Told of every entry in the order of the log; forgets all of what is removed. */
export interface MemoryIndex {
  /** About how much memory it holds. */
  readonly bytes: number;
  /** Adds an entry or replaces the one with its id. */
  put(entry: MemoryEntry): void;
  remove(id: string): void;
  /** All of the index, without any text. */
  save?(): Steps<Column[]>;
  /** Work that follows an ingestion and need not wait for a search. */
  prepare?(signal: AbortSignal | undefined): Promise<void>;
  /** It is held no longer; what was asked of it before is answered all the same. */
  dispose?(): void;
  /** Best first, at most `limit`, equals newer first and then by id. */
  rank(query: string, p: RankRequest): Promise<Scored[]>;
}

/** What a ranking is asked beside the query. */
export interface RankRequest {
  limit: number;
  /** As in `searchMemory`; what it means is the ranking's to say. */
  minScore?: number | undefined;
  /** Smallest relevance of a result, from 0 to 1. Rankings without a relevance ignore it. Default: 0. */
  minRelevance?: number | undefined;
  /** The filter of the search. */
  accepts?: ((id: string) => boolean) | undefined;
  /** Whether answers are to say what spoke for them. */
  explain?: boolean | undefined;
  /** Current time in seconds since the epoch, from which "yesterday" in a query is counted. */
  now?: number | undefined;
  /** IANA name of the time zone of dates in the query. Default: UTC. */
  timeZone?: string | undefined;
  /** Told how many entries lack what they should have been compared by, where any do. */
  onMissing?: ((entries: number) => void) | undefined;
  signal?: AbortSignal | undefined;
}
