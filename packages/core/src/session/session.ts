import type { Event } from '../event/event.ts';
import type { StateMap } from '../state/scopes.ts';

/** The three names that identify a session. */
export interface SessionRef {
  appName: string;
  userId: string;
  sessionId: string;
}

/** The events to read. If several members are given, the filters apply before `numRecentEvents`. */
export interface EventWindow {
  /** The last N events. 0 returns none. */
  numRecentEvents?: number | undefined;
  /** Events at or after this time, in seconds since the epoch. */
  afterTimestamp?: number | undefined;
  /** Events with a greater `seq`. */
  afterSeq?: number | undefined;
}

/** A conversation: a copy of the stored session. Its events are frozen and may be shared with other copies. */
export interface Session {
  id: string;
  appName: string;
  userId: string;
  /** State of all scopes, with prefixes. A change of this map is not stored. */
  state: StateMap;
  events: Event[];
  /** Seconds since the epoch. Never decreases. */
  lastUpdateTime: number;
  /** `seq` of the newest event, 0 without events. */
  lastSeq: number;
  /** Id of this creation of the session. It changes if the session is deleted and created again. */
  incarnation: string;
  /** Present if the session is a copy of another one. */
  forkedFrom?: ForkOrigin | undefined;
  /**
   * State of the session's own keys before the first stored event, frozen. A rewind starts from it. Sessions of a
   * `StoredSessionService` have it.
   */
  initialState?: StateMap | undefined;
  /** The work that the session waits for. Undefined if the service does not store marks. */
  marks?: SessionMarks | undefined;
  /** Present if `events` does not contain all events of the session. */
  window?: EventWindow | undefined;
}

/** A session in a list: without its events. */
export type SessionSummary = Omit<Session, 'events' | 'initialState' | 'marks' | 'window'>;

/** The session that a session was copied from. */
export interface ForkOrigin {
  sessionId: string;
  incarnation: string;
  /** Number of copied events. They are the first events of the copy. */
  copiedEvents: number;
}

/** Unfinished work of a session, so that stores can find sessions that wait. Can be computed from the events. */
export interface SessionMarks {
  /** Id of the invocation that has started and not ended, or null. */
  unfinished: string | null;
  /** Earliest time at which a timer or an expiry is due, in seconds since the epoch, or null. */
  wakeAt: number | null;
  /** Count of open interrupts that can be answered. */
  openInterrupts: number;
}
