import { TholeError } from '@thole/core';
import {
  definedMembers,
  hasMarks,
  KeyedQueue,
  leaseLost,
  notRunning,
  putCached,
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
import type { VertexClient } from '../client/vertex-client.ts';
import { readEvents, readNewEvents } from './event-log.ts';
import type { KnownEvents } from './event-log.ts';
import { encodeDelta } from './session-record.ts';
import type { SessionRecord } from './session-record.ts';
import { assertSessionId, isSessionId, SessionRecords } from './session-records.ts';
import { toVertexEvent } from './vertex-event.ts';
import { formatMicros, toMicros } from '../client/wire-time.ts';
import { waitingPage } from './waiting-page.ts';
import { writeOnce } from './write-once.ts';
import { selectWindow } from './select-window.ts';

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
  readonly #records: SessionRecords;
  readonly #queue = new KeyedQueue();
  /** The least recently used session is first. */
  readonly #known = new Map<string, KnownEvents>();

  constructor(client: VertexClient, engines: AgentEngines) {
    this.#client = client;
    this.#records = new SessionRecords(client, engines);
  }

  async insert(session: StoredSession): Promise<void> {
    const { key, incarnation } = session;
    assertSessionId(key.sessionId);
    await this.#queue.run(sessionKeyOf(key), async () => {
      this.#known.delete(sessionKeyOf(key));
      const isDone = async (): Promise<boolean> => (await this.#records.find(key))?.incarnation === incarnation;
      const create = (): Promise<void> =>
        this.#records.create(session).catch(async (error: unknown) => {
          // An earlier attempt may have created the session late.
          if (!TholeError.is(error, 'SESSION_ALREADY_EXISTS') || !(await isDone())) throw error;
        });
      await writeOnce(this.#client, create, isDone);
      if (session.events.length > 0) await this.#insertEvents(session);
    });
  }

  async load(key: SessionRef, window: EventWindow): Promise<StoredSession | undefined> {
    return this.#queue.run(sessionKeyOf(key), async () => {
      const record = await this.#records.find(key);
      if (!record) return undefined;
      const events = await this.#readAllEvents(key, record).catch(ignoreDeleted);
      return events && { ...this.#complete(record, events), events: selectWindow(events, window) };
    });
  }

  async list(query: ListSessionsRequest): Promise<SessionPage> {
    const records = await this.#records.list(query);
    records.sort(compareByTime);
    if (query.order === 'desc') records.reverse();
    const offset = query.offset ?? 0;
    const page = records.slice(offset, query.limit === undefined ? undefined : offset + query.limit);
    const sessions: SessionPage['sessions'][number][] = [];
    for (const record of page) {
      if (record.hasHead) {
        sessions.push(withoutOwnMembers(record));
        continue;
      }
      const events = await this.#readAllEvents(record.key, record).catch(ignoreDeleted);
      if (events) sessions.push(this.#complete(record, events));
    }
    return { sessions, total: records.length };
  }

  async waiting(request: WaitingRequest): Promise<WaitingPage> {
    return waitingPage(await this.#records.list(request), request, this.#client.runtime.now());
  }

  async remove(key: SessionRef, p: RemoveConditions): Promise<boolean> {
    return this.#queue.run(sessionKeyOf(key), async () => {
      const record = await this.#records.find(key);
      if (!record || (p.ifIdle && hasMarks(record.marks))) return false;
      if (p.ifLastSeq === undefined) return this.#delete(key);
      const events = await this.#readAllEvents(key, record).catch(ignoreDeleted);
      return events && record.pruned + events.length === p.ifLastSeq ? this.#delete(key) : false;
    });
  }

  append(
    key: SessionRef,
    event: Event,
    _delta: ScopedDelta,
    options: AppendOptions = {},
  ): Promise<{ event: Event; duplicate: boolean }> {
    return this.#queue.run(sessionKeyOf(key), async () => {
      const record = await this.#findAndUpdateKnown(key);
      if (options.incarnation !== undefined && options.incarnation !== record.incarnation) throw sessionNotFound(key);
      const known = this.#known.get(sessionKeyOf(key))!;
      if (known.ids.has(event.id)) {
        const stored = (await this.#readAllEvents(key, record)).find(({ id }) => id === event.id);
        if (stored) return { event: stored, duplicate: true };
      }
      if (options.fence !== undefined) throw leaseLost(key, event.invocationId);
      if (options.ifHeldBy !== undefined) throw notRunning(key, options.ifHeldBy);
      await this.#store(key, event, { record, known, delta: event.actions.stateDelta, marks: options.marks });
      event.seq = known.lastSeq;
      return { event, duplicate: false };
    });
  }

  async readState({ appName, userId }: { appName: string; userId?: string | undefined }): Promise<StateMap> {
    const record = await this.#records.withAnySession(appName, userId, async (found) => found);
    return userId === undefined ? record.appState : record.userState;
  }

  async removeUser(user: UserRef): Promise<void> {
    const { appName, userId } = user;
    const deleteState = async ({ key, userState }: SessionRecord): Promise<void> => {
      const keys = Object.keys(userState);
      if (keys.length === 0) return;
      const stateDelta = Object.fromEntries(keys.map((name) => [`user:${name}`, null]));
      const timestamp = formatMicros(toMicros(this.#client.runtime.now()));
      const body = { author: 'system', invocationId: 'deletion', timestamp, actions: { stateDelta } };
      const url = this.#client.url(this.#records.path(key), ':appendEvent');
      await this.#client.json({ method: 'POST', url, body });
    };
    await this.#records.withAnySession(appName, userId, deleteState, { isOwn: true });
    for (const { key } of await this.#records.list(user)) await this.remove(key, {});
    await this.#records.deleteProbes(user);
  }

  /** Returns the record of the session and updates its known events. Throws `SESSION_NOT_FOUND` if it does not exist. */
  async #findAndUpdateKnown(key: SessionRef): Promise<SessionRecord> {
    if (!isSessionId(key.sessionId)) throw sessionNotFound(key);
    const name = sessionKeyOf(key);
    const known = this.#known.get(name);
    const [record] = await Promise.all([
      this.#records.find(key),
      known && readNewEvents(this.#client, this.#records.path(key), known).catch(ignoreMissing),
    ]);
    if (!record) {
      this.#known.delete(name);
      throw sessionNotFound(key);
    }
    if (known?.incarnation === record.incarnation) putCached(this.#known, name, known, MAX_KNOWN);
    else await this.#readAllEvents(key, record);
    return record;
  }

  /** Throws `SESSION_NOT_FOUND` if the session was deleted after `record` was read. */
  async #readAllEvents(key: SessionRef, record: SessionRecord): Promise<Event[]> {
    const reading = readEvents(this.#client, this.#records.path(key), record);
    const { events, known } = await reading.catch((error: unknown) => {
      throw httpStatusOf(error) === 404 ? sessionNotFound(key) : error;
    });
    putCached(this.#known, sessionKeyOf(key), known, MAX_KNOWN);
    return events;
  }

  /**
   * Stores the events of a new session, whose state already contains their changes. If an event fails, deletes the session.
   */
  async #insertEvents({ key, events }: StoredSession): Promise<void> {
    try {
      const record = await this.#findAndUpdateKnown(key);
      const known = this.#known.get(sessionKeyOf(key))!;
      for (const event of events) await this.#store(key, event, { record, known, delta: {}, marks: undefined });
    } catch (error) {
      await this.#delete(key).catch(() => {});
      throw error;
    }
  }

  /** Stores the event once. After a lost answer it looks for the event before the next attempt. */
  async #store(key: SessionRef, event: Event, { record, known, delta, marks }: StoreContext): Promise<void> {
    // The service orders events by time, so each event is at least a microsecond after the previous event.
    const micros = Math.max(toMicros(event.timestamp), known.lastMicros + 1);
    const stateDelta = encodeDelta(delta, {
      lastSeq: known.lastSeq + 1,
      lastUpdateTime: Math.max(record.lastUpdateTime, known.lastTimestamp, event.timestamp),
      marks: { ...record.marks, ...definedMembers(marks ?? {}) },
    });
    const url = this.#client.url(this.#records.path(key), ':appendEvent');
    const body = toVertexEvent(event, stateDelta, micros);
    const append = async (): Promise<void> => {
      await this.#client.json({ method: 'POST', url, body, isUnrepeatable: true }).catch((error: unknown) => {
        throw httpStatusOf(error) === 404 ? sessionNotFound(key) : error;
      });
      known.ids.add(event.id);
      known.lastSeq++;
      known.lastMicros = micros;
      known.lastTimestamp = Math.max(known.lastTimestamp, event.timestamp);
    };
    await writeOnce(this.#client, append, async () => {
      await readNewEvents(this.#client, this.#records.path(key), known);
      return known.ids.has(event.id);
    });
  }

  #delete(key: SessionRef): Promise<boolean> {
    this.#known.delete(sessionKeyOf(key));
    return this.#records.delete(key);
  }

  #complete(record: SessionRecord, events: readonly Event[]): Omit<StoredSession, 'events'> {
    const lastUpdateTime = events.reduce((last, { timestamp }) => Math.max(last, timestamp), record.lastUpdateTime);
    return { ...withoutOwnMembers(record), lastSeq: record.pruned + events.length, lastUpdateTime };
  }
}

function withoutOwnMembers(record: SessionRecord): Omit<StoredSession, 'events'> {
  const stored: Partial<SessionRecord> = { ...record };
  for (const name of ['owner', 'pruned', 'isProbe', 'hasHead'] as const) delete stored[name];
  return stored as Omit<StoredSession, 'events'>;
}

function compareByTime(a: SessionRecord, b: SessionRecord): number {
  return a.lastUpdateTime - b.lastUpdateTime || (a.key.sessionId < b.key.sessionId ? -1 : 1);
}

/** The session and the changes of an append. */
interface StoreContext {
  record: SessionRecord;
  known: KnownEvents;
  /** State changes to apply, with prefixes. */
  delta: StateMap;
  marks: AppendOptions['marks'];
}

function ignoreDeleted(error: unknown): undefined {
  if (!TholeError.is(error, 'SESSION_NOT_FOUND')) throw error;
}

function ignoreMissing(error: unknown): void {
  if (httpStatusOf(error) !== 404) throw error;
}
