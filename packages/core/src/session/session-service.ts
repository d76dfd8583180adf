import type { Event } from '../event/event.ts';
import type { StateDelta, StateMap } from '../state/scopes.ts';
import type { Fence, LeaseManager } from './lease-manager.ts';
import type { EventWindow, Session, SessionRef, SessionSummary } from './session.ts';
import type { EventWatcher } from './event-watcher.ts';

/** What any call takes. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
}

/** One user of one app. */
export interface UserRef {
  appName: string;
  userId: string;
}

/**
 * Keeps sessions. Every call is scoped by app and user; names may hold any character, are at most 512 bytes, and hold no
 * NUL and no lone surrogates (`INVALID_INPUT`). Run the `session` suite of `@thole/testing` over an implementation, or
 * write a `SessionStore` and put `StoredSessionService` over it.
 */
export interface SessionService {
  readonly leasing?: LeaseManager | undefined;
  readonly watching?: EventWatcher | undefined;
  /** Without an id one is made; `SESSION_ALREADY_EXISTS` for a taken one. State is routed by scope. */
  createSession(
    p: UserRef & { sessionId?: string | undefined; state?: StateDelta | undefined } & CallOptions,
  ): Promise<Session>;
  /** Undefined for an unknown session. ADK's `config: {…}` is taken for the window too. */
  getSession(
    p: SessionRef & EventWindow & { config?: EventWindow | undefined } & CallOptions,
  ): Promise<Session | undefined>;
  /** By `lastUpdateTime`, then id; without events. Without a user: of all users of the app. */
  listSessions(p: ListSessionsRequest & CallOptions): Promise<{ sessions: SessionSummary[]; total: number }>;
  /** Whether it was there. With `ifLastSeq` only if nothing was stored since. Leaves `user:` and `app:` state. */
  deleteSession(p: SessionRef & { ifLastSeq?: number | undefined } & CallOptions): Promise<boolean>;
  /**
   * Stores event and state together and answers the stored, frozen event. A partial is returned untouched. Repeating an
   * event id changes nothing. A Session handed in shows event and state afterwards; nothing else of it is written. Its
   * `incarnation`, or that of the reference, must be the stored session's, otherwise `SESSION_NOT_FOUND`.
   * `SESSION_NOT_FOUND`, `LEASE_LOST`, `VALUE_TOO_LARGE`, `INVALID_INPUT`; `STORE_OUTCOME_UNKNOWN` when the signal ends the wait.
   */
  appendEvent(
    p: { session: Session | SessionRef; event: Event; fence?: Fence | undefined } & CallOptions,
  ): Promise<Event>;
  /** Writes state from outside a run: an event of its own, by `author` (`system`). */
  updateState(p: SessionRef & { stateDelta: StateDelta; author?: string | undefined } & CallOptions): Promise<Event>;
  /** The `user:` keys, with their prefix. */
  getUserState(p: UserRef & CallOptions): Promise<StateMap>;
  /** Deletes all sessions and the user state of one user. */
  deleteUserData(p: UserRef & CallOptions): Promise<void>;
}

/** Which sessions to list, and which page of them. */
export interface ListSessionsRequest {
  appName: string;
  userId?: string | undefined;
  limit?: number | undefined;
  offset?: number | undefined;
  /** Oldest first (`asc`) unless told otherwise. */
  order?: 'asc' | 'desc' | undefined;
}
