import { StoredSessionService, TholeError } from '@thole/core';
import { deepFreeze, raceAbort } from '@thole/core/kit';
import type {
  AppendOptions,
  Content,
  Event,
  EventWindow,
  Lease,
  LeaseRequest,
  ListSessionsRequest,
  Runtime,
  ScopedDelta,
  Session,
  SessionPage,
  SessionRef,
  SessionService,
  SessionStore,
  StateMap,
  StoredSession,
  UserRef,
} from '@thole/core';
import { InMemorySessionService, InMemorySessionStore } from '@thole/mem-services';
import type { Mutant } from './mutant.ts';
import { RenamingStore } from './renaming-store.ts';

type Appended = Awaited<ReturnType<SessionStore['append']>>;
type AppendArguments = Parameters<SessionService['appendEvent']>[0];

/** Session services that break one promise of `sessionServiceCases` each. */
export const sessionMutants: readonly Mutant<SessionService>[] = [
  storeMutant(
    'folds the case of user ids',
    1,
    class extends RenamingStore {
      override rename = (key: SessionRef): SessionRef => ({ ...key, userId: key.userId.toLowerCase() });
    },
  ),
  storeMutant(
    'finds a session by its id alone',
    1,
    class extends RenamingStore {
      override rename = (key: SessionRef): SessionRef => ({ ...key, userId: 'everyone' });
    },
  ),
  storeMutant(
    'joins names with a colon',
    1,
    class extends RenamingStore {
      override rename = (key: SessionRef): SessionRef => ({
        appName: 'x',
        userId: 'x',
        sessionId: `${key.appName}:${key.userId}:${key.sessionId}`,
      });
    },
  ),
  storeMutant(
    'trims names',
    1,
    class extends RenamingStore {
      override rename = (key: SessionRef): SessionRef => ({ ...key, sessionId: key.sessionId.trim() || '-' });
    },
  ),
  storeMutant(
    'overwrites a session whose id is taken',
    2,
    class extends InMemorySessionStore {
      override async insert(session: StoredSession): Promise<void> {
        await this.remove(session.key, {});
        return super.insert(session);
      }
    },
  ),
  storeMutant(
    'reads first and inserts later, so that two racing calls succeed',
    2,
    class extends InMemorySessionStore {
      override async insert(session: StoredSession): Promise<void> {
        if (await this.load(session.key, {})) throw new TholeError('SESSION_ALREADY_EXISTS', 'taken');
        await Promise.resolve();
        await this.remove(session.key, {});
        return super.insert(session).catch(() => {});
      }
    },
  ),
  storeMutant(
    'drops user: and app: keys of the initial state',
    2,
    class extends InMemorySessionStore {
      override insert(session: StoredSession): Promise<void> {
        return super.insert({ ...session, userState: {}, appState: {} });
      }
    },
  ),
  storeMutant(
    'shares user: keys with the whole app',
    3,
    class extends InMemorySessionStore {
      override append(key: SessionRef, event: Event, delta: ScopedDelta, options?: AppendOptions): Promise<Appended> {
        return super.append(key, event, { session: delta.session, app: { ...delta.app, ...delta.user } }, options);
      }
    },
  ),
  storeMutant(
    'keeps app: keys per user',
    3,
    class extends InMemorySessionStore {
      override append(key: SessionRef, event: Event, delta: ScopedDelta, options?: AppendOptions): Promise<Appended> {
        return super.append(key, event, { session: delta.session, user: { ...delta.user, ...delta.app } }, options);
      }
    },
  ),
  serviceMutant(
    'returns events with their temp: keys',
    4,
    class extends InMemorySessionService {
      override async appendEvent(p: AppendArguments): Promise<Event> {
        const stored = await super.appendEvent(p);
        return { ...stored, actions: { ...stored.actions, stateDelta: p.event.actions.stateDelta } };
      }
    },
  ),
  serviceMutant(
    'shows temp: keys to the next reader',
    4,
    class extends InMemorySessionService {
      #temp: StateMap = {};
      override async appendEvent(p: AppendArguments): Promise<Event> {
        for (const [key, value] of Object.entries(p.event.actions.stateDelta))
          if (key.startsWith('temp:')) this.#temp[key] = value;
        return super.appendEvent(p);
      }
      override async getSession(p: SessionRef & EventWindow): Promise<Session | undefined> {
        const session = await super.getSession(p);
        return session && { ...session, state: { ...session.state, ...this.#temp } };
      }
    },
  ),
  serviceMutant(
    'stores the result of JSON.stringify for an event that is not JSON',
    5,
    class extends InMemorySessionService {
      override async appendEvent(p: AppendArguments): Promise<Event> {
        return super.appendEvent({ ...p, event: JSON.parse(JSON.stringify(p.event)) as Event });
      }
    },
  ),
  storeMutant(
    'drops NUL characters',
    5,
    class extends InMemorySessionStore {
      override append(key: SessionRef, event: Event, delta: ScopedDelta, options?: AppendOptions): Promise<Appended> {
        const clean = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll(String.raw`\u0000`, '')) as T;
        return super.append(key, clean(event), clean(delta), options);
      }
    },
  ),
  {
    id: 'has no limit for a state value',
    contract: 5,
    create: (runtime) => new InMemorySessionService({ runtime, limits: { stateValueBytes: Infinity } }),
  },
  storeMutant(
    'loses keys named like prototypes',
    5,
    class extends InMemorySessionStore {
      override append(key: SessionRef, event: Event, delta: ScopedDelta, options?: AppendOptions): Promise<Appended> {
        const session: StateMap = {};
        for (const [name, value] of Object.entries(delta.session ?? {})) if (!(name in {})) session[name] = value;
        return super.append(key, event, { ...delta, session }, options);
      }
    },
  ),
  serviceMutant(
    'returns state in the order of the writes',
    3,
    class extends InMemorySessionService {
      override async getSession(p: SessionRef & EventWindow): Promise<Session | undefined> {
        const session = await super.getSession(p);
        return session && { ...session, state: Object.fromEntries(Object.entries(session.state).toReversed()) };
      }
    },
  ),
  storeMutant(
    'ignores null',
    6,
    class extends InMemorySessionStore {
      override append(key: SessionRef, event: Event, delta: ScopedDelta, options?: AppendOptions): Promise<Appended> {
        const session = Object.fromEntries(Object.entries(delta.session ?? {}).filter(([, value]) => value !== null));
        return super.append(key, event, { ...delta, session }, options);
      }
    },
  ),
  storeMutant(
    'merges objects inside a value',
    6,
    class extends InMemorySessionStore {
      override async append(
        key: SessionRef,
        event: Event,
        delta: ScopedDelta,
        options?: AppendOptions,
      ): Promise<Appended> {
        const before = (await this.load(key, {}))?.state ?? {};
        const session: StateMap = {};
        for (const [name, value] of Object.entries(delta.session ?? {})) {
          session[name] = isMap(value) && isMap(before[name]) ? { ...before[name], ...value } : value;
        }
        return super.append(key, event, { ...delta, session }, options);
      }
    },
  ),
  storeMutant(
    'writes user state as a whole, so that concurrent writers lose keys',
    6,
    class extends InMemorySessionStore {
      #count = 0;
      override async append(
        key: SessionRef,
        event: Event,
        delta: ScopedDelta,
        options?: AppendOptions,
      ): Promise<Appended> {
        const before = await this.readState(key);
        for (let i = this.#count++ % 7; i >= 0; i--) await Promise.resolve();
        const now = await this.readState(key);
        const lost = Object.fromEntries(
          Object.keys(now)
            .filter((name) => !(name in before))
            .map((name) => [name, null]),
        );
        return super.append(key, event, { ...delta, user: { ...lost, ...delta.user } }, options);
      }
    },
  ),
  storeMutant(
    'stores a repeated event again',
    7,
    class extends InMemorySessionStore {
      #count = 0;
      override append(key: SessionRef, event: Event, delta: ScopedDelta, options?: AppendOptions): Promise<Appended> {
        return super.append(key, { ...event, id: `${event.id}#${this.#count++}` }, delta, options);
      }
    },
  ),
  storeMutant(
    'writes the state of a repeated event again',
    7,
    class extends InMemorySessionStore {
      override async append(
        key: SessionRef,
        event: Event,
        delta: ScopedDelta,
        options?: AppendOptions,
      ): Promise<Appended> {
        const appended = await super.append(key, event, delta, options);
        if (appended.duplicate)
          await super.insert({
            ...(await this.load(key, {}))!,
            key: { ...key, sessionId: 'scratch' },
            userState: delta.user ?? {},
          });
        return appended;
      }
    },
  ),
  storeMutant(
    'ignores the incarnation of an append',
    7,
    class extends InMemorySessionStore {
      override append(key: SessionRef, event: Event, delta: ScopedDelta, options?: AppendOptions): Promise<Appended> {
        return super.append(key, event, delta, { ...options, incarnation: undefined });
      }
    },
  ),
  storeMutant(
    'checks the incarnation of an append only without a fence',
    13,
    class extends InMemorySessionStore {
      override append(key: SessionRef, event: Event, delta: ScopedDelta, options?: AppendOptions): Promise<Appended> {
        const incarnation = options?.fence === undefined ? options?.incarnation : undefined;
        return super.append(key, event, delta, { ...options, incarnation });
      }
    },
  ),
  storeMutant(
    'cuts off the contents of an event after 64 KiB',
    7,
    class extends InMemorySessionStore {
      override append(key: SessionRef, event: Event, delta: ScopedDelta, options?: AppendOptions): Promise<Appended> {
        const cut = (_name: string, value: unknown): unknown =>
          typeof value === 'string' ? value.slice(0, 65_536) : value;
        const content = event.content && (JSON.parse(JSON.stringify(event.content), cut) as Content);
        return super.append(key, content ? { ...event, content: deepFreeze(content) } : event, delta, options);
      }
    },
  ),
  storeMutant(
    'cuts off the parts of an event after 64 KiB',
    7,
    class extends InMemorySessionStore {
      override append(key: SessionRef, event: Event, delta: ScopedDelta, options?: AppendOptions): Promise<Appended> {
        let left = 65_536;
        const fits = (part: unknown): boolean => (left -= JSON.stringify(part).length) >= 0;
        const { content } = event;
        if (!content?.parts) return super.append(key, event, delta, options);
        const parts = content.parts.filter(fits);
        return super.append(key, { ...event, content: deepFreeze({ ...content, parts }) }, delta, options);
      }
    },
  ),
  storeMutant(
    'ignores an append to an unknown session',
    7,
    class extends InMemorySessionStore {
      override async append(
        key: SessionRef,
        event: Event,
        delta: ScopedDelta,
        options?: AppendOptions,
      ): Promise<Appended> {
        if (!(await this.load(key, {}))) return { event, duplicate: false };
        return super.append(key, event, delta, options);
      }
    },
  ),
  serviceMutant(
    'stores partial events',
    7,
    class extends InMemorySessionService {
      override appendEvent(p: AppendArguments): Promise<Event> {
        return super.appendEvent({ ...p, event: { ...p.event, partial: undefined } });
      }
    },
  ),
  serviceMutant(
    'does not add the event to the given session',
    7,
    class extends InMemorySessionService {
      override appendEvent(p: AppendArguments): Promise<Event> {
        return super.appendEvent({ ...p, session: 'events' in p.session ? refOf(p.session) : p.session });
      }
    },
  ),
  serviceMutant(
    'throws an error without a code when the signal is aborted',
    7,
    class extends InMemorySessionService {
      override async appendEvent(p: AppendArguments): Promise<Event> {
        // Delayed like a store over a network: a store in memory answers before the signal is aborted.
        const { signal, ...call } = p;
        signal?.throwIfAborted();
        const appending = new Promise((resolve) => setTimeout(resolve, 5)).then(() => super.appendEvent(call));
        return raceAbort(appending, signal, () => new Error('failed'));
      }
    },
  ),
  storeMutant(
    'reads events in the order of their times',
    8,
    class extends InMemorySessionStore {
      override async load(key: SessionRef, window: EventWindow): Promise<StoredSession | undefined> {
        const found = await super.load(key, window);
        return found && { ...found, events: found.events.toSorted((a, b) => a.timestamp - b.timestamp) };
      }
    },
  ),
  storeMutant(
    'returns the time of the last event as lastUpdateTime',
    8,
    class extends InMemorySessionStore {
      override async load(key: SessionRef, window: EventWindow): Promise<StoredSession | undefined> {
        const found = await super.load(key, window);
        return found && { ...found, lastUpdateTime: found.events.at(-1)?.timestamp ?? found.lastUpdateTime };
      }
    },
  ),
  storeMutant(
    'counts seq over all sessions',
    8,
    class extends InMemorySessionStore {
      #count = 0;
      override async append(
        key: SessionRef,
        event: Event,
        delta: ScopedDelta,
        options?: AppendOptions,
      ): Promise<Appended> {
        const appended = await super.append(key, event, delta, options);
        return { ...appended, event: { ...appended.event, seq: ++this.#count } };
      }
    },
  ),
  serviceMutant(
    'returns the same session object to all callers',
    9,
    class extends InMemorySessionService {
      readonly #kept = new Map<string, Session>();
      override async getSession(p: SessionRef & EventWindow): Promise<Session | undefined> {
        const session = await super.getSession(p);
        const kept = this.#kept.get(p.sessionId);
        if (kept && kept.lastSeq === session?.lastSeq) return kept;
        if (session) this.#kept.set(p.sessionId, session);
        return session;
      }
    },
  ),
  serviceMutant(
    'returns events that can be changed',
    9,
    class extends InMemorySessionService {
      override async getSession(p: SessionRef & EventWindow): Promise<Session | undefined> {
        const session = await super.getSession(p);
        return session && { ...session, events: structuredClone(session.events) };
      }
    },
  ),
  windowMutant('excludes the event at afterTimestamp', (window) => ({
    ...window,
    ...(window.afterTimestamp && { afterTimestamp: window.afterTimestamp + 0.0005 }),
  })),
  windowMutant('returns all events for numRecentEvents 0', (window) => ({
    ...window,
    numRecentEvents: window.numRecentEvents || undefined,
  })),
  windowMutant('ignores afterTimestamp if numRecentEvents is given', (window) =>
    window.numRecentEvents === undefined ? window : { ...window, afterTimestamp: undefined },
  ),
  serviceMutant(
    'does not return the window',
    10,
    class extends InMemorySessionService {
      override async getSession(p: SessionRef & EventWindow): Promise<Session | undefined> {
        const session = await super.getSession(p);
        if (!session) return undefined;
        const { window: _, ...rest } = session;
        return rest;
      }
    },
  ),
  storeMutant(
    'returns the count of the page as the total',
    11,
    class extends InMemorySessionStore {
      override async list(query: ListSessionsRequest): Promise<SessionPage> {
        const page = await super.list(query);
        return { ...page, total: page.sessions.length };
      }
    },
  ),
  storeMutant(
    'sorts lists by id',
    11,
    class extends InMemorySessionStore {
      override async list(query: ListSessionsRequest): Promise<SessionPage> {
        const page = await super.list(query);
        return { ...page, sessions: page.sessions.toSorted((a, b) => (a.key.sessionId < b.key.sessionId ? -1 : 1)) };
      }
    },
  ),
  storeMutant(
    'also deletes the user state with the last session',
    11,
    class extends InMemorySessionStore {
      override async remove(key: SessionRef, p: { ifLastSeq?: number | undefined }): Promise<boolean> {
        const removed = await super.remove(key, p);
        const { total } = await this.list(key);
        if (removed && total === 0) await this.removeUser(key);
        return removed;
      }
    },
  ),
  storeMutant(
    'ignores ifLastSeq',
    11,
    class extends InMemorySessionStore {
      override remove(key: SessionRef): Promise<boolean> {
        return super.remove(key, {});
      }
    },
  ),
  storeMutant(
    'keeps the user state when the data of the user is deleted',
    12,
    class extends InMemorySessionStore {
      override async removeUser(user: UserRef): Promise<void> {
        for (const { key } of (await this.list(user)).sessions) await this.remove(key, {});
      }
    },
  ),
  serviceMutant(
    'stores updateState as an event of the user',
    12,
    class extends InMemorySessionService {
      override updateState(p: Parameters<SessionService['updateState']>[0]): Promise<Event> {
        return super.updateState({ ...p, author: 'user' });
      }
    },
  ),
  storeMutant(
    'does not check fences',
    13,
    class extends InMemorySessionStore {
      override append(key: SessionRef, event: Event, delta: ScopedDelta): Promise<Appended> {
        return super.append(key, event, delta);
      }
    },
  ),
  storeMutant(
    'ignores ifHeldBy',
    13,
    class extends InMemorySessionStore {
      override append(key: SessionRef, event: Event, delta: ScopedDelta, options?: AppendOptions): Promise<Appended> {
        return super.append(key, event, delta, { ...options, ifHeldBy: undefined });
      }
    },
  ),
  grantMutant('releases a lease whatever ifLastSeq is', (lease) => ({
    release: (options) => lease.release({ marks: options?.marks }),
  })),
  grantMutant('loses a lease whose release was refused', (lease) => ({
    release: async (options) => (await lease.release(options)) || !(await lease.release()),
  })),
  storeMutant(
    'does not change userVersion for an equal value',
    13,
    class extends InMemorySessionStore {
      override async append(
        key: SessionRef,
        event: Event,
        delta: ScopedDelta,
        options?: AppendOptions,
      ): Promise<Appended> {
        return super.append(key, event, { ...delta, user: await this.#changes(key, delta.user) }, options);
      }
      async #changes(user: UserRef, delta: StateMap | undefined): Promise<StateMap | undefined> {
        const held = await this.readState({ appName: user.appName, userId: user.userId });
        const isNew = ([name, value]: [string, unknown]): boolean =>
          JSON.stringify(held[name] ?? null) !== JSON.stringify(value);
        return delta && Object.fromEntries(Object.entries(delta).filter(isNew));
      }
    },
  ),
  storeMutant(
    'rejects appends without a fence while a run holds the session',
    13,
    class extends InMemorySessionStore {
      override async append(
        key: SessionRef,
        event: Event,
        delta: ScopedDelta,
        options?: AppendOptions,
      ): Promise<Appended> {
        const held = await this.abilities.leasing.current(key);
        if (held && options?.fence === undefined) throw new TholeError('SESSION_BUSY', 'held');
        return super.append(key, event, delta, options);
      }
    },
  ),
  leasingMutant('grants a lease to every caller', (request) => ({ ...request, policy: 'interrupt', cleanupMs: 0 })),
  leasingMutant('has no limits for waiting runs', (request) => ({
    ...request,
    waitMs: 1e9,
    maxWaiting: Infinity,
  })),
  leasingMutant('queues runs with the policy interrupt', (request) => ({
    ...request,
    policy: request.policy === 'interrupt' ? 'queue' : request.policy,
  })),
  storeMutant(
    'runs all interrupting invocations, the newest first',
    13,
    class extends InMemorySessionStore {
      constructor(runtime: Runtime) {
        super(runtime);
        const { leasing } = this.abilities;
        const lease = leasing.lease.bind(leasing);
        leasing.lease = (key, request) =>
          lease(key, request).catch((error: unknown) => {
            if (!TholeError.is(error, 'RUN_INTERRUPTED')) throw error;
            return lease(key, { ...request, policy: 'queue' });
          });
      }
    },
  ),
  storeMutant(
    'rejects the fence of an expired lease before another run asks',
    13,
    class extends InMemorySessionStore {
      override async append(
        key: SessionRef,
        event: Event,
        delta: ScopedDelta,
        options?: AppendOptions,
      ): Promise<Appended> {
        const held = await this.abilities.leasing.current(key);
        if (options?.fence !== undefined && held?.expired) throw new TholeError('LEASE_LOST', 'ran out');
        return super.append(key, event, delta, options);
      }
    },
  ),
  leasingMutant('never expires a lease', (request) => ({ ...request, ttlMs: 1e9 })),
  leasingMutant('grants the session to the newest waiting run first', (request) => ({
    ...request,
    policy: request.policy === 'queue' ? 'interrupt' : request.policy,
    cleanupMs: 1e9,
  })),
  storeMutant(
    'deletes the data of the user in every app',
    30,
    class extends InMemorySessionStore {
      override async removeUser(user: UserRef): Promise<void> {
        for (const appName of [user.appName, 'other']) await super.removeUser({ ...user, appName });
      }
    },
  ),
];

type StoreClass = new (runtime: Runtime) => SessionStore;
type ServiceClass = new (options: { runtime: Runtime }) => SessionService;

function storeMutant(id: string, contract: number, broken: StoreClass): Mutant<SessionService> {
  return { id, contract, create: (runtime) => new StoredSessionService(new broken(runtime), { runtime }) };
}

function serviceMutant(id: string, contract: number, broken: ServiceClass): Mutant<SessionService> {
  return { id, contract, create: (runtime) => new broken({ runtime }) };
}

function windowMutant(id: string, change: (window: EventWindow) => EventWindow): Mutant<SessionService> {
  return storeMutant(
    id,
    10,
    class extends InMemorySessionStore {
      override load(key: SessionRef, window: EventWindow): Promise<StoredSession | undefined> {
        return super.load(key, change(window));
      }
    },
  );
}

function leasingMutant(id: string, change: (request: LeaseRequest) => LeaseRequest): Mutant<SessionService> {
  return storeMutant(
    id,
    13,
    class extends InMemorySessionStore {
      constructor(runtime: Runtime) {
        super(runtime);
        const { leasing } = this.abilities;
        const lease = leasing.lease.bind(leasing);
        leasing.lease = (key: SessionRef, request: LeaseRequest): Promise<Lease> => lease(key, change(request));
      }
    },
  );
}

/** Returns a mutant with a change in each lease that it grants. */
function grantMutant(id: string, change: (lease: Lease) => Partial<Lease>): Mutant<SessionService> {
  return storeMutant(
    id,
    13,
    class extends InMemorySessionStore {
      constructor(runtime: Runtime) {
        super(runtime);
        const { leasing } = this.abilities;
        const grant = leasing.lease.bind(leasing);
        leasing.lease = async (key: SessionRef, request: LeaseRequest): Promise<Lease> => {
          const lease = await grant(key, request);
          return { ...membersOf(lease), ...change(lease) } as Lease;
        };
      }
    },
  );
}

function membersOf(lease: Lease): Partial<Lease> {
  return { fence: lease.fence, head: lease.head, renew: () => lease.renew(), lost: lease.lost, stop: lease.stop };
}

function isMap(value: unknown): value is StateMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refOf(session: Session | SessionRef): SessionRef {
  return 'events' in session ? { appName: session.appName, userId: session.userId, sessionId: session.id } : session;
}
