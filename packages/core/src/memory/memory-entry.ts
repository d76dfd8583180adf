import type { Content } from '../content/content.ts';
import type { JsonObject } from '../json/json.ts';
import type { SharedMemoryScope } from './shared-memory-scope.ts';

/** One thing remembered: a turn as it was said, a fact drawn from turns, or a note somebody asked to keep. */
export interface MemoryEntry {
  /** A turn's is `turnId(sessionId, eventId)`. */
  id: string;
  kind: 'turn' | 'fact' | 'note';
  content: Content;
  author?: string | undefined;
  /** Seconds since the epoch. */
  timestamp?: number | undefined;
  sessionId?: string | undefined;
  eventId?: string | undefined;
  /** In search results: higher is better, comparable within one answer. */
  score?: number | undefined;
  /**
   * In search results, the share of the query's information that the entry, or its neighbours in the session, hold: 0 to 1,
   * comparable between searches. Undefined if the service does not compute it.
   */
  relevance?: number | undefined;
  /** In results of a search that asked for it: what gave how much to the score, by the names of the service's ranking. */
  explanation?: { readonly [signal: string]: number } | undefined;
  /** Ids of the entries that a fact rests on. */
  evidence?: string[] | undefined;
  /** Seconds; from when and until when a fact holds. */
  validFrom?: number | undefined;
  validTo?: number | undefined;
  supersededBy?: string | undefined;
  /** Categories, such as `food` or `travel`. Searches and lists can be limited to some of them. */
  topics?: string[] | undefined;
  /** Time in seconds from which the entry is no longer found, listed or returned. Pruning deletes it. Default: never. */
  expiresAt?: number | undefined;
  /** The team and agent that the entry belongs to, instead of the user. Set when the entry is added; it never changes. */
  scope?: SharedMemoryScope | undefined;
  customMetadata?: JsonObject | undefined;
}

/** The id of a remembered turn. JSON, because session and event ids may hold any character. */
export function turnId(sessionId: string, eventId: string): string {
  return JSON.stringify([sessionId, eventId]);
}
