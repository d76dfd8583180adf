import { createEvent } from '../event/create-event.ts';
import type { Event } from '../event/event.ts';
import { assertBytes } from '../errors/assert-bytes.ts';
import { assertCount } from '../errors/assert-count.ts';
import { invalidInput } from '../errors/invalid-input.ts';
import { TholeError } from '../errors/thole-error.ts';
import { optionNames } from '../errors/option-names.ts';
import { rejectUnknownOptions } from '../errors/reject-unknown-options.ts';
import { raceAbort, raceAbortWrite } from '../errors/race-abort.ts';
import { deepFreeze, thawJson } from '../json/copy-json.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { systemRuntime } from '../runtime/system-runtime.ts';
import { applyDelta, mergeScopes, splitByScope } from '../state/scopes.ts';
import type { StateDelta, StateMap } from '../state/scopes.ts';
import { assertMarks, noMarks } from './session-marks.ts';
import { assertName, assertSessionRef, assertUser } from './assert-name.ts';
import type { LeaseManager } from './lease-manager.ts';
import { copyDelta, prepareEvent } from './prepare-event.ts';
import type { SizeLimits } from './prepare-event.ts';
import { readWindow } from './read-window.ts';
import type { EventWindow, Session, SessionRef, SessionSummary } from './session.ts';
import type { CallOptions, InsertedSession, ListSessionsRequest, SessionService, UserRef } from './session-service.ts';
import { isDevelopment, sessionOf, addEvent, summaryOf } from './session-of.ts';
import type { AppendOptions, RemoveConditions, SessionStore, StoredSession } from './session-store.ts';
import { copyForkOrigin, prepareEvents } from './inserted-session.ts';
import { checkWaitingRequest } from './check-waiting-request.ts';
import type { WaitingPage, WaitingRequest } from './waiting-sessions.ts';
import type { EventWatcher } from './event-watcher.ts';

/** Options of `StoredSessionService`. */
export interface StoredSessionServiceOptions {
  runtime?: Runtime | undefined;
  /** Maximum sizes of JSON texts in bytes of UTF-8. Defaults: `eventBytes` 8 MiB, `stateValueBytes` 1 MiB. */
  limits?: { eventBytes?: number | undefined; stateValueBytes?: number | undefined } | undefined;
}

const names = optionNames<StoredSessionServiceOptions>({ runtime: true, limits: true });
const limitNames = optionNames<SizeLimits>({ eventBytes: true, stateValueBytes: true });

/** A session service over any `SessionStore`. Handles scopes, `temp:` keys, partial events, validation, ids and copies. */
export class StoredSessionService implements SessionService {
  readonly leasing: LeaseManager | undefined;
  readonly watching: EventWatcher | undefined;
  readonly isDurable: boolean;
  protected readonly runtime: Runtime;
  readonly #store: SessionStore;
  readonly #limits: SizeLimits;
  readonly #freezes: boolean = isDevelopment();

  constructor(store: SessionStore, options: StoredSessionServiceOptions = {}) {
    const { runtime, limits = {} } = checkOptions(options);
    this.#store = store;
    this.leasing = store.abilities.leasing;
    this.watching = store.abilities.watching;
    this.isDurable = store.abilities.isDurable ?? false;
    // Callers read whether the service has this optional method of `SessionService`. A subclass may implement it itself.
    const isOverridden = this.listWaitingSessions !== StoredSessionService.prototype.listWaitingSessions;
    if (!store.waiting && !isOverridden) Object.assign(this, { listWaitingSessions: undefined });
    this.runtime = runtime ?? systemRuntime();
    this.#limits = {
      eventBytes: limits.eventBytes ?? 8 * 1024 * 1024,
      stateValueBytes: limits.stateValueBytes ?? 1024 * 1024,
    };
  }

  async createSession(
    p: UserRef & { sessionId?: string | undefined; state?: StateDelta | undefined } & CallOptions,
  ): Promise<Session> {
    const key = this.#newKey(p);
    const { session, app = {}, user = {} } = splitByScope(copyDelta(p.state ?? {}, 'state', this.#limits));
    const initialState: StateMap = {};
    applyDelta(initialState, session);
    const parts = { key, initialState, state: initialState, appState: app, userState: user, events: [] };
    return this.#insert(parts, p.signal);
  }

  async getSession(
    p: SessionRef & EventWindow & { config?: EventWindow | undefined } & CallOptions,
  ): Promise<Session | undefined> {
    assertSessionRef(p);
    const window = readWindow(p);
    p.signal?.throwIfAborted();
    const key = { appName: p.appName, userId: p.userId, sessionId: p.sessionId };
    const stored = await raceAbort(this.#store.load(key, window ?? {}), p.signal);
    return stored && sessionOf(stored, { window, freeze: this.#freezes });
  }

  async listSessions(p: ListSessionsRequest & CallOptions): Promise<{ sessions: SessionSummary[]; total: number }> {
    if (typeof p !== 'object' || p === null) throw invalidInput('The request', 'an object with appName', p);
    assertName('appName', p.appName);
    if (p.userId !== undefined) assertName('userId', p.userId);
    if (p.limit !== undefined) assertCount('limit', p.limit);
    if (p.offset !== undefined) assertCount('offset', p.offset);
    if (p.order !== undefined && p.order !== 'asc' && p.order !== 'desc') {
      throw new TholeError('INVALID_INPUT', `order must be 'asc' or 'desc'.`);
    }
    p.signal?.throwIfAborted();
    const query = { appName: p.appName, userId: p.userId, limit: p.limit, offset: p.offset, order: p.order };
    const page = await raceAbort(this.#store.list(query), p.signal);
    return { sessions: page.sessions.map(summaryOf), total: page.total };
  }

  /** Returns sessions that wait. Undefined instead of a method if the store does not implement `waiting`. */
  async listWaitingSessions(p: WaitingRequest & CallOptions): Promise<WaitingPage> {
    const request = checkWaitingRequest(p);
    p.signal?.throwIfAborted();
    return raceAbort(this.#store.waiting!(request), p.signal);
  }

  async insertSession(p: InsertedSession & CallOptions): Promise<Session> {
    const key = this.#newKey(p);
    const initialState: StateMap = {};
    applyDelta(initialState, splitByScope(copyDelta(p.initialState ?? {}, 'initialState', this.#limits)).session);
    const { events, state } = prepareEvents(p.events, initialState, this.#limits);
    const forkedFrom = p.forkedFrom && copyForkOrigin(p.forkedFrom, events.length);
    return this.#insert({ key, initialState, state, events, forkedFrom }, p.signal);
  }

  async deleteSession(p: SessionRef & RemoveConditions & CallOptions): Promise<boolean> {
    assertSessionRef(p);
    const { ifLastSeq, ifIdle } = p;
    if (ifLastSeq !== undefined) assertCount('ifLastSeq', ifLastSeq);
    if (ifIdle !== undefined && typeof ifIdle !== 'boolean') throw invalidInput('ifIdle', 'a boolean', ifIdle);
    p.signal?.throwIfAborted();
    const key = { appName: p.appName, userId: p.userId, sessionId: p.sessionId };
    return raceAbortWrite(this.#store.remove(key, { ifLastSeq, ifIdle }), p.signal);
  }

  async appendEvent(p: { session: Session | SessionRef; event: Event } & AppendOptions & CallOptions): Promise<Event> {
    if (typeof p !== 'object' || p === null) throw invalidInput('The request', 'an object with session and event', p);
    if (p.event?.partial) return p.event;
    const key = refOf(p.session);
    const options = appendOptionsOf(p);
    const { event, delta } = prepareEvent(p.event, this.#limits);
    p.signal?.throwIfAborted();
    const appending = this.#store.append(key, event, delta, options);
    const { event: stored, duplicate } = p.signal ? await raceAbortWrite(appending, p.signal) : await appending;
    // The store returns either the prepared copy, whose members are frozen already, or an object that it decoded.
    if (stored === event) Object.freeze(stored);
    else deepFreeze(stored);
    if ('events' in p.session) addEvent(p.session, stored, duplicate);
    return stored;
  }

  async updateState(
    p: SessionRef & {
      stateDelta: StateDelta;
      author?: string | undefined;
      incarnation?: string | undefined;
    } & CallOptions,
  ): Promise<Event> {
    assertSessionRef(p);
    const stateDelta = copyDelta(p.stateDelta, 'stateDelta', this.#limits);
    const event = createEvent({ author: p.author ?? 'system', actions: { stateDelta } }, this.runtime);
    const { appName, userId, sessionId, incarnation } = p;
    return this.appendEvent({ session: { appName, userId, sessionId }, event, incarnation, signal: p.signal });
  }

  async getUserState(p: UserRef & CallOptions): Promise<StateMap> {
    assertUser(p);
    p.signal?.throwIfAborted();
    const user = await raceAbort(this.#store.readState({ appName: p.appName, userId: p.userId }), p.signal);
    return thawJson(mergeScopes({ user }));
  }

  async deleteUserData(p: UserRef & CallOptions): Promise<void> {
    assertUser(p);
    p.signal?.throwIfAborted();
    await raceAbortWrite(this.#store.removeUser({ appName: p.appName, userId: p.userId }), p.signal);
  }

  #newKey(p: UserRef & { sessionId?: string | undefined }): SessionRef {
    assertUser(p);
    if (p.sessionId !== undefined) assertName('sessionId', p.sessionId);
    return { appName: p.appName, userId: p.userId, sessionId: p.sessionId ?? this.runtime.newId('session') };
  }

  async #insert(parts: NewSession, signal: AbortSignal | undefined): Promise<Session> {
    const { key, initialState, appState = {}, userState = {}, events } = parts;
    deepFreeze(initialState);
    const now = this.runtime.now();
    const session: StoredSession = {
      ...parts,
      ...{ appState, userState, appVersion: 0, userVersion: 0 },
      incarnation: this.runtime.newId('incarnation'),
      createTime: now,
      lastUpdateTime: now,
      lastSeq: events.length,
      marks: noMarks,
      v: 1,
    };
    signal?.throwIfAborted();
    await raceAbortWrite(this.#store.insert(session), signal);
    // Reads the session again, because its state contains the state of the app and the user.
    const reading = this.#store.load(key, { numRecentEvents: 0 }).catch(throwOutcomeUnknown);
    const stored = await raceAbortWrite(reading, signal);
    return sessionOf(stored ? { ...stored, events } : session, { freeze: this.#freezes });
  }
}

type NewSession = Pick<StoredSession, 'key' | 'initialState' | 'state' | 'events' | 'forkedFrom'> &
  Partial<Pick<StoredSession, 'appState' | 'userState'>>;

/** Throws `STORE_OUTCOME_UNKNOWN` if the store is not available after the creation, because the session exists. */
function throwOutcomeUnknown(cause: unknown): never {
  if (!TholeError.is(cause, 'STORE_UNAVAILABLE')) throw cause;
  throw new TholeError('STORE_OUTCOME_UNKNOWN', 'The session was created, but it could not be read back.', { cause });
}

function refOf(session: Session | SessionRef): SessionRef {
  if (typeof session !== 'object' || session === null)
    throw invalidInput('session', 'a Session or a {appName, userId, sessionId}', session);
  const sessionId = 'sessionId' in session ? session.sessionId : session.id;
  const key: SessionRef = { appName: session.appName, userId: session.userId, sessionId };
  assertSessionRef(key);
  return key;
}

function appendOptionsOf(p: { session: Session | SessionRef } & AppendOptions): AppendOptions | undefined {
  const { session, fence, ifHeldBy, marks } = p;
  const incarnation = p.incarnation === undefined && 'incarnation' in session ? session.incarnation : p.incarnation;
  if (incarnation !== undefined) assertName('incarnation', incarnation);
  else if (fence === undefined && ifHeldBy === undefined && marks === undefined) return undefined;
  if (ifHeldBy !== undefined) {
    assertName('ifHeldBy', ifHeldBy);
    if (fence !== undefined) throw new TholeError('INVALID_INPUT', 'Pass either fence or ifHeldBy, not both.');
  }
  if (marks !== undefined) assertMarks(marks);
  return { fence, incarnation, ifHeldBy, marks };
}

function checkOptions(options: StoredSessionServiceOptions): StoredSessionServiceOptions {
  rejectUnknownOptions(options, names, 'A session service');
  const { limits = {} } = options;
  rejectUnknownOptions(limits, limitNames, 'limits');
  for (const [name, bytes] of Object.entries(limits)) if (bytes !== undefined) assertBytes(`limits.${name}`, bytes);
  return options;
}
