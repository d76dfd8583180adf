import type { MemoryEntry } from '@thole/core';
import type { Scored } from '../index/word-index.ts';

/** How memory is ranked: makes the index that is derived from one user's log. Strangers implement this. */
export interface MemoryRanking {
  /** Whether an index is brought up to date at each ingestion, and not only before a search. */
  readonly atIngest?: boolean | undefined;
  createIndex(): MemoryIndex;
}

/** What is derived from one user's entries. Told of every entry in the order of the log; forgets all of what is removed. */
export interface MemoryIndex {
  /** About how much memory it holds. */
  readonly bytes: number;
  /** Adds an entry or replaces the one with its id. */
  put(entry: MemoryEntry): void;
  remove(id: string): void;
  /** Work that follows an ingestion and need not wait for a search. */
  prepare?(signal: AbortSignal | undefined): Promise<void>;
  /** Best first, at most `limit`, equals newer first and then by id. */
  rank(query: string, p: RankRequest): Promise<Scored[]>;
}

/** What a ranking is asked beside the query. */
export interface RankRequest {
  limit: number;
  /** As in `searchMemory`; what it means is the ranking's to say. */
  minScore?: number | undefined;
  /** The filter of the search. */
  accepts?: ((id: string) => boolean) | undefined;
  signal?: AbortSignal | undefined;
}
