import type { Content } from '../content/content.ts';
import type { JsonObject } from '../json/json.ts';
import type { SharedMemoryScope } from './shared-memory-scope.ts';

/** One entry of a memory: a turn of a conversation, a fact extracted from turns, or a note. */
export interface MemoryEntry {
  /** For a turn: `turnId(sessionId, eventId)`. */
  id: string;
  kind: 'turn' | 'fact' | 'note';
  content: Content;
  author?: string | undefined;
  /** Seconds since the epoch. */
  timestamp?: number | undefined;
  sessionId?: string | undefined;
  eventId?: string | undefined;
  /** In search results: higher is better. Comparable within one result list only. */
  score?: number | undefined;
  /**
   * In search results: the share of the query's information that the entry or its neighbours in the session contain.
   * From 0 to 1, comparable between searches. Undefined if the service does not compute it.
   */
  relevance?: number | undefined;
  /**
   * In results of a search with `explain`: how much each signal added to the score, by the names of the service's
   * ranking.
   */
  explanation?: { readonly [signal: string]: number } | undefined;
  /** Ids of the entries that support a fact. */
  evidence?: string[] | undefined;
  /** Start of the time in which a fact is valid, in seconds since the epoch. */
  validFrom?: number | undefined;
  /** End of this time, exclusive. Undefined if no end is known. */
  validTo?: number | undefined;
  /** Id of the entry that replaces this one. */
  supersededBy?: string | undefined;
  /** Categories, such as `food` or `travel`. Searches and lists can be limited to some of them. */
  topics?: string[] | undefined;
  /** Time in seconds from which the entry is no longer found, listed or returned. Pruning deletes it. Default: never. */
  expiresAt?: number | undefined;
  /** The team and agent that the entry belongs to, instead of the user. Set when the entry is added; it never changes. */
  scope?: SharedMemoryScope | undefined;
  customMetadata?: JsonObject | undefined;
}

/** Returns the id of a remembered turn. It is JSON, because session and event ids may contain any character. */
export function turnId(sessionId: string, eventId: string): string {
  return JSON.stringify([sessionId, eventId]);
}
