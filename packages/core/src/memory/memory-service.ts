import type { Event } from '../event/event.ts';
import type { Session, SessionRef } from '../session/session.ts';
import type { CallOptions, UserRef } from '../session/session-service.ts';
import type { MemoryEntry } from './memory-entry.ts';
import type { SharedMemoryScope } from './shared-memory-scope.ts';

/** Whose memory a call is about: the user's own, or with a `scope` that of a team or an agent, which its users share. */
export interface MemoryRef extends UserRef {
  scope?: SharedMemoryScope | undefined;
}

/** All given conditions must hold. */
export interface MemoryFilter {
  kinds?: readonly MemoryEntry['kind'][] | undefined;
  /** Inclusive, in seconds. */
  from?: number | undefined;
  /** Exclusive, in seconds. */
  to?: number | undefined;
  /** Facts that held at this time. */
  validAt?: number | undefined;
  author?: string | undefined;
  sessionId?: string | undefined;
  /** Entries with at least one of these topics. */
  topics?: readonly string[] | undefined;
  /** Members of `customMetadata` that must be equal. */
  metadata?: { readonly [key: string]: string | number | boolean } | undefined;
}

/** What to look for, in whose memory, and how much of it. */
export interface SearchMemoryRequest extends MemoryRef, CallOptions {
  query: string;
  /** The service's `topK`, or 10. */
  limit?: number | undefined;
  filter?: MemoryFilter | undefined;
  /** Cosine in a vector service, the fraction of the best score in a lexical or hybrid one. */
  minScore?: number | undefined;
  /** Smallest `relevance` of a result, from 0 to 1. Services without a relevance ignore it. Default: 0. */
  minRelevance?: number | undefined;
  /** IANA name of the time zone of dates in the query, such as "yesterday". Default: UTC. */
  timeZone?: string | undefined;
  /** Whether each answer is to say what gave how much to its score, where the service can tell. */
  explain?: boolean | undefined;
}

/** What was found, best first, each with its score. */
export interface SearchMemoryResponse {
  /** Best first, each with `score`. */
  memories: MemoryEntry[];
  /** How many entries could not be compared by meaning, where any could not: words stood in for their vectors. */
  vectorsMissing?: number | undefined;
}

/** What `addMemory` takes: an id is made where none is given. */
export type NewMemory = Omit<MemoryEntry, 'id' | 'score' | 'relevance' | 'explanation'> & { id?: string | undefined };

/** Entries to add, or the text of one note. `scope` applies to entries that have none. */
export interface AddMemoryRequest extends MemoryRef, CallOptions {
  memories?: readonly NewMemory[] | undefined;
  /** The text of a note. */
  memory?: string | undefined;
}

/**
 * Long-term memory over sessions, scoped by app and user in every call. Nothing goes in and nothing is searched unless
 * somebody asks. Run the `memory` suite of `@thole/testing` over an implementation, naming the optional methods it has.
 */
export interface MemoryService {
  /** Adds what user and agents said: idempotent, and a windowed or grown session adds what is new and loses nothing. */
  addSessionToMemory(session: Session, call?: CallOptions): Promise<void>;
  /** Ranked, best first. Empty for an empty query and where nothing fits. */
  searchMemory(p: SearchMemoryRequest): Promise<SearchMemoryResponse>;
  /** As `addSessionToMemory`, for some events. */
  addEventsToMemory?(p: SessionRef & { events: readonly Event[] } & CallOptions): Promise<void>;
  /**
   * Adds entries unchanged (of an id given twice the last one), or one note. Returns them with their ids. Only this method writes
   * again what was forgotten.
   */
  addMemory?(p: AddMemoryRequest): Promise<MemoryEntry[]>;
  /** Returns one entry; undefined if the id is unknown or the entry has expired. */
  getMemory?(p: MemoryRef & { id: string } & CallOptions): Promise<MemoryEntry | undefined>;
  /** Changes the given members. Undefined for an unknown id and for an expired entry. */
  updateMemory?(
    p: MemoryRef & { id: string; change: Partial<Omit<MemoryEntry, 'id' | 'score'>> } & CallOptions,
  ): Promise<MemoryEntry | undefined>;
  /** Newest last; `next` is the cursor of the following page. */
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
   * Answers how many entries went. What is deleted does not come back by the next ingestion. With a fact go the entries that
   * are its evidence, unless they are to be kept; what goes leaves the evidence of other facts, and a fact left without any goes.
   */
  deleteMemory?(
    p: MemoryRef & { ids: readonly string[]; keepEvidence?: boolean | undefined } & CallOptions,
  ): Promise<number>;
  /**
   * All entries of one session, and the facts that rested on nothing else. Of `events` nothing is ingested any more, though memory
   * may not have had it yet: somebody may have read the session and be about to add it.
   */
  deleteSessionMemory?(
    p: SessionRef & MemoryRef & { events?: readonly Event[] | undefined } & CallOptions,
  ): Promise<number>;
  /**
   * Deletes everything of the user, or with a `scope` everything of that scope. What is not newer than now is not ingested again.
   * Without a `scope`, entries of shared scopes stay: they are not the user's.
   */
  deleteUserMemory?(p: MemoryRef & CallOptions): Promise<number>;
}
