import type { Optional } from '../errors/optional.ts';
import type { Event } from '../event/event.ts';
import type { Session, SessionRef } from '../session/session.ts';
import type { CallOptions, UserRef } from '../session/session-service.ts';
import type { MemoryEntry } from './memory-entry.ts';
import type { SharedMemoryScope } from './shared-memory-scope.ts';

/** The owner of the memory: the user, or with `scope` a team or an agent whose users share it. */
export interface MemoryRef extends UserRef {
  scope?: SharedMemoryScope | undefined;
}

/** Conditions of a search or list. All given conditions must match. */
export interface MemoryFilter {
  kinds?: readonly MemoryEntry['kind'][] | undefined;
  /** Inclusive, in seconds since the epoch. */
  from?: number | undefined;
  /** Exclusive, in seconds since the epoch. */
  to?: number | undefined;
  /** Only facts that are valid at this time, in seconds since the epoch. */
  validAt?: number | undefined;
  author?: string | undefined;
  sessionId?: string | undefined;
  /** Only entries with at least one of these topics. */
  topics?: readonly string[] | undefined;
  /** Members of `customMetadata` that must be equal. */
  metadata?: { readonly [key: string]: string | number | boolean } | undefined;
}

/** A query, the memory to search, and limits. */
export interface SearchMemoryRequest extends MemoryRef, CallOptions {
  query: string;
  /** Maximum number of results. Default: the service's `topK`, or 10. */
  limit?: number | undefined;
  filter?: MemoryFilter | undefined;
  /** Minimum score: a cosine in a vector service, a fraction of the best score in a lexical or hybrid service. */
  minScore?: number | undefined;
  /** Minimum `relevance` of a result, from 0 to 1. Services without a relevance ignore it. Default: 0. */
  minRelevance?: number | undefined;
  /** IANA name of the time zone of dates in the query, such as "yesterday". Default: UTC. */
  timeZone?: string | undefined;
  /** True to get an `explanation` with each result, if the service has one. */
  explain?: boolean | undefined;
}

/** Results of a search. */
export interface SearchMemoryResponse {
  /** Best first, each with `score`. */
  memories: MemoryEntry[];
  /** Number of entries without a vector, which were compared by words instead. Undefined if all entries had a vector. */
  vectorsMissing?: number | undefined;
}

/** An entry for `addMemory`. An id is created if none is given. */
export type NewMemory = Omit<MemoryEntry, 'id' | 'score' | 'relevance' | 'explanation'> & { id?: string | undefined };

/** Entries to add, or the text of one note. `scope` applies to entries without a scope. */
export interface AddMemoryRequest extends MemoryRef, CallOptions {
  memories?: readonly NewMemory[] | undefined;
  /** The text of a note. */
  memory?: string | undefined;
}

/**
 * Long-term memory across sessions. Every call names app and user. Memory contains only the entries that a
 * caller adds, and is searched only by a call. Run `memoryServiceCases` of `@thole/testing` against an implementation,
 * and claim its optional methods.
 */
export interface MemoryService {
  /**
   * Adds the turns of user and agents. Idempotent: adding a session again, whole or in part, adds new turns and
   * removes none.
   */
  addSessionToMemory(session: Session, call?: CallOptions): Promise<void>;
  /** Returns ranked entries, best first. Empty for an empty query or without matches. */
  searchMemory(p: SearchMemoryRequest): Promise<SearchMemoryResponse>;
  /** Like `addSessionToMemory`, for the given events. */
  addEventsToMemory?(p: SessionRef & { events: readonly Event[] } & CallOptions): Promise<void>;
  /**
   * Adds entries unchanged (the last one of each id), or one note. Returns them with their ids. Only this method
   * restores a deleted entry.
   */
  addMemory?(p: AddMemoryRequest): Promise<MemoryEntry[]>;
  /** Returns one entry. Undefined if the id is unknown or the entry has expired. */
  getMemory?(p: MemoryRef & { id: string } & CallOptions): Promise<MemoryEntry | undefined>;
  /**
   * Returns other entries with the same meaning as the given entries or their versions, most similar first, at most 10.
   * Leaves out all versions and their evidence, because `deleteMemory` deletes them too. Call it before a deletion, and
   * offer to delete the result. Unknown ids are ignored.
   */
  findSameMemories?(p: MemoryRef & { ids: readonly string[] } & CallOptions): Promise<MemoryEntry[]>;
  /**
   * Changes the given members and returns the entry. Returns undefined for an unknown id or an expired entry. It removes no
   * member: an undefined member stays the same. To remove a member, pass the entry without it to `addMemory`, which replaces
   * the entry.
   */
  updateMemory?(
    p: MemoryRef & {
      id: string;
      change: Optional<Omit<MemoryEntry, 'id' | 'score'>>;
    } & CallOptions,
  ): Promise<MemoryEntry | undefined>;
  /** Returns a page of entries, newest last. `next` is the cursor of the following page. */
  listMemories?(
    p: MemoryRef & {
      limit?: number | undefined;
      cursor?: string | undefined;
      filter?: MemoryFilter | undefined;
    } & CallOptions,
  ): Promise<{
    memories: MemoryEntry[];
    next?: string | undefined;
  }>;
  /**
   * Deletes entries and returns their number. Later ingestion does not restore them. The earlier and later versions of a
   * deleted fact, and the entries that are their evidence, are deleted too. With `keepEvidence`, only the given entries
   * are deleted: an earlier version stays in the past. Deleted ids are removed from the evidence of other facts; a fact
   * without evidence is deleted.
   */
  deleteMemory?(
    p: MemoryRef & { ids: readonly string[]; keepEvidence?: boolean | undefined } & CallOptions,
  ): Promise<number>;
  /**
   * Deletes all entries of one session, and the facts without other evidence. The given `events` are never ingested
   * later, because another caller may have read the session already and may add it afterwards.
   */
  deleteSessionMemory?(
    p: SessionRef & MemoryRef & { events?: readonly Event[] | undefined } & CallOptions,
  ): Promise<number>;
  /**
   * Deletes everything of the user, or with `scope` everything of that scope. Turns up to now are not ingested
   * again. Without `scope`, entries of shared scopes stay: they do not belong to the user.
   */
  deleteUserMemory?(p: MemoryRef & CallOptions): Promise<number>;
}
