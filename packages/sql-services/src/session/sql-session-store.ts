import { encodeText, sessionKeyOf, TholeError } from '@thole/core';
import type {
  Event,
  EventWindow,
  Fence,
  ListSessionsRequest,
  ScopedDelta,
  SessionPage,
  SessionRef,
  SessionStore,
  StateMap,
  StoredSession,
  TextCodec,
  UserRef,
} from '@thole/core';
import { ask } from '../database/sql-database.ts';
import type { SqlValue } from '../database/sql-database.ts';
import { openStorage } from '../database/sql-storage.ts';
import type { SqlStorage } from '../database/sql-storage.ts';
import type { AppendSteps } from '../dialects/dialect.ts';
import { SqlLeasing } from '../leasing/sql-leasing.ts';
import { TIMEOUT_MS } from '../options/database-options.ts';
import type { Appended, AppendRecord } from './append-record.ts';
import { eventKeyOf } from './event-key.ts';
import { insertSteps } from './insert-session.ts';
import { listSteps, pageOf } from './list-sessions.ts';
import { PollingWatch } from './polling-watch.ts';
import { checkPruneRequest } from './check-prune-request.ts';
import { pruneSteps, sessionsToPrune } from './prune-events.ts';
import type { PruneRequest } from './prune-events.ts';
import { eventOfText, readSteps, sessionOfRows } from './read-session.ts';
import type { ReadSteps } from './read-session.ts';
import { removeExpiredSteps, removeSteps, removeUserSteps } from './remove-sessions.ts';
import { SessionLines } from './session-lines.ts';
import { checkSessionStoreOptions, sessionStoreOptionNames } from './session-store-options.ts';
import type { SqlSessionStoreOptions } from './session-store-options.ts';
import { patchOf } from './state-document.ts';
import { appOf, userOf } from './state-owner.ts';
import { stateOfRows, writesOf } from './state-writes.ts';

/** How often an append begins anew when the session changes under its hands. */
const ATTEMPTS = 100;

/**
 * Keeps sessions in SQLite, PostgreSQL or MariaDB. Nothing is connected to before the first call, which makes the tables
 * unless told otherwise. Each call ends within `timeoutMs` (an append within as long again, where others append to the same
 * session): with its answer, `STORE_UNAVAILABLE` where nothing was written,
 * or `STORE_OUTCOME_UNKNOWN` where that is not known.
 */
export class SqlSessionStore implements SessionStore {
  readonly specVersion = 1;
  readonly abilities: { readonly leasing: SqlLeasing; readonly watching: PollingWatch };
  readonly #storage: SqlStorage;
  readonly #codec: TextCodec | undefined;
  readonly #ttlMs: number | undefined;
  readonly #watch: PollingWatch;
  readonly #append: AppendSteps;
  readonly #lines: SessionLines;
  readonly #readNewest: ReadSteps;

  constructor(options: SqlSessionStoreOptions) {
    const storage = openStorage(options, sessionStoreOptionNames, 'A session store');
    checkSessionStoreOptions(options);
    const { codec, sessionTtlMs, pollMs = 500 } = options;
    const { dialect, tables, runtime } = storage;
    this.#storage = storage;
    this.#codec = codec;
    this.#ttlMs = sessionTtlMs;
    this.#append = dialect.append(tables);
    this.#lines = new SessionLines(runtime, options.timeoutMs ?? TIMEOUT_MS);
    this.#readNewest = readSteps(dialect, tables, 'newest');
    const readOldest = readSteps(dialect, tables, 'oldest');
    this.#watch = new PollingWatch(
      (key, afterSeq, count) => this.#read(readOldest, key, { afterSeq, numRecentEvents: count }),
      runtime,
      pollMs,
    );
    this.abilities = { leasing: new SqlLeasing(storage, pollMs), watching: this.#watch };
  }

  async insert(session: StoredSession): Promise<void> {
    const { key, incarnation, initialState, state, appState, userState, createTime, lastUpdateTime, lastSeq } = session;
    const codec = this.#codec;
    const now = await this.#storage.clock.now();
    const events = session.events.map(async (event) => ({
      eventKey: eventKeyOf(event.id),
      seq: event.seq!,
      time: event.timestamp,
      text: await encodeText(codec, JSON.stringify(event)),
    }));
    const record = {
      key: this.#bind(key),
      incarnation,
      initial: (await patchOf(codec, initialState)) ?? '{}',
      session: (await patchOf(codec, state)) ?? '{}',
      app: await writesOf(codec, appState),
      user: await writesOf(codec, userState),
      createTime,
      lastUpdateTime,
      lastSeq,
      expiresAt: this.#expiry(now),
      now,
      events: await Promise.all(events),
    };
    const { dialect, tables } = this.#storage;
    await this.#storage.transact(
      () => insertSteps(dialect, tables, record),
      () => {
        const { appName, userId, sessionId } = key;
        throw new TholeError(
          'SESSION_ALREADY_EXISTS',
          `Session ${sessionId} of ${userId} in ${appName} exists already.`,
        );
      },
    );
    this.#watch.notify(key);
  }

  load(key: SessionRef, window: EventWindow): Promise<StoredSession | undefined> {
    return this.#read(this.#readNewest, key, window);
  }

  async list(query: ListSessionsRequest): Promise<SessionPage> {
    const { dialect, tables, clock } = this.#storage;
    const now = await clock.now();
    const listed = await this.#storage.readSnapshot(() => listSteps(dialect, tables, query, now));
    return pageOf(this.#codec, query.appName, listed);
  }

  async remove(key: SessionRef, p: { ifLastSeq?: number | undefined }): Promise<boolean> {
    const { dialect, tables, clock } = this.#storage;
    const request = { key: this.#bind(key), now: await clock.now(), ifLastSeq: p.ifLastSeq };
    return this.#storage.transact(() => removeSteps(dialect, tables, request));
  }

  async append(
    key: SessionRef,
    event: Event,
    delta: ScopedDelta,
    fence?: Fence,
  ): Promise<{ event: Event; duplicate: boolean }> {
    const record = await this.#recordOf(key, event, delta, fence);
    for (let attempts = 1; ; attempts++) {
      const appended = await this.#lines.inTurn(sessionKeyOf(key), () => this.#appendOnce(record));
      switch (appended.kind) {
        case 'stored':
          event.seq = appended.seq;
          this.#watch.notify(key);
          return { event, duplicate: false };
        case 'duplicate':
          return { event: await eventOfText(this.#codec, appended.text, appended.seq, appended.v), duplicate: true };
        case 'missing':
          throw new TholeError('SESSION_NOT_FOUND', `No session ${key.sessionId} for ${key.userId} in ${key.appName}.`);
        case 'lost':
          throw new TholeError(
            'LEASE_LOST',
            `Invocation ${event.invocationId} no longer holds session ${key.sessionId}.`,
          );
        default:
          if (attempts === ATTEMPTS)
            throw new TholeError('STORE_UNAVAILABLE', `Session ${key.sessionId} is made and deleted without end.`);
      }
    }
  }

  async readState(scope: { appName: string; userId?: string | undefined }): Promise<StateMap> {
    const { dialect, tables } = this.#storage;
    const { appName, userId } = scope;
    const [table, which] =
      userId === undefined ? [tables.appStates, 'app_name = ?'] : [tables.userStates, 'app_name = ? AND user_id = ?'];
    const names = userId === undefined ? [appName] : [appName, userId];
    const sql = dialect.statement(`SELECT state_key, value, version FROM ${table} WHERE ${which}`);
    const { rows } = await this.#storage.read(() => ask(sql, names.map(dialect.bindName)));
    return (await stateOfRows(this.#codec, rows)).state;
  }

  /** Writes those keys of an app's or a user's state that are not there: for what is brought along from elsewhere. */
  async addState(scope: { appName: string; userId?: string | undefined }, state: StateMap): Promise<void> {
    const { dialect, tables } = this.#storage;
    const known = await this.readState(scope);
    const writes = await writesOf(
      this.#codec,
      Object.fromEntries(Object.entries(state).filter(([key]) => !Object.hasOwn(known, key))),
    );
    if (!writes) return;
    const names = [scope.appName, scope.userId ?? ''].map(dialect.bindName);
    const [table, owner] =
      scope.userId === undefined ? [tables.appStates, appOf(names)] : [tables.userStates, userOf(names)];
    await this.#storage.transact(function* () {
      yield* dialect.writeState(table, owner, writes);
    });
  }

  async removeUser(user: UserRef): Promise<void> {
    const { dialect, tables, clock } = this.#storage;
    const now = await clock.now();
    await this.#storage.transact(() => removeUserSteps(dialect, tables, user, now));
  }

  /**
   * Retention: takes each session's oldest events, those that are older than `olderThan` and not among the `keepLast` newest;
   * how many. What is left has no hole, `seq` counts on, state stays. Some at a time, so that others are not kept waiting.
   */
  async pruneEvents(p: PruneRequest): Promise<number> {
    checkPruneRequest(p);
    const { dialect, tables } = this.#storage;
    let count = 0;
    for (let after = 0; ;) {
      const rows = await this.#storage.read(() => sessionsToPrune(dialect, tables, p, after));
      for (const row of rows) {
        for (let taken = 1; taken > 0; count += taken) {
          taken = await this.#storage.transact(() => pruneSteps(dialect, tables, row, p));
        }
      }
      if (rows.length === 0) return count;
      after = rows.at(-1)!;
    }
  }

  /** Takes the sessions that have run out (`sessionTtlMs`), which nobody sees any more; how many. */
  async deleteExpiredSessions(): Promise<number> {
    const { dialect, tables, clock } = this.#storage;
    for (let count = 0; ;) {
      const now = await clock.now();
      const taken = await this.#storage.transact(() => removeExpiredSteps(dialect, tables, now));
      count += taken;
      if (taken === 0) return count;
    }
  }

  /** Makes the tables, or brings them to this package's version; several processes may do so at once. */
  migrate(): Promise<void> {
    return this.#storage.migrate();
  }

  /** `STORE_UNAVAILABLE` unless the database answers. */
  ping(): Promise<void> {
    return this.#storage.ping();
  }

  /** Closes what was opened from a URL; what was passed in stays open. */
  close(): Promise<void> {
    return this.#storage.close();
  }

  async #read(steps: ReadSteps, key: SessionRef, window: EventWindow): Promise<StoredSession | undefined> {
    const now = await this.#storage.clock.now();
    const rows = await this.#storage.read(() => steps(this.#bind(key), now, window));
    return sessionOfRows(this.#codec, key, rows);
  }

  #appendOnce(record: AppendRecord): Promise<Appended> {
    return this.#storage.writeWhole<Appended>(
      this.#append.inTransaction,
      () => this.#append.steps(record),
      // The id is stored already, perhaps by somebody at this moment: what they stored is there now.
      () => this.#storage.read(() => this.#append.settle(record)),
    );
  }

  async #recordOf(key: SessionRef, event: Event, delta: ScopedDelta, fence: Fence | undefined): Promise<AppendRecord> {
    const codec = this.#codec;
    const now = this.#storage.clock.now();
    const at = typeof now === 'number' ? now : await now;
    const text = encodeText(codec, JSON.stringify(event));
    const { session, app, user } = delta;
    return {
      key: this.#bind(key),
      eventKey: eventKeyOf(event.id),
      time: event.timestamp,
      text: typeof text === 'string' ? text : await text,
      session: session && (await patchOf(codec, session)),
      app: app && (await writesOf(codec, app)),
      user: user && (await writesOf(codec, user)),
      fence,
      now: at,
      expiresAt: this.#expiry(at),
    };
  }

  #expiry(now: number): number | null {
    return this.#ttlMs === undefined ? null : now + this.#ttlMs / 1000;
  }

  #bind(key: SessionRef): readonly [SqlValue, SqlValue, SqlValue] {
    const { bindName } = this.#storage.dialect;
    return [bindName(key.appName), bindName(key.userId), bindName(key.sessionId)];
  }
}
