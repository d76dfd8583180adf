import type { Event } from '../event/event.ts';
import type { Session, SessionRef } from '../session/session.ts';
import type { Call, UserRef } from '../session/session-service.ts';
import type { MemoryEntry } from './memory-entry.ts';

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
  /** Members of `customMetadata` that must be equal. */
  metadata?: { readonly [key: string]: string | number | boolean } | undefined;
}

/** What to look for, in whose memory, and how much of it. */
export interface SearchMemoryRequest extends UserRef, Call {
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

/**
 * Long-term memory over sessions, scoped by app and user in every call. Nothing goes in and nothing is searched unless
 * somebody asks. Run the `memory` suite of `@thole/testing` over an implementation, naming the optional methods it has.
 */
export interface MemoryService {
  /** Adds what user and agents said: idempotent, and a windowed or grown session adds what is new and loses nothing. */
  addSessionToMemory(session: Session, call?: Call): Promise<void>;
  /** Ranked, best first. Empty for an empty query and where nothing fits. */
  searchMemory(p: SearchMemoryRequest): Promise<SearchMemoryResponse>;
  /** As `addSessionToMemory`, for some events. */
  addEventsToMemory?(p: SessionRef & { events: readonly Event[] } & Call): Promise<void>;
  /** Keeps entries as they are, of an id given twice the last; the only way to write again what was forgotten. */
  addMemory?(p: UserRef & { memories: readonly NewMemory[] } & Call): Promise<MemoryEntry[]>;
  /** Undefined for an unknown id. */
  updateMemory?(
    p: UserRef & { id: string; change: Partial<Omit<MemoryEntry, 'id' | 'score'>> } & Call,
  ): Promise<MemoryEntry | undefined>;
  /** Newest last; `next` is the cursor of the following page. */
  listMemories?(
    p: UserRef & { limit?: number | undefined; cursor?: string | undefined; filter?: MemoryFilter | undefined } & Call,
  ): Promise<{
    memories: MemoryEntry[];
    next?: string | undefined;
  }>;
  /**
   * Answers how many entries went. What is deleted does not come back by the next ingestion. With a fact go the entries that
   * are its evidence, unless they are to be kept; what goes leaves the evidence of other facts, and a fact left without any goes.
   */
  deleteMemory?(p: UserRef & { ids: readonly string[]; keepEvidence?: boolean | undefined } & Call): Promise<number>;
  /**
   * All entries of one session, and the facts that rested on nothing else. Of `events` nothing is ingested any more, though memory
   * may not have had it yet: somebody may have read the session and be about to add it.
   */
  deleteSessionMemory?(p: SessionRef & { events?: readonly Event[] | undefined } & Call): Promise<number>;
  /** Everything; what is not newer than now is not ingested again. */
  deleteUserMemory?(p: UserRef & Call): Promise<number>;
}
