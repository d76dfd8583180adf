import { createEvent } from '../event/create-event.ts';
import type { Event } from '../event/event.ts';
import { invalidInput } from '../errors/invalid-input.ts';
import { TholeError } from '../errors/thole-error.ts';
import { orAborted } from '../errors/wait.ts';
import { deepFreeze, thawJson } from '../json/copy-json.ts';
import { isPlainObject } from '../json/explain-json.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { systemRuntime } from '../runtime/system-runtime.ts';
import { applyDelta, mergeScopes, splitByScope } from '../state/scopes.ts';
import type { StateDelta, StateMap } from '../state/scopes.ts';
import { checkName, checkSessionRef, checkUser } from './check-name.ts';
import type { Fence, Leasing } from './leasing.ts';
import { copyDelta, prepareEvent } from './prepare-event.ts';
import type { SizeLimits } from './prepare-event.ts';
import type { EventWindow, Session, SessionRef, SessionSummary } from './session.ts';
import type { Call, ListSessionsRequest, SessionService, UserRef } from './session-service.ts';
import type { SessionPage, SessionStore, StoredSession } from './session-store.ts';
import type { Watching } from './watching.ts';

/** What a `StoredSessionService` may be told.. */
export interface StoredSessionServiceOptions {
  runtime?: Runtime | undefined;
  /** `eventBytes` (8 MiB) and `stateValueBytes` (1 MiB), as JSON text in UTF-8. */
  limits?: Partial<SizeLimits> | undefined;
}

/** The semantics that every backend shares, once: scopes, `temp:`, partials, validation, ids, copies. */
export class StoredSessionService implements SessionService {
  readonly leasing: Leasing | undefined;
  readonly watching: Watching | undefined;
  protected readonly runtime: Runtime;
  readonly #store: SessionStore;
  readonly #limits: SizeLimits;

  constructor(store: SessionStore, options: StoredSessionServiceOptions = {}) {
    this.#store = store;
    this.leasing = store.abilities.leasing;
    this.watching = store.abilities.watching;
    this.runtime = options.runtime ?? systemRuntime();
    this.#limits = {
      eventBytes: options.limits?.eventBytes ?? 8 * 1024 * 1024,
      stateValueBytes: options.limits?.stateValueBytes ?? 1024 * 1024,
    };
  }

  async createSession(
    p: UserRef & { sessionId?: string | undefined; state?: StateDelta | undefined } & Call,
  ): Promise<Session> {
    checkUser(p);
    if (p.sessionId !== undefined) checkName('sessionId', p.sessionId);
    const key = { appName: p.appName, userId: p.userId, sessionId: p.sessionId ?? this.runtime.newId('session') };
    const scoped = splitByScope(copyDelta(p.state ?? {}, 'state', this.#limits));
    const initialState: StateMap = {};
    applyDelta(initialState, scoped.session);
    deepFreeze(initialState);
    const now = this.runtime.now();
    const session: StoredSession = {
      key,
      incarnation: this.runtime.newId('incarnation'),
      initialState,
      state: initialState,
      appState: scoped.app ?? {},
      userState: scoped.user ?? {},
      appVersion: 0,
      userVersion: 0,
      events: [],
      createTime: now,
      lastUpdateTime: now,
      lastSeq: 0,
      v: 1,
    };
    p.signal?.throwIfAborted();
    await orAborted(this.#store.insert(session), p.signal, unknownOutcome);
    // Read back: what other sessions have put into the app's and the user's state is part of this one's.
    const stored = await orAborted(this.#store.load(key, { numRecentEvents: 0 }), p.signal, unknownOutcome);
    return toSession(stored ?? session);
  }

  async getSession(
    p: SessionRef & EventWindow & { config?: EventWindow | undefined } & Call,
  ): Promise<Session | undefined> {
    checkSessionRef(p);
    const window = readWindow({ ...p.config, ...definedOf(p) });
    p.signal?.throwIfAborted();
    const key = { appName: p.appName, userId: p.userId, sessionId: p.sessionId };
    const stored = await orAborted(this.#store.load(key, window ?? {}), p.signal);
    return stored && toSession(stored, window);
  }

  async listSessions(p: ListSessionsRequest & Call): Promise<{ sessions: SessionSummary[]; total: number }> {
    checkName('appName', p.appName);
    if (p.userId !== undefined) checkName('userId', p.userId);
    if (p.limit !== undefined) checkCount('limit', p.limit);
    if (p.offset !== undefined) checkCount('offset', p.offset);
    if (p.order !== undefined && p.order !== 'asc' && p.order !== 'desc') {
      throw new TholeError('INVALID_INPUT', `order must be 'asc' or 'desc'.`);
    }
    p.signal?.throwIfAborted();
    const query = { appName: p.appName, userId: p.userId, limit: p.limit, offset: p.offset, order: p.order };
    const page = await orAborted(this.#store.list(query), p.signal);
    return { sessions: page.sessions.map(toSummary), total: page.total };
  }

  async deleteSession(p: SessionRef & { ifLastSeq?: number | undefined } & Call): Promise<boolean> {
    checkSessionRef(p);
    if (p.ifLastSeq !== undefined) checkCount('ifLastSeq', p.ifLastSeq);
    p.signal?.throwIfAborted();
    const key = { appName: p.appName, userId: p.userId, sessionId: p.sessionId };
    return orAborted(this.#store.remove(key, { ifLastSeq: p.ifLastSeq }), p.signal, unknownOutcome);
  }

  async appendEvent(
    p: { session: Session | SessionRef; event: Event; fence?: Fence | undefined } & Call,
  ): Promise<Event> {
    if (p.event?.partial) return p.event;
    const key = refOf(p.session);
    const { event, delta } = prepareEvent(p.event, this.#limits);
    p.signal?.throwIfAborted();
    const appending = this.#store.append(key, event, delta, p.fence);
    const { event: stored, duplicate } = p.signal
      ? await orAborted(appending, p.signal, unknownOutcome)
      : await appending;
    deepFreeze(stored);
    if ('events' in p.session) show(p.session, stored, duplicate);
    return stored;
  }

  async updateState(p: SessionRef & { stateDelta: StateDelta; author?: string | undefined } & Call): Promise<Event> {
    if (!isPlainObject(p.stateDelta)) throw invalidInput('stateDelta', 'an object', p.stateDelta);
    const event = createEvent({ author: p.author ?? 'system', actions: { stateDelta: p.stateDelta } }, this.runtime);
    const session = { appName: p.appName, userId: p.userId, sessionId: p.sessionId };
    return this.appendEvent({ session, event, signal: p.signal });
  }

  async getUserState(p: UserRef & Call): Promise<StateMap> {
    checkUser(p);
    p.signal?.throwIfAborted();
    const user = await orAborted(this.#store.readState({ appName: p.appName, userId: p.userId }), p.signal);
    return thawJson(mergeScopes({ user }));
  }

  async deleteUserData(p: UserRef & Call): Promise<void> {
    checkUser(p);
    p.signal?.throwIfAborted();
    await orAborted(this.#store.removeUser({ appName: p.appName, userId: p.userId }), p.signal, unknownOutcome);
  }
}

function unknownOutcome(reason: unknown): TholeError {
  return new TholeError(
    'STORE_OUTCOME_UNKNOWN',
    'The wait ended before the store had answered; it may have happened.',
    { cause: reason },
  );
}

function refOf(session: Session | SessionRef): SessionRef {
  if (typeof session !== 'object' || session === null)
    throw invalidInput('session', 'a Session or a {appName, userId, sessionId}', session);
  const sessionId = 'sessionId' in session ? session.sessionId : session.id;
  const key = { appName: session.appName, userId: session.userId, sessionId };
  checkSessionRef(key);
  return key;
}

/** The handed-in session shows what was stored; a repeated event that its snapshot covers is not applied over what came later. */
function show(session: Session, stored: Event, duplicate: boolean): void {
  if (duplicate && (stored.seq ?? 0) <= session.lastSeq) return;
  session.events.push(stored);
  applyDelta(session.state, thawJson(stored.actions.stateDelta));
  session.lastUpdateTime = Math.max(session.lastUpdateTime, stored.timestamp);
  session.lastSeq = Math.max(session.lastSeq, stored.seq ?? 0);
}

function toSession(stored: StoredSession, window?: EventWindow): Session {
  const events = stored.events.slice();
  if (isDevelopment()) for (const event of events) deepFreeze(event);
  return { ...toSummary(stored), events, ...(window && { window }) };
}

function toSummary(stored: SessionPage['sessions'][number]): SessionSummary {
  if (stored.v !== 1) {
    throw new TholeError(
      'STORE_VERSION',
      `Session ${stored.key.sessionId} has a record of version ${String(stored.v)}; this package reads version 1.`,
    );
  }
  return {
    id: stored.key.sessionId,
    appName: stored.key.appName,
    userId: stored.key.userId,
    state: thawJson(mergeScopes({ app: stored.appState, user: stored.userState, session: stored.state })),
    lastUpdateTime: stored.lastUpdateTime,
    lastSeq: stored.lastSeq,
    incarnation: stored.incarnation,
  };
}

function readWindow(p: EventWindow): EventWindow | undefined {
  if (p.numRecentEvents === undefined && p.afterTimestamp === undefined && p.afterSeq === undefined) return undefined;
  if (p.numRecentEvents !== undefined) checkCount('numRecentEvents', p.numRecentEvents);
  if (p.afterSeq !== undefined) checkCount('afterSeq', p.afterSeq);
  if (p.afterTimestamp !== undefined && !Number.isFinite(p.afterTimestamp)) {
    throw invalidInput('afterTimestamp', 'a number of seconds', p.afterTimestamp);
  }
  return definedOf(p);
}

function definedOf(p: EventWindow): EventWindow {
  return {
    ...(p.numRecentEvents !== undefined && { numRecentEvents: p.numRecentEvents }),
    ...(p.afterTimestamp !== undefined && { afterTimestamp: p.afterTimestamp }),
    ...(p.afterSeq !== undefined && { afterSeq: p.afterSeq }),
  };
}

function checkCount(argument: string, value: unknown): void {
  if (!Number.isSafeInteger(value) || (value as number) < 0)
    throw invalidInput(argument, 'a whole number from 0 on', value);
}

function isDevelopment(): boolean {
  try {
    const environment = (globalThis as { process?: { env?: { [name: string]: string | undefined } } }).process?.env;
    return environment?.['NODE_ENV'] !== 'production';
  } catch {
    return true; // Deno refuses to say unless it is allowed to.
  }
}
