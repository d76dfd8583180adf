import type { MemoryEntry, MemoryScope } from '@thole/core';
import type { Scored } from './scored.ts';
import type { Column } from './pack-columns.ts';
import type { Steps } from './time-slicer.ts';

/** A ranking of memories: creates the index that is derived from one user's log. Applications may implement this interface. */
export interface MemoryRanking {
  /** True if the index is updated at each ingestion, and not only before a search. Default: false. */
  readonly atIngest?: boolean | undefined;
  createIndex(scope: MemoryScope): MemoryIndex;
  /**
   * Name of the format of saved indexes, for rankings whose indexes have `save`. An index is only loaded by a ranking with the same
   * name. Default: indexes are not saved.
   */
  readonly savedAs?: string | undefined;
  /** Returns the index that was saved as these columns, or undefined if it cannot read them. */
  loadIndex?(columns: readonly Column[], scope: MemoryScope): Steps<MemoryIndex | undefined>;
}

/** An index of one user's entries. It receives all changes in the order of the log and keeps nothing of removed entries. */
export interface MemoryIndex {
  /** Approximate memory in bytes. */
  readonly bytes: number;
  /** Adds an entry, or replaces the entry with the same id. */
  put(entry: MemoryEntry): void;
  remove(id: string): void;
  /**
   * Called when the store has lost data. Afterwards all entries of the log are put again, and entries that are lost are removed.
   * What the index has stored for its entries in other places may be lost, too.
   */
  recheck?(): void;
  /** Returns the index as columns without texts. */
  save?(): Steps<Column[]>;
  /** Does work after an ingestion, so that searches need not wait for it. */
  prepare?(signal: AbortSignal | undefined): Promise<void>;
  /** Prepares the first search, in steps that each take a few milliseconds. Entries may change between the steps. */
  warmUp?(query: string, p: RankRequest): Steps<void>;
  /** Releases resources after the index was evicted. Running searches still return their results. */
  dispose?(): void;
  /** Returns at most `limit` entries, best first; equal scores newer first, then by id. */
  rank(query: string, p: RankRequest): Promise<Scored[]>;
}

/** Options of `MemoryIndex.rank`. */
export interface RankRequest {
  limit: number;
  /** Minimum score, as in `searchMemory`. Each ranking defines its meaning. */
  minScore?: number | undefined;
  /** Smallest relevance of a result, from 0 to 1. Rankings without a relevance ignore it. Default: 0. */
  minRelevance?: number | undefined;
  /** Returns false for entries that the search's filter excludes. */
  accepts?: ((id: string) => boolean) | undefined;
  /** True if results have an `explanation`. Default: false. */
  explain?: boolean | undefined;
  /** Current time in seconds since the epoch, for relative dates in the query. */
  now?: number | undefined;
  /** IANA name of the time zone of dates in the query. Default: UTC. */
  timeZone?: string | undefined;
  /** Called with the number of entries without a vector, if there are any. */
  onMissing?: ((entries: number) => void) | undefined;
  signal?: AbortSignal | undefined;
}
