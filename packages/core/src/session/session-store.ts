import type { Event } from '../event/event.ts';
import type { ScopedDelta, StateMap } from '../state/scopes.ts';
import type { Fence, LeaseManager } from './lease-manager.ts';
import type { EventWindow, SessionRef } from './session.ts';
import type { ListSessionsRequest, UserRef } from './session-service.ts';
import type { EventWatcher } from './event-watcher.ts';

/**
 * What a database implements: a few atomic, idempotent steps without cleverness. Scopes, prefixes, ids, validation and
 * copies are `StoredSessionService`'s. Strangers implement this; it is only ever extended.
 */
export interface SessionStore {
  readonly specVersion: 1;
  readonly abilities: { leasing?: LeaseManager | undefined; watching?: EventWatcher | undefined };
  /**
   * Makes a session; `SESSION_ALREADY_EXISTS` when the key is taken, also under a race. `appState` and `userState` hold what
   * the initial state adds to what is there; null deletes.
   */
  insert(session: StoredSession): Promise<void>;
  /** The window is done by the database. `appState`, `userState` and their versions are the current ones. */
  load(key: SessionRef, window: EventWindow): Promise<StoredSession | undefined>;
  list(query: ListSessionsRequest): Promise<SessionPage>;
  /** Takes session and events; whether it was there (and, with `ifLastSeq`, ended there). */
  remove(key: SessionRef, p: { ifLastSeq?: number | undefined }): Promise<boolean>;
  /**
   * Event, deltas, `lastUpdateTime` (never back) and the next `seq` together or not at all. An id that is stored already
   * changes nothing: `duplicate`, with the stored event. `SESSION_NOT_FOUND`, also when `key.incarnation` is given and the
   * session has another one, whatever is stored in it; `LEASE_LOST` when a fence is given that does not hold.
   */
  append(
    key: SessionRef,
    event: Event,
    delta: ScopedDelta,
    fence?: Fence,
  ): Promise<{ event: Event; duplicate: boolean }>;
  /** The app's state, or with a user the user's, without prefixes. */
  readState(scope: { appName: string; userId?: string | undefined }): Promise<StateMap>;
  /** Takes all sessions, events and the state of one user. */
  removeUser(user: UserRef): Promise<void>;
}

/** A session as a database holds it: state apart by scope, without prefixes. */
export interface StoredSession {
  key: SessionRef;
  incarnation: string;
  /** The session's own keys at the beginning; a rewind starts from them. */
  initialState: StateMap;
  state: StateMap;
  appState: StateMap;
  userState: StateMap;
  /** Count the writes to the app's and the user's state. */
  appVersion: number;
  userVersion: number;
  events: readonly Event[];
  createTime: number;
  lastUpdateTime: number;
  lastSeq: number;
  /** Of the record's shape; an unknown one is `STORE_VERSION`. */
  v: 1;
}

/** One page of a list, and how many there are in all. */
export interface SessionPage {
  sessions: readonly Omit<StoredSession, 'events' | 'initialState'>[];
  /** Of all pages. */
  total: number;
}
