import { TholeError } from '@thole/core';
import { sessionKeyOf } from '@thole/core/kit';
import type {
  AppendOptions,
  Event,
  EventWindow,
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
import { query } from '../client/sql-database.ts';
import { openStorage } from '../client/sql-storage.ts';
import type { SqlStorage } from '../client/sql-storage.ts';
import type { AppendSteps } from '../dialects/dialect.ts';
import { SqlLeasing } from '../lease/sql-leasing.ts';
import { AppendQueue } from './append-queue.ts';
import type { AppendOutcome, AppendRecord } from './append-record.ts';
import { insertSessionSteps } from './insert-session.ts';
import { listSessionSteps, fromListedRows } from './list-sessions.ts';
import { PollingWatch } from './polling-watch.ts';
import type { PruneRequest } from './prune-events.ts';
import { decodeEvent, readSessionSteps, fromSessionRows } from './read-session.ts';
import type { ReadSessionSteps } from './read-session.ts';
import { removeSessionSteps, removeUserSteps } from './remove-sessions.ts';
import { deleteExpiredSessions, pruneEvents } from './delete-old.ts';
import { SessionRecords } from './session-records.ts';
import { assertSessionStoreOptions, sessionStoreOptionNames } from './session-store-options.ts';
import type { SqlSessionStoreOptions } from './session-store-options.ts';
import { appOwner, userOwner } from './state-owner.ts';
import { fromStateRows, toStateWrites } from './state-writes.ts';

/** How often an append begins anew when the session changes under its hands. */
const ATTEMPTS = 100;

/**
 * Keeps sessions in SQLite, PostgreSQL or MariaDB. Nothing is connected to before the first call, which makes the tables
 * unless told otherwise. Each call ends within `timeoutMs`: with its answer, `STORE_UNAVAILABLE` where nothing was written, or
 * `STORE_OUTCOME_UNKNOWN` where that is not known. Deleted text is also removed from the bytes of a SQLite file.
 */
export class SqlSessionStore implements SessionStore {
  readonly specVersion = 1;
  readonly abilities: { readonly leasing: SqlLeasing; readonly watching: PollingWatch };
  readonly #storage: SqlStorage;
  readonly #codec: TextCodec | undefined;
  readonly #records: SessionRecords;
  readonly #watch: PollingWatch;
  readonly #append: AppendSteps;
  readonly #lines: AppendQueue<AppendRecord, AppendOutcome>;
  readonly #readNewest: ReadSessionSteps;

  constructor(options: SqlSessionStoreOptions) {
    const storage = openStorage(options, sessionStoreOptionNames, 'A session store');
    assertSessionStoreOptions(options);
    const { codec, sessionTtlMs, pollMs = 500 } = options;
    const { dialect, tables, runtime } = storage;
    this.#storage = storage;
    this.#codec = codec;
    this.#records = new SessionRecords(dialect, { codec, ttlMs: sessionTtlMs === Infinity ? undefined : sessionTtlMs });
    this.#append = dialect.append(tables);
    this.#lines = new AppendQueue(runtime, {
      appendOne: (record, deadline) => this.#appendOne(record, deadline),
      appendBatch: (records, deadline) => this.#appendAll(records, deadline),
    });
    this.#readNewest = readSessionSteps(dialect, tables, 'newest');
    const readOldest = readSessionSteps(dialect, tables, 'oldest');
    this.#watch = new PollingWatch(
      (key, afterSeq, count) => this.#read(readOldest, key, { afterSeq, numRecentEvents: count }),
      runtime,
      pollMs,
    );
    this.abilities = { leasing: new SqlLeasing(storage, pollMs), watching: this.#watch };
  }

  async insert(session: StoredSession): Promise<void> {
    const { dialect, tables, clock } = this.#storage;
    const deadline = this.#storage.deadline();
    const record = await this.#records.toSessionRecord(session, await clock.now(deadline));
    const onDuplicate = (): never => {
      const { appName, userId, sessionId } = session.key;
      throw new TholeError('SESSION_ALREADY_EXISTS', `Session ${sessionId} of ${userId} in ${appName} exists already.`);
    };
    await this.#storage.transact(() => insertSessionSteps(dialect, tables, record), { onDuplicate, deadline });
    this.#watch.notify(session.key);
  }

  load(key: SessionRef, window: EventWindow): Promise<StoredSession | undefined> {
    return this.#read(this.#readNewest, key, window);
  }

  async list(query: ListSessionsRequest): Promise<SessionPage> {
    const { dialect, tables, clock } = this.#storage;
    const deadline = this.#storage.deadline();
    const now = await clock.now(deadline);
    const listed = await this.#storage.readSnapshot(() => listSessionSteps(dialect, tables, query, now), deadline);
    return fromListedRows(this.#codec, query.appName, listed);
  }

  async remove(key: SessionRef, p: { ifLastSeq?: number | undefined }): Promise<boolean> {
    const { dialect, tables, clock } = this.#storage;
    const deadline = this.#storage.deadline();
    const request = { key: this.#records.bindKey(key), now: await clock.now(deadline), ifLastSeq: p.ifLastSeq };
    const removed = await this.#storage.transact(() => removeSessionSteps(dialect, tables, request), { deadline });
    if (removed !== undefined) await this.#storage.erase();
    return removed ?? false;
  }

  async append(
    key: SessionRef,
    event: Event,
    delta: ScopedDelta,
    options: AppendOptions = {},
  ): Promise<{ event: Event; duplicate: boolean }> {
    const deadline = this.#storage.deadline();
    const told = this.#storage.clock.now(deadline);
    const now = typeof told === 'number' ? told : await told;
    const record = await this.#records.toAppendRecord(key, event, { delta, options, now });
    for (let attempts = 1; ; attempts++) {
      const appended = await this.#lines.append(sessionKeyOf(key), record, deadline);
      switch (appended.kind) {
        case 'stored':
          event.seq = appended.seq;
          this.#watch.notify(key);
          return { event, duplicate: false };
        case 'duplicate':
          return { event: await decodeEvent(this.#codec, appended.text, appended.seq, appended.v), duplicate: true };
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
    const { rows } = await this.#storage.read(() => query(sql, names.map(dialect.bindName)));
    return (await fromStateRows(this.#codec, rows)).state;
  }

  /** Writes those keys of an app's or a user's state that are not there: for what is brought along from elsewhere. */
  async addState(scope: { appName: string; userId?: string | undefined }, state: StateMap): Promise<void> {
    const { dialect, tables } = this.#storage;
    const known = await this.readState(scope);
    const writes = await toStateWrites(
      this.#codec,
      Object.fromEntries(Object.entries(state).filter(([key]) => !Object.hasOwn(known, key))),
    );
    if (!writes) return;
    const names = [scope.appName, scope.userId ?? ''].map(dialect.bindName);
    const [table, owner] =
      scope.userId === undefined ? [tables.appStates, appOwner(names)] : [tables.userStates, userOwner(names)];
    await this.#storage.transact(function* () {
      yield* dialect.writeState(table, owner, writes);
    });
  }

  async removeUser(user: UserRef): Promise<void> {
    const { dialect, tables, clock } = this.#storage;
    const deadline = this.#storage.deadline();
    const now = await clock.now(deadline);
    await this.#storage.transact(() => removeUserSteps(dialect, tables, user, now), { deadline });
    await this.#storage.erase();
  }

  /**
   * Retention: takes each session's oldest events, those that are older than `olderThan` and not among the `keepLast` newest;
   * how many. What is left has no hole, `seq` counts on, state stays. Some at a time, each with a time limit of its own.
   */
  pruneEvents(p: PruneRequest): Promise<number> {
    return pruneEvents(this.#storage, p);
  }

  /** Takes the sessions that have run out (`sessionTtlMs`), which nobody sees any more; how many. */
  deleteExpiredSessions(): Promise<number> {
    return deleteExpiredSessions(this.#storage);
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

  async #read(steps: ReadSessionSteps, key: SessionRef, window: EventWindow): Promise<StoredSession | undefined> {
    const deadline = this.#storage.deadline();
    const now = await this.#storage.clock.now(deadline);
    const rows = await this.#storage.read(() => steps(this.#records.bindKey(key), now, window), deadline);
    return fromSessionRows(this.#codec, key, rows);
  }

  #appendOne(record: AppendRecord, deadline: number): Promise<AppendOutcome> {
    return this.#storage.writeAtomically<AppendOutcome>(() => this.#append.steps(record), {
      inTransaction: this.#append.inTransaction,
      // The id is stored already, perhaps by somebody at this moment: what they stored is there now. A question, but asked as a
      // write: where it has no answer, the event may well be there.
      onDuplicate: () => this.#storage.write(() => this.#append.explain(record), deadline),
      deadline,
    });
  }

  #appendAll(records: readonly AppendRecord[], deadline: number): Promise<readonly AppendOutcome[]> {
    const all = this.#append;
    return this.#storage.transact(
      function* () {
        const appended: AppendOutcome[] = [];
        for (const record of records) appended.push(yield* all.steps(record));
        return appended;
      },
      { deadline },
    );
  }
}
