import { systemRuntime, TholeError } from '@thole/core';
import { applyDelta, InProcessLeaseManager } from '@thole/core/kit';
import type {
  Event,
  EventWindow,
  Fence,
  ListSessionsRequest,
  Runtime,
  ScopedDelta,
  SessionHead,
  SessionPage,
  SessionRef,
  SessionStore,
  StateMap,
  StoredSession,
  UserRef,
  EventWatcher,
} from '@thole/core';
import { EventList } from './event-list.ts';
import { byTimeThenId, recordOf, write } from './kept-session.ts';
import type { Found, KeptSession, StoredApp, StoredUser } from './kept-session.ts';
import { SessionWatchers } from './session-watchers.ts';

/**
 * Keeps sessions in the memory of this process. Events are frozen and shared, never copied: an append takes the same time
 * whatever the length of the session.
 */
export class InMemorySessionStore implements SessionStore {
  readonly specVersion = 1;
  readonly abilities: { readonly leasing: InProcessLeaseManager; readonly watching: EventWatcher };
  // Maps within maps: no joined key that two names could share.
  readonly #apps = new Map<string, StoredApp>();
  readonly #watchers: SessionWatchers;

  constructor(runtime: Runtime = systemRuntime()) {
    this.#watchers = new SessionWatchers((key) => this.#find(key)?.session);
    this.abilities = {
      leasing: new InProcessLeaseManager(runtime, (key) => this.#headOf(key)),
      watching: this.#watchers,
    };
  }

  async insert(session: StoredSession): Promise<void> {
    const { appName, userId, sessionId } = session.key;
    const app = getOrMake(this.#apps, appName, () => ({ state: {}, version: 0, users: new Map<string, StoredUser>() }));
    const user = getOrMake(app.users, userId, () => ({
      state: {},
      version: 0,
      sessions: new Map<string, KeptSession>(),
    }));
    if (user.sessions.has(sessionId)) {
      throw new TholeError('SESSION_ALREADY_EXISTS', `Session ${sessionId} of ${userId} in ${appName} exists already.`);
    }
    const { key, incarnation, initialState, createTime, lastUpdateTime } = session;
    const state = { ...session.state };
    user.sessions.set(sessionId, {
      key,
      incarnation,
      initialState,
      state,
      createTime,
      lastUpdateTime,
      events: new EventList(session.events),
    });
    write(app, session.appState);
    write(user, session.userState);
    this.#watchers.notify(key);
  }

  async load(key: SessionRef, window: EventWindow): Promise<StoredSession | undefined> {
    const found = this.#find(key);
    if (!found) return undefined;
    const { initialState, events } = found.session;
    return { ...recordOf(found), initialState, events: events.read(window) };
  }

  async list(query: ListSessionsRequest): Promise<SessionPage> {
    const app = this.#apps.get(query.appName);
    const found: Found[] = [];
    for (const [userId, user] of app?.users ?? []) {
      if (query.userId !== undefined && userId !== query.userId) continue;
      for (const session of user.sessions.values()) found.push({ app: app!, user, session });
    }
    found.sort(byTimeThenId);
    if (query.order === 'desc') found.reverse();
    const offset = query.offset ?? 0;
    const page = found.slice(offset, query.limit === undefined ? undefined : offset + query.limit);
    return { sessions: page.map(recordOf), total: found.length };
  }

  async remove(key: SessionRef, p: { ifLastSeq?: number | undefined }): Promise<boolean> {
    const found = this.#find(key);
    if (!found || (p.ifLastSeq !== undefined && found.session.events.length !== p.ifLastSeq)) return false;
    return found.user.sessions.delete(key.sessionId);
  }

  async append(
    key: SessionRef,
    event: Event,
    delta: ScopedDelta,
    fence?: Fence,
  ): Promise<{ event: Event; duplicate: boolean }> {
    const found = this.#find(key);
    if (!found || (key.incarnation !== undefined && key.incarnation !== found.session.incarnation))
      throw new TholeError('SESSION_NOT_FOUND', `No session ${key.sessionId} for ${key.userId} in ${key.appName}.`);
    const { app, user, session } = found;
    // Before the fence: what is stored is stored, and a run that asks again after a time-out must hear so.
    const known = session.events.find(event.id);
    if (known) return { event: known, duplicate: true };
    if (fence !== undefined && !this.abilities.leasing.holds(key, fence)) {
      throw new TholeError('LEASE_LOST', `Invocation ${event.invocationId} no longer holds session ${key.sessionId}.`);
    }
    event.seq = session.events.length + 1;
    session.events.push(Object.freeze(event));
    applyDelta(session.state, delta.session);
    write(app, delta.app);
    write(user, delta.user);
    session.lastUpdateTime = Math.max(session.lastUpdateTime, event.timestamp);
    this.#watchers.notify(key);
    return { event, duplicate: false };
  }

  async readState(scope: { appName: string; userId?: string | undefined }): Promise<StateMap> {
    const app = this.#apps.get(scope.appName);
    const owner = scope.userId === undefined ? app : app?.users.get(scope.userId);
    return { ...owner?.state };
  }

  async removeUser(user: UserRef): Promise<void> {
    this.#apps.get(user.appName)?.users.delete(user.userId);
  }

  #find(key: SessionRef): Found | undefined {
    const app = this.#apps.get(key.appName);
    const user = app?.users.get(key.userId);
    const session = user?.sessions.get(key.sessionId);
    return session && { app: app!, user: user!, session };
  }

  #headOf(key: SessionRef): SessionHead | undefined {
    const found = this.#find(key);
    if (!found) return undefined;
    const { app, user, session } = found;
    return {
      incarnation: session.incarnation,
      lastSeq: session.events.length,
      appVersion: app.version,
      userVersion: user.version,
    };
  }
}

function getOrMake<T>(map: Map<string, T>, key: string, make: () => T): T {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}
