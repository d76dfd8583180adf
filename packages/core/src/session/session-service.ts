import type { Event } from '../event/event.ts';
import type { StateDelta, StateMap } from '../state/scopes.ts';
import type { EventWatcher } from './event-watcher.ts';
import type { LeaseManager } from './lease-manager.ts';
import type { AppendOptions, RemoveConditions } from './session-store.ts';
import type { EventWindow, ForkOrigin, Session, SessionRef, SessionSummary } from './session.ts';
import type { WaitingPage, WaitingRequest } from './waiting-sessions.ts';

/** Options of every call of a service. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
}

/** A user of an app. */
export interface UserRef {
  appName: string;
  userId: string;
}

/**
 * Stores sessions. Each call is limited to one app, and almost all to one user. Names may contain any characters except NUL
 * and lone surrogates, and have at most 512 bytes (`INVALID_INPUT`). The suite `sessionServiceCases` of `@thole/testing`
 * tests an implementation. It is easier to implement `SessionStore` and use `StoredSessionService`.
 */
export interface SessionService {
  readonly leasing?: LeaseManager | undefined;
  readonly watching?: EventWatcher | undefined;
  /** True if sessions outlive the process. Another process can then continue a run that `Runner.close` has stopped. */
  readonly isDurable?: boolean | undefined;
  /**
   * Creates a session, with a new id if none is given. Throws `SESSION_ALREADY_EXISTS` if the id is taken. State keys with a
   * prefix are stored in their scope.
   */
  createSession(
    p: UserRef & { sessionId?: string | undefined; state?: StateDelta | undefined } & CallOptions,
  ): Promise<Session>;
  /** Returns a session, or undefined if it does not exist. The window may also be given as `config`, as in ADK. */
  getSession(
    p: SessionRef & EventWindow & { config?: EventWindow | undefined } & CallOptions,
  ): Promise<Session | undefined>;
  /** Returns sessions without events, by `lastUpdateTime` and then by id. Without `userId`, of all users of the app. */
  listSessions(p: ListSessionsRequest & CallOptions): Promise<{ sessions: SessionSummary[]; total: number }>;
  /**
   * Returns sessions that wait for an invocation to continue, for a timer or for an answer, by time. Optional: recovery and
   * lists of open interrupts need it.
   */
  listWaitingSessions?(p: WaitingRequest & CallOptions): Promise<WaitingPage>;
  /**
   * Stores a new session with all of its events, or nothing. Its state is `initialState` with the changes of the events;
   * `app:` and `user:` keys are not written. The events get the `seq` 1, 2, 3 … Throws `SESSION_ALREADY_EXISTS` if the id is
   * taken. Optional: copies of sessions need it.
   */
  insertSession?(p: InsertedSession & CallOptions): Promise<Session>;
  /**
   * Deletes a session with its events, open interrupts and timers. Returns true if the session existed and the given
   * conditions were met. State of the user and the app stays.
   */
  deleteSession(p: SessionRef & RemoveConditions & CallOptions): Promise<boolean>;
  /**
   * Stores an event and its state changes in one step, and returns the stored, frozen event. A partial event is
   * returned without being stored. If the event id is stored already, returns the stored event and changes nothing. A
   * `Session` that is passed receives the event and the changed state; its other changes are not stored. The session
   * must have the incarnation of the option, or of the `Session`. Throws `SESSION_NOT_FOUND`, `LEASE_LOST`,
   * `NOT_RUNNING`, `VALUE_TOO_LARGE` or `INVALID_INPUT`, and `STORE_OUTCOME_UNKNOWN` if the signal is aborted before
   * the store has answered.
   */
  appendEvent(p: { session: Session | SessionRef; event: Event } & AppendOptions & CallOptions): Promise<Event>;
  /** Stores state changes outside of a run, as an event of `author` (default: `system`), and returns the event. */
  updateState(
    p: SessionRef & {
      stateDelta: StateDelta;
      author?: string | undefined;
      /** Throws `SESSION_NOT_FOUND` if the session has another incarnation. Default: any incarnation. */
      incarnation?: string | undefined;
    } & CallOptions,
  ): Promise<Event>;
  /** Returns the `user:` state of a user, with prefixes. */
  getUserState(p: UserRef & CallOptions): Promise<StateMap>;
  /** Deletes all sessions and the state of a user. */
  deleteUserData(p: UserRef & CallOptions): Promise<void>;
}

/** A session to store with its events. */
export interface InsertedSession extends UserRef {
  /** Default: a new id. */
  sessionId?: string | undefined;
  /** State of the session's own keys before the first event. Default: empty. */
  initialState?: StateMap | undefined;
  /** Complete events (not partial) with different ids, oldest first. */
  events: readonly Event[];
  /** The session that this one is a copy of. */
  forkedFrom?: ForkOrigin | undefined;
}

/** A query for sessions of an app. */
export interface ListSessionsRequest {
  appName: string;
  /** Default: all users of the app. */
  userId?: string | undefined;
  /** Maximum number of sessions. Default: all. */
  limit?: number | undefined;
  /** Number of sessions to skip. Default: 0. */
  offset?: number | undefined;
  /** `asc` returns the oldest first. Default: `asc`. */
  order?: 'asc' | 'desc' | undefined;
}
