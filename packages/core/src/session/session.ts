import type { Event } from '../event/event.ts';
import type { StateMap } from '../state/scopes.ts';

/** The triple that finds a session, always. */
export interface SessionRef {
  appName: string;
  userId: string;
  sessionId: string;
  /**
   * The session's `incarnation` when the caller read it. Only `appendEvent` and `updateState` look at it: they refuse a
   * session that was deleted and created again under the same id since (`SESSION_NOT_FOUND`). Default: any incarnation.
   */
  incarnation?: string | undefined;
}

/** Which events to read; they combine: first the filter, then the tail. */
export interface EventWindow {
  /** The last so many; 0 is none. */
  numRecentEvents?: number | undefined;
  /** From this time on, inclusive, in seconds. */
  afterTimestamp?: number | undefined;
  /** Those whose `seq` is greater. */
  afterSeq?: number | undefined;
}

/** A conversation: a snapshot of its own, never an alias of what is stored. Its events are frozen. */
export interface Session {
  id: string;
  appName: string;
  userId: string;
  /** All scopes in one map, with prefixes. Changing it changes nothing stored. */
  state: StateMap;
  events: Event[];
  /** Seconds since the epoch; never goes back. */
  lastUpdateTime: number;
  /** `seq` of the newest event, 0 without one. */
  lastSeq: number;
  /** Made when the session is: one that was deleted and made anew under its id has another. */
  incarnation: string;
  /** Present when these are not all events. */
  window?: EventWindow | undefined;
}

/** A session in a list: without its events. */
export type SessionSummary = Omit<Session, 'events' | 'window'>;
