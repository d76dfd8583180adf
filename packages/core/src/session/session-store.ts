import type { Event } from '../event/event.ts';
import type { ScopedDelta, StateMap } from '../state/scopes.ts';
import type { EventWatcher } from './event-watcher.ts';
import type { Fence, LeaseManager } from './lease-manager.ts';
import type { ListSessionsRequest, UserRef } from './session-service.ts';
import type { EventWindow, ForkOrigin, SessionMarks, SessionRef } from './session.ts';
import type { WaitingPage, WaitingRequest } from './waiting-sessions.ts';

/**
 * The database of a session service: a few atomic steps that can be repeated safely. `StoredSessionService` adds scopes,
 * prefixes, ids, validation and copies. The suites `sessionStoreCases` and `leaseStoreCases` of `@thole/testing` test an
 * implementation. Others implement this interface, so it only ever gains optional members.
 *
 * Passed values may be frozen or shared: copy a value before you change it. `state` and `initialState` of a new session can be
 * the same object. `StoredSessionService` copies the values that a store returns, so a store may return its own objects.
 */
export interface SessionStore {
  readonly specVersion: 1;
  /** Optional abilities: usually a `StoredLeaseManager` and a `StoredEventWatcher`. */
  readonly abilities: {
    leasing?: LeaseManager | undefined;
    watching?: EventWatcher | undefined;
    /** True if sessions outlive the process. Default: false. */
    isDurable?: boolean | undefined;
  };
  /**
   * Stores a new session with its events, state, marks and initial state in one step. Throws `SESSION_ALREADY_EXISTS` if the
   * key is taken, also if two calls race. `appState` and `userState` are changes to the stored state of the
   * app and the user. Null deletes a key. Each event has its `seq`: consecutive numbers up to `lastSeq`. The first one is
   * greater than 1 if the session comes from a store in which its oldest events were pruned.
   */
  insert(session: StoredSession): Promise<void>;
  /** Returns a session with the events of the window, and the current state of its app and user. */
  load(key: SessionRef, window: EventWindow): Promise<StoredSession | undefined>;
  /** Returns sessions by `lastUpdateTime`, then by session id and user id. `desc` is the exact reverse of `asc`. */
  list(query: ListSessionsRequest): Promise<SessionPage>;
  /**
   * Returns the sessions that wait. Uses an index: the cost depends on their count, not on the count of all sessions. They are
   * ordered by time (see `WaitingRequest.before`), and then by any order that stays the same. A session whose time changes
   * between two pages can be on both pages or on neither. All other sessions are returned once. Throws
   * `INVALID_INPUT` for a cursor that no page returned. `StoredSessionService` always sets `limit`. Optional: recovery and
   * lists of open interrupts need it, and `sessionStoreCases` tests it.
   */
  waiting?(request: WaitingRequest): Promise<WaitingPage>;
  /**
   * Deletes a session, its events and its marks, and returns true. Returns false and deletes nothing if the session does not
   * exist or a given condition is not met. The conditions are checked in the same step.
   */
  remove(key: SessionRef, conditions: RemoveConditions): Promise<boolean>;
  /**
   * Stores in one atomic step: the event with the next `seq`, the state changes, `lastUpdateTime` (never decreases) and
   * `options.marks`. Before that, the first of these rules that applies decides, and nothing is stored:
   *
   * 1. `SESSION_NOT_FOUND` if the session does not exist, or `options.incarnation` is not its incarnation.
   * 2. If the event's id is stored already, returns the stored event with `duplicate: true`.
   * 3. `LEASE_LOST` if `options.fence` is not the fence of the session's lease, live or expired.
   * 4. `NOT_RUNNING` if `options.ifHeldBy` is not the invocation of a live lease without a stop request.
   */
  append(
    key: SessionRef,
    event: Event,
    delta: ScopedDelta,
    options?: AppendOptions,
  ): Promise<{ event: Event; duplicate: boolean }>;
  /** Returns the state of an app, or of a user if `userId` is given, without prefixes. */
  readState(scope: { appName: string; userId?: string | undefined }): Promise<StateMap>;
  /** Deletes all sessions, events and the state of a user. */
  removeUser(user: UserRef): Promise<void>;
}

/** Conditions of a deletion. */
export interface RemoveConditions {
  /** Deletes the session only if this is its `lastSeq`. Default: any. */
  ifLastSeq?: number | undefined;
  /** True to delete the session only if it has no unfinished invocation, timer or open interrupt. Default: false. */
  ifIdle?: boolean | undefined;
}

/** Conditions of an append, and marks to store with the event. */
export interface AppendOptions {
  /** Fence of the run's lease. Throws `LEASE_LOST` if another run has taken the lease, or if it was released. */
  fence?: Fence | undefined;
  /** Throws `SESSION_NOT_FOUND` if the session has another incarnation. Default: any incarnation. */
  incarnation?: string | undefined;
  /** Throws `NOT_RUNNING` unless this invocation has a live lease and was not asked to stop. Not together with `fence`. */
  ifHeldBy?: string | undefined;
  /** Marks to store with the event. Marks that are left out or undefined stay the same. */
  marks?: Partial<SessionMarks> | undefined;
}

/** A session as a store returns it: state by scope, without prefixes. */
export interface StoredSession {
  key: SessionRef;
  incarnation: string;
  /** State of the session's own keys before the first stored event. A rewind starts from it. */
  initialState: StateMap;
  state: StateMap;
  appState: StateMap;
  userState: StateMap;
  /** Counts the writes to the app's state. */
  appVersion: number;
  /** Counts the writes to the user's state. */
  userVersion: number;
  events: readonly Event[];
  createTime: number;
  lastUpdateTime: number;
  lastSeq: number;
  marks: SessionMarks;
  /** Present if the session is a copy of another one. */
  forkedFrom?: ForkOrigin | undefined;
  /** Version of the record. A service that does not know it throws `STORE_VERSION`. */
  v: 1;
}

/** One page of a list of sessions. */
export interface SessionPage {
  sessions: readonly Omit<StoredSession, 'events' | 'initialState'>[];
  /** Count of the sessions on all pages. */
  total: number;
}
