import { StoredSessionService } from '@thole/core';
import { applyDelta, sessionNotFound } from '@thole/core/kit';
import type {
  AppendOptions,
  Event,
  EventWindow,
  Lease,
  Runtime,
  SessionRef,
  SessionStore,
  StateMap,
  StoredSession,
} from '@thole/core';
import { LiveSession } from './live-session.ts';
import type { SessionAccess } from './session-cache.ts';

/**
 * Returns access to a new session in memory that begins with these events, for a run without a stored session. No other run can use
 * it, so it has no lease.
 */
export function inMemorySession(
  runtime: Runtime,
  ref: SessionRef,
  state: StateMap,
  events: readonly Event[] = [],
): SessionAccess {
  const service = new StoredSessionService(new SingleSessionStore(), { runtime });
  return {
    service,
    takeLease: async (): Promise<Lease | undefined> => undefined,
    fenceOf: () => undefined,
    open: async () => {
      const session = await service.createSession({ ...ref, state });
      for (const { seq: _, ...event } of events) await service.appendEvent({ session, event });
      return new LiveSession(session, undefined);
    },
    peek: async () => new LiveSession((await service.getSession(ref))!, undefined),
    keep: () => {},
    currentInvocation: async () => undefined,
    isQueued: true,
    canJoin: false,
    cached: undefined,
    isDurable: false,
    forget: () => {},
  };
}

/** A session store in memory for one session. */
export class SingleSessionStore implements SessionStore {
  readonly specVersion = 1;
  readonly abilities: SessionStore['abilities'] = {};
  #session: (StoredSession & { events: Event[] }) | undefined;

  async insert(session: StoredSession): Promise<void> {
    const state = { ...session.state };
    this.#session = {
      ...session,
      state,
      appState: { ...session.appState },
      userState: { ...session.userState },
      events: [],
    };
  }

  async load(_key: SessionRef, window: EventWindow): Promise<StoredSession | undefined> {
    const session = this.#session;
    if (!session) return undefined;
    const events = session.events.filter(
      (event) => event.seq! > (window.afterSeq ?? 0) && event.timestamp >= (window.afterTimestamp ?? 0),
    );
    const { numRecentEvents } = window;
    return {
      ...session,
      events: numRecentEvents === undefined ? events : events.slice(Math.max(0, events.length - numRecentEvents)),
    };
  }

  async append(
    key: SessionRef,
    event: Event,
    delta: Parameters<SessionStore['append']>[2],
    options: AppendOptions = {},
  ): Promise<{ event: Event; duplicate: boolean }> {
    const session = this.#session;
    if (!session || (options.incarnation !== undefined && options.incarnation !== session.incarnation)) {
      throw sessionNotFound(key);
    }
    const known = session.events.find(({ id }) => id === event.id);
    if (known) return { event: known, duplicate: true };
    event.seq = ++session.lastSeq;
    session.lastUpdateTime = Math.max(session.lastUpdateTime, event.timestamp);
    applyDelta(session.state, delta.session);
    applyDelta(session.appState, delta.app);
    applyDelta(session.userState, delta.user);
    session.events.push(event);
    return { event, duplicate: false };
  }

  async list(): ReturnType<SessionStore['list']> {
    return { sessions: this.#session ? [this.#session] : [], total: this.#session ? 1 : 0 };
  }

  async readState(scope: { userId?: string | undefined }): ReturnType<SessionStore['readState']> {
    return (scope.userId === undefined ? this.#session?.appState : this.#session?.userState) ?? {};
  }

  async remove(): Promise<boolean> {
    const existed = this.#session !== undefined;
    this.#session = undefined;
    return existed;
  }

  async removeUser(): Promise<void> {
    this.#session = undefined;
  }
}
