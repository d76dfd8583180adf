import { StoredEventWatcher, StoredLeaseManager, systemRuntime } from '@thole/core';
import {
  applyDelta,
  hasMarks,
  InMemoryLeaseStore,
  leaseLost,
  notRunning,
  sessionExists,
  sessionNotFound,
} from '@thole/core/kit';
import type {
  AppendOptions,
  Event,
  EventWindow,
  ListSessionsRequest,
  ReleaseOptions,
  RemoveConditions,
  Runtime,
  ScopedDelta,
  SessionHead,
  SessionPage,
  SessionRef,
  SessionStore,
  StateMap,
  StoredSession,
  UserRef,
  WaitingPage,
  WaitingRequest,
} from '@thole/core';
import { EventList } from './event-list.ts';
import { applyChanges, applyMarks, compareByTime, toRecord } from './session-record.ts';
import type { FoundSession, StoredApp, StoredUser, SessionRecord } from './session-record.ts';
import { readWaiting, WaitingIndex } from './waiting-index.ts';

/**
 * Stores sessions in the memory of this process. Events are frozen and shared, never copied. So an append takes the same
 * time for a session of any length.
 */
export class InMemorySessionStore implements SessionStore {
  readonly specVersion = 1;
  readonly abilities: { readonly leasing: StoredLeaseManager; readonly watching: StoredEventWatcher };
  // Nested maps, because joined names could be equal for different pairs of names.
  readonly #apps = new Map<string, StoredApp>();
  readonly #leases: InMemoryLeaseStore;
  readonly #runtime: Runtime;
  /** The session that was found last. Consecutive steps of a turn need the same session. */
  #recent: FoundSession | undefined;

  constructor(runtime: Runtime = systemRuntime()) {
    this.#runtime = runtime;
    this.#leases = new InMemoryLeaseStore(runtime, {
      headOf: (key) => this.#headOf(key),
      finish: (key, options) => this.#finish(key, options),
    });
    // All writes happen in this process, so nothing is polled.
    const options = { pollMs: Infinity };
    this.abilities = {
      leasing: new StoredLeaseManager(this.#leases, runtime, options),
      watching: new StoredEventWatcher(this, runtime, options),
    };
  }

  async insert(session: StoredSession): Promise<void> {
    const { appName, userId, sessionId } = session.key;
    const app = getOrCreate(this.#apps, appName, () => ({ ...createState(), users: new Map<string, StoredUser>() }));
    const user = getOrCreate(app.users, userId, () => ({
      ...createState(),
      waiting: new WaitingIndex(),
      sessions: new Map<string, SessionRecord>(),
    }));
    if (user.sessions.has(sessionId)) throw sessionExists(session.key);
    const { key, incarnation, initialState, createTime, lastUpdateTime, marks, forkedFrom } = session;
    const record: SessionRecord = {
      key,
      incarnation,
      initialState,
      state: { ...session.state },
      createTime,
      lastUpdateTime,
      events: new EventList(session.events, session.lastSeq),
      marks: { ...marks },
      isListed: false,
      forkedFrom,
    };
    user.sessions.set(sessionId, record);
    user.waiting.update(record);
    applyChanges(app, session.appState);
    applyChanges(user, session.userState);
    this.abilities.watching.notify(key);
  }

  async load(key: SessionRef, window: EventWindow): Promise<StoredSession | undefined> {
    const found = this.#find(key);
    if (!found) return undefined;
    const { initialState, events } = found.session;
    return { ...toRecord(found), initialState, events: events.read(window) };
  }

  /** Returns the first events after `afterSeq`, for `abilities.watching`. */
  async readAfter(
    key: SessionRef,
    afterSeq: number,
    limit: number,
  ): Promise<Pick<StoredSession, 'incarnation' | 'events'> | undefined> {
    const session = this.#find(key)?.session;
    return session && { incarnation: session.incarnation, events: session.events.readAfter(afterSeq, limit) };
  }

  async list(query: ListSessionsRequest): Promise<SessionPage> {
    const app = this.#apps.get(query.appName);
    const found: FoundSession[] = [];
    for (const [userId, user] of app?.users ?? []) {
      if (query.userId !== undefined && userId !== query.userId) continue;
      for (const session of user.sessions.values()) found.push({ app: app!, user, session });
    }
    found.sort(compareByTime);
    if (query.order === 'desc') found.reverse();
    const offset = query.offset ?? 0;
    const page = found.slice(offset, query.limit === undefined ? undefined : offset + query.limit);
    return { sessions: page.map(toRecord), total: found.length };
  }

  async waiting(request: WaitingRequest): Promise<WaitingPage> {
    const app = this.#apps.get(request.appName);
    const user = request.userId === undefined ? undefined : app?.users.get(request.userId);
    const users = request.userId === undefined ? (app?.users.values() ?? []) : user ? [user] : [];
    return readWaiting(waitingIndexesOf(users), request, this.#runtime.now());
  }

  async remove(key: SessionRef, { ifLastSeq, ifIdle }: RemoveConditions): Promise<boolean> {
    const found = this.#find(key);
    if (!found || (ifLastSeq !== undefined && found.session.events.lastSeq !== ifLastSeq)) return false;
    if (ifIdle && hasMarks(found.session.marks)) return false;
    found.user.waiting.remove(found.session);
    this.#recent = undefined;
    return found.user.sessions.delete(key.sessionId);
  }

  async append(
    key: SessionRef,
    event: Event,
    delta: ScopedDelta,
    options: AppendOptions = {},
  ): Promise<{ event: Event; duplicate: boolean }> {
    const { fence, incarnation, ifHeldBy, marks } = options;
    const found = this.#find(key);
    if (!found || (incarnation !== undefined && incarnation !== found.session.incarnation)) throw sessionNotFound(key);
    const { app, user, session } = found;
    // Checked before the lease, so that a run that repeats an append after a timeout receives the stored event.
    const duplicate = session.events.find(event.id);
    if (duplicate) return { event: duplicate, duplicate: true };
    if (fence !== undefined && !this.#leases.holds(key, fence)) throw leaseLost(key, event.invocationId);
    if (ifHeldBy !== undefined && !this.#leases.isRunning(key, ifHeldBy)) throw notRunning(key, ifHeldBy);
    event.seq = session.events.lastSeq + 1;
    session.events.push(Object.freeze(event));
    applyDelta(session.state, delta.session);
    applyChanges(app, delta.app);
    applyChanges(user, delta.user);
    applyMarks(found, marks);
    session.lastUpdateTime = Math.max(session.lastUpdateTime, event.timestamp);
    this.abilities.watching.notify(key);
    return { event, duplicate: false };
  }

  async readState(scope: { appName: string; userId?: string | undefined }): Promise<StateMap> {
    const app = this.#apps.get(scope.appName);
    const owner = scope.userId === undefined ? app : app?.users.get(scope.userId);
    return { ...owner?.state };
  }

  async removeUser(user: UserRef): Promise<void> {
    const app = this.#apps.get(user.appName);
    app?.users.delete(user.userId);
    this.#recent = undefined;
  }

  #find(key: SessionRef): FoundSession | undefined {
    if (this.#recent && isSame(this.#recent.session.key, key)) return this.#recent;
    const app = this.#apps.get(key.appName);
    const user = app?.users.get(key.userId);
    const session = user?.sessions.get(key.sessionId);
    return (this.#recent = session && { app: app!, user: user!, session });
  }

  #finish(key: SessionRef, { ifLastSeq, marks }: ReleaseOptions): boolean {
    const found = this.#find(key);
    if (!found) return true;
    if (ifLastSeq !== undefined && found.session.events.lastSeq !== ifLastSeq) return false;
    applyMarks(found, marks);
    return true;
  }

  #headOf(key: SessionRef): SessionHead | undefined {
    const found = this.#find(key);
    if (!found) return undefined;
    const { app, user, session } = found;
    return {
      incarnation: session.incarnation,
      lastSeq: session.events.lastSeq,
      lastEventId: session.events.lastId,
      appVersion: app.version,
      userVersion: user.version,
    };
  }
}

function createState(): { state: StateMap; version: number } {
  return { state: {}, version: 0 };
}

function getOrCreate<T>(map: Map<string, T>, key: string, create: () => T): T {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = create()));
  return value;
}

function isSame(a: SessionRef, b: SessionRef): boolean {
  return a.sessionId === b.sessionId && a.userId === b.userId && a.appName === b.appName;
}

function* waitingIndexesOf(users: Iterable<StoredUser>): Generator<WaitingIndex> {
  for (const { waiting } of users) yield waiting;
}
