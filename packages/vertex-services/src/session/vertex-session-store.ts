import { TholeError } from '@thole/core';
import {
  hasMarks,
  KeyedQueue,
  leaseLost,
  notRunning,
  sessionExists,
  sessionKeyOf,
  sessionNotFound,
} from '@thole/core/kit';
import type {
  AppendOptions,
  Event,
  EventWindow,
  ListSessionsRequest,
  RemoveConditions,
  ScopedDelta,
  SessionPage,
  SessionRef,
  SessionStore,
  StateMap,
  StoredSession,
  UserRef,
  WaitingPage,
  WaitingRequest,
} from '@thole/core';
import type { AgentEngines } from '../client/agent-engine.ts';
import { httpStatusOf } from '../client/map-google-error.ts';
import { idOf, quoted } from '../client/vertex-client.ts';
import type { VertexClient, VertexPath } from '../client/vertex-client.ts';
import { readEvents, readNewEvents } from './event-log.ts';
import type { KnownEvents } from './event-log.ts';
import { encodeDelta, newSessionState, probeState, readRecord } from './session-record.ts';
import type { SessionRecord } from './session-record.ts';
import { toVertexEvent } from './vertex-event.ts';
import { formatMicros, toMicros } from './wire-time.ts';
import { waitingPage } from './waiting-page.ts';
import { windowOf } from './window-of.ts';

/** Session ids that the service accepts. */
const SESSION_ID = /^[A-Za-z0-9-]{1,63}$/;
/** Number of sessions whose event ids are kept in memory. */
const MAX_KNOWN = 1000;

/**
 * Sessions in Vertex AI Agent Engine. The service has no transactions: appends, deletions and reads of one session run
 * one at a time in this process. Leases and watching are not possible.
 */
export class VertexSessionStore implements SessionStore {
  readonly specVersion = 1;
  readonly abilities: SessionStore['abilities'] = {};
  readonly #client: VertexClient;
  readonly #engines: AgentEngines;
  readonly #queue = new KeyedQueue();
  /** The least recently used session is first. */
  readonly #known = new Map<string, KnownEvents>();

  constructor(client: VertexClient, engines: AgentEngines) {
    this.#client = client;
    this.#engines = engines;
  }

  async insert(session: StoredSession): Promise<void> {
    const { key, incarnation } = session;
    const engine = this.#engines.of(key.appName);
    if (!SESSION_ID.test(key.sessionId)) throw invalidSessionId();
    const sessionState = newSessionState(session, this.#ownerOf(key.appName));
    const body = { userId: key.userId, sessionState };
    const url = this.#client.url(engine, '/sessions');
    const query = { sessionId: key.sessionId };
    await this.#queue.run(sessionKeyOf(key), async () => {
      this.#known.delete(sessionKeyOf(key));
      try {
        await this.#client.operation({ method: 'POST', url, query, body, isUnrepeatable: true }, engine.location);
      } catch (error) {
        if (isTaken(error)) throw sessionExists(key);
        if (httpStatusOf(error) === 400) throw invalidSessionId(error);
        if (httpStatusOf(error) === 404) throw engineNotFound(engine, error);
        if (!TholeError.is(error, 'STORE_OUTCOME_UNKNOWN')) throw error;
        const record = await this.#record(key).catch(() => undefined);
        if (record?.incarnation !== incarnation) throw error;
      }
      if (session.events.length > 0) await this.#insertEvents(session);
    });
  }

  async load(key: SessionRef, window: EventWindow): Promise<StoredSession | undefined> {
    return this.#queue.run(sessionKeyOf(key), async () => {
      const record = await this.#record(key);
      if (!record) return undefined;
      const events = await this.#events(key, record);
      return { ...this.#complete(record, events), events: windowOf(events, window) };
    });
  }

  async list(query: ListSessionsRequest): Promise<SessionPage> {
    const records = await this.#records(query);
    records.sort(compareByTime);
    if (query.order === 'desc') records.reverse();
    const offset = query.offset ?? 0;
    const page = records.slice(offset, query.limit === undefined ? undefined : offset + query.limit);
    const sessions: SessionPage['sessions'][number][] = [];
    for (const record of page) {
      const events = record.hasHead ? undefined : await this.#events(record.key, record);
      sessions.push(events ? this.#complete(record, events) : withoutOwnMembers(record));
    }
    return { sessions, total: records.length };
  }

  async waiting(request: WaitingRequest): Promise<WaitingPage> {
    return waitingPage(await this.#records(request), request, this.#client.runtime.now());
  }

  async remove(key: SessionRef, p: RemoveConditions): Promise<boolean> {
    return this.#queue.run(sessionKeyOf(key), async () => {
      const record = await this.#record(key);
      if (!record || (p.ifIdle && hasMarks(record.marks))) return false;
      if (p.ifLastSeq !== undefined && (await this.#events(key, record)).length !== p.ifLastSeq) return false;
      return this.#delete(key);
    });
  }

  append(
    key: SessionRef,
    event: Event,
    _delta: ScopedDelta,
    options: AppendOptions = {},
  ): Promise<{ event: Event; duplicate: boolean }> {
    return this.#queue.run(sessionKeyOf(key), async () => {
      const record = await this.#recordAndKnown(key);
      if (options.incarnation !== undefined && options.incarnation !== record.incarnation) throw sessionNotFound(key);
      const known = this.#known.get(sessionKeyOf(key))!;
      if (known.ids.has(event.id)) {
        const stored = (await this.#events(key, record)).find(({ id }) => id === event.id);
        if (stored) return { event: stored, duplicate: true };
      }
      if (options.fence !== undefined) throw leaseLost(key, event.invocationId);
      if (options.ifHeldBy !== undefined) throw notRunning(key, options.ifHeldBy);
      await this.#store(key, event, { record, known, delta: event.actions.stateDelta, marks: options.marks });
      event.seq = known.ids.size;
      return { event, duplicate: false };
    });
  }

  async readState({ appName, userId }: { appName: string; userId?: string | undefined }): Promise<StateMap> {
    const record = await this.#anySession(appName, userId, async (found) => found);
    return userId === undefined ? record.appState : record.userState;
  }

  async removeUser(user: UserRef): Promise<void> {
    const { appName, userId } = user;
    await this.#anySession(appName, userId, async (record) => {
      const keys = Object.keys(record.userState);
      if (keys.length === 0) return;
      const stateDelta = Object.fromEntries(keys.map((name) => [`user:${name}`, null]));
      const timestamp = formatMicros(toMicros(this.#client.runtime.now()));
      const body = { author: 'system', invocationId: 'deletion', timestamp, actions: { stateDelta } };
      await this.#client.json({ method: 'POST', url: this.#client.url(this.#path(record.key), ':appendEvent'), body });
    });
    for (const { key } of await this.#records(user)) await this.remove(key, {});
  }

  /** Returns the session if it exists and belongs to the app and the user of the key. */
  async #record(key: SessionRef): Promise<SessionRecord | undefined> {
    // A name that no session can have would be an error of the service.
    if (!SESSION_ID.test(key.sessionId)) return undefined;
    try {
      const stored = await this.#client.json({ url: this.#client.url(this.#path(key)) });
      // The service returns the sessions of all users.
      if (stored['userId'] !== key.userId) return undefined;
      const record = readRecord(key, stored);
      return this.#isOwner(record, key.appName) ? record : undefined;
    } catch (error) {
      const status = httpStatusOf(error);
      if (status === 404 && isEngineMissing(error)) throw engineNotFound(this.#engines.of(key.appName), error);
      if (status === 404 || status === 400) return undefined;
      throw error;
    }
  }

  /** Returns the session, and brings the known events up to date. Throws `SESSION_NOT_FOUND` without it. */
  async #recordAndKnown(key: SessionRef): Promise<SessionRecord> {
    if (!SESSION_ID.test(key.sessionId)) throw sessionNotFound(key);
    const name = sessionKeyOf(key);
    const known = this.#known.get(name);
    const [record] = await Promise.all([
      this.#record(key),
      known && readNewEvents(this.#client, this.#path(key), known).catch(ignoreMissing),
    ]);
    if (!record) {
      this.#known.delete(name);
      throw sessionNotFound(key);
    }
    if (known?.incarnation === record.incarnation) this.#remember(name, known);
    else await this.#events(key, record);
    return record;
  }

  async #events(key: SessionRef, record: SessionRecord): Promise<Event[]> {
    const { events, known } = await readEvents(this.#client, this.#path(key), record.incarnation);
    this.#remember(sessionKeyOf(key), known);
    return events;
  }

  #remember(name: string, known: KnownEvents): void {
    this.#known.delete(name);
    this.#known.set(name, known);
    if (this.#known.size > MAX_KNOWN) this.#known.delete(this.#known.keys().next().value!);
  }

  /** Stores the events of a new session, whose state has their changes already. If one fails, deletes the session. */
  async #insertEvents({ key, events }: StoredSession): Promise<void> {
    try {
      const record = await this.#recordAndKnown(key);
      const known = this.#known.get(sessionKeyOf(key))!;
      for (const event of events) await this.#store(key, event, { record, known, delta: {}, marks: undefined });
    } catch (error) {
      await this.#delete(key).catch(() => {});
      throw error;
    }
  }

  /** Stores the event once. After a lost answer it looks for the event before the next attempt. */
  async #store(key: SessionRef, event: Event, { record, known, delta, marks }: StoreContext): Promise<void> {
    const defined = Object.fromEntries(Object.entries(marks ?? {}).filter(([, value]) => value !== undefined));
    // The service orders events by time, so that each is at least a microsecond after the one before.
    const micros = Math.max(toMicros(event.timestamp), known.lastMicros + 1);
    const stateDelta = encodeDelta(delta, {
      lastSeq: known.ids.size + 1,
      lastUpdateTime: Math.max(record.lastUpdateTime, known.lastTimestamp, event.timestamp),
      marks: { ...record.marks, ...defined },
    });
    const url = this.#client.url(this.#path(key), ':appendEvent');
    const body = toVertexEvent(event, stateDelta, micros);
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#client.json({ method: 'POST', url, body, isUnrepeatable: true });
        known.ids.add(event.id);
        known.lastMicros = micros;
        known.lastTimestamp = Math.max(known.lastTimestamp, event.timestamp);
        return;
      } catch (error) {
        if (httpStatusOf(error) === 404) throw sessionNotFound(key);
        if (!TholeError.is(error, 'STORE_OUTCOME_UNKNOWN')) throw error;
        await readNewEvents(this.#client, this.#path(key), known).catch(() => {
          throw error;
        });
        if (known.ids.has(event.id)) return;
        const isOver = attempt === this.#client.maxAttempts || error.details?.['endedBy'] === 'client';
        if (isOver) throw error;
      }
    }
  }

  async #delete(key: SessionRef): Promise<boolean> {
    this.#known.delete(sessionKeyOf(key));
    try {
      const { location } = this.#engines.of(key.appName);
      await this.#client.operation({ method: 'DELETE', url: this.#client.url(this.#path(key)) }, location);
      return true;
    } catch (error) {
      if (httpStatusOf(error) === 404) return false;
      throw error;
    }
  }

  async #records({ appName, userId }: { appName: string; userId?: string | undefined }): Promise<SessionRecord[]> {
    const filter = userId === undefined ? undefined : `user_id=${quoted(userId)}`;
    const engine = this.#engines.of(appName);
    const url = this.#client.url(engine, '/sessions');
    const records: SessionRecord[] = [];
    const pages = this.#client.pages({ url, query: { filter } }, 'sessions');
    const found = await Array.fromAsync(pages).catch((error: unknown) => {
      throw httpStatusOf(error) === 404 ? engineNotFound(engine, error) : error;
    });
    for (const stored of found) {
      const owner = stored['userId'] as string;
      if (userId !== undefined && owner !== userId) continue;
      const sessionId = idOf(stored);
      const record = readRecord({ appName, userId: owner, sessionId }, stored);
      if (this.#isOwner(record, appName)) records.push(record);
    }
    return records;
  }

  /**
   * Calls `work` with a session of the user, which contains the state of the user and the app. The service returns them
   * only with a session: without one, a session is created and deleted.
   */
  async #anySession<T>(
    appName: string,
    userId: string | undefined,
    work: (record: SessionRecord) => Promise<T>,
  ): Promise<T> {
    const engine = this.#engines.of(appName);
    const url = this.#client.url(engine, '/sessions');
    const query = { filter: userId === undefined ? undefined : `user_id=${quoted(userId)}` };
    for await (const stored of this.#client.pages({ url, query }, 'sessions', 1)) {
      const key = { appName, userId: stored['userId'] as string, sessionId: idOf(stored) };
      if (userId !== undefined && key.userId !== userId) continue;
      const whole = await this.#client.json({ url: this.#client.url(this.#path(key)) });
      return work(readRecord(key, whole));
    }
    const owner = userId ?? 'thole';
    const body = { userId: owner, sessionState: probeState(this.#client.runtime.now()) };
    const created = await this.#client.operation({ method: 'POST', url, body, isUnrepeatable: true }, engine.location);
    const key = { appName, userId: owner, sessionId: idOf(created) };
    try {
      return await work(readRecord(key, await this.#client.json({ url: this.#client.url(this.#path(key)) })));
    } finally {
      await this.#delete(key);
    }
  }

  #complete(record: SessionRecord, events: readonly Event[]): Omit<StoredSession, 'events'> {
    const lastUpdateTime = events.reduce((last, { timestamp }) => Math.max(last, timestamp), record.lastUpdateTime);
    return { ...withoutOwnMembers(record), lastSeq: events.length, lastUpdateTime };
  }

  #path({ appName, sessionId }: SessionRef): VertexPath {
    const { location, name } = this.#engines.of(appName);
    return { location, name: `${name}/sessions/${sessionId}` };
  }

  /** Name of the app to store in a session, if several apps may use one engine. */
  #ownerOf(appName: string): string | undefined {
    return this.#engines.isFixed ? appName : undefined;
  }

  #isOwner({ owner, isProbe }: SessionRecord, appName: string): boolean {
    return !isProbe && (owner === undefined || !this.#engines.isFixed || owner === appName);
  }
}

function withoutOwnMembers(record: SessionRecord): Omit<StoredSession, 'events'> {
  const stored: Partial<SessionRecord> = { ...record };
  for (const name of ['owner', 'isProbe', 'hasHead'] as const) delete stored[name];
  return stored as Omit<StoredSession, 'events'>;
}

function compareByTime(a: SessionRecord, b: SessionRecord): number {
  return a.lastUpdateTime - b.lastUpdateTime || (a.key.sessionId < b.key.sessionId ? -1 : 1);
}

/** The session of an append. */
interface StoreContext {
  record: SessionRecord;
  known: KnownEvents;
  /** State changes to apply, with prefixes. */
  delta: StateMap;
  marks: AppendOptions['marks'];
}

/** The service answers 400 or 409 for a taken id. */
function isTaken(error: unknown): boolean {
  const { cause } = error as { cause?: { message?: string } };
  const status = httpStatusOf(error);
  return status === 409 || (status === 400 && /already exists/i.test(cause?.message ?? ''));
}

function ignoreMissing(error: unknown): void {
  if (httpStatusOf(error) !== 404) throw error;
}

/** True if the service does not find the engine, false if it does not find the session. */
function isEngineMissing(error: unknown): boolean {
  const { cause } = error as { cause?: { message?: string } };
  return /\bReasoningEngine\b/.test(cause?.message ?? '');
}

function invalidSessionId(cause?: unknown): TholeError {
  return new TholeError(
    'INVALID_INPUT',
    'sessionId must have 1 to 63 letters, digits and hyphens on Vertex AI: use "session-info", not "session_info".',
    { ...(cause !== undefined && { cause }) },
  );
}

function engineNotFound({ name }: VertexPath, cause: unknown): TholeError {
  const message = `The Agent Engine ${name} does not exist. Check agentEngineId or appName, the project and the location.`;
  return new TholeError('STORE_UNAVAILABLE', message, { retryable: false, cause });
}
