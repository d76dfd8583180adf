import { StoredEventWatcher, StoredLeaseManager, TholeError } from '@thole/core';
import { leaseLost, notRunning, sessionExists, sessionKeyOf, sessionNotFound } from '@thole/core/kit';
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
  TextCodec,
  UserRef,
  WaitingPage,
  WaitingRequest,
} from '@thole/core';
import { query } from '../client/sql-database.ts';
import { openStorage } from '../client/sql-storage.ts';
import type { SqlStorage } from '../client/sql-storage.ts';
import { SqlStore } from '../client/sql-store.ts';
import type { AppendSteps } from '../dialects/dialect.ts';
import { nodeProcesses } from '../lease/node-processes.ts';
import { SqlLeaseStore } from '../lease/sql-lease-store.ts';
import { AppendQueue } from './append-queue.ts';
import type { AppendOutcome, AppendRecord } from './append-record.ts';
import { insertSessionSteps } from './insert-session.ts';
import { fromListedRows, listSessionSteps } from './list-sessions.ts';
import { listWaitingSteps } from './list-waiting.ts';
import type { PruneRequest } from './prune-events.ts';
import { decodeEvent, fromSessionRows, readSessionSteps } from './read-session.ts';
import type { ReadSessionSteps } from './read-session.ts';
import { removeSessionSteps, removeUserSteps } from './remove-sessions.ts';
import { deleteExpiredSessions, pruneEvents } from './retention.ts';
import { SessionRecords } from './session-records.ts';
import { assertSessionStoreOptions, sessionStoreOptionNames } from './session-store-options.ts';
import type { SqlSessionStoreOptions } from './session-store-options.ts';
import { appOwner, userOwner } from './state-owner.ts';
import { fromStateRows, toStateWrites } from './state-writes.ts';
import type { StateOwner } from './state-writes.ts';

/** Maximum number of attempts of an append while other connections change the session. */
const MAX_ATTEMPTS = 100;

/**
 * Stores sessions in SQLite, PostgreSQL or MariaDB. The first call connects and, by default, creates the tables. Each call
 * ends within `timeoutMs`, except `pruneEvents` and `deleteExpiredSessions`. It throws `STORE_UNAVAILABLE` if nothing was
 * written, and `STORE_OUTCOME_UNKNOWN` if the write may have been done. Deleted text is also removed from the bytes of a
 * SQLite file.
 */
export class SqlSessionStore extends SqlStore implements SessionStore {
  readonly abilities: {
    readonly leasing: StoredLeaseManager;
    readonly watching: StoredEventWatcher;
    readonly isDurable: boolean;
  };
  readonly #storage: SqlStorage;
  readonly #codec: TextCodec | undefined;
  readonly #records: SessionRecords;
  readonly #append: AppendSteps;
  readonly #appendQueue: AppendQueue<AppendRecord, AppendOutcome>;
  readonly #readNewest: ReadSessionSteps;

  constructor(options: SqlSessionStoreOptions) {
    const storage = openStorage(options, sessionStoreOptionNames, 'SqlSessionStore');
    super(storage);
    assertSessionStoreOptions(options);
    const { codec, sessionTtlMs, pollMs = 500 } = options;
    const { dialect, tables, runtime } = storage;
    this.#storage = storage;
    this.#codec = codec;
    this.#records = new SessionRecords(dialect, { codec, ttlMs: sessionTtlMs === Infinity ? undefined : sessionTtlMs });
    this.#append = dialect.append(tables);
    this.#appendQueue = new AppendQueue(runtime, {
      appendOne: (record, deadline) => this.#appendOne(record, deadline),
      appendBatch: (records, deadline) => this.#appendBatch(records, deadline),
    });
    this.#readNewest = readSessionSteps(dialect, tables, 'newest');
    const readOldest = readSessionSteps(dialect, tables, 'oldest');
    const readAfter = (key: SessionRef, afterSeq: number, limit: number): Promise<StoredSession | undefined> => {
      // A watcher would repeat a read of an unavailable store forever.
      if (storage.isClosed) throw new TholeError('RUN_ABORTED', 'The session store was closed.');
      return this.#read(readOldest, key, { afterSeq, numRecentEvents: limit });
    };
    const leases = new SqlLeaseStore(storage, { pollMs, records: this.#records });
    this.abilities = {
      leasing: new StoredLeaseManager(leases, runtime, { pollMs, processes: nodeProcesses() }),
      watching: new StoredEventWatcher({ readAfter }, runtime, { pollMs }),
      isDurable: storage.isDurable,
    };
  }

  async insert(session: StoredSession): Promise<void> {
    const { dialect, tables, clock } = this.#storage;
    const deadline = this.#storage.deadline();
    const record = await this.#records.toSessionRecord(session, await clock.now(deadline));
    const onDuplicate = (): never => {
      throw sessionExists(session.key);
    };
    await this.#storage.transact(() => insertSessionSteps(dialect, tables, record), { onDuplicate, deadline });
    this.abilities.watching.notify(session.key);
  }

  load(key: SessionRef, window: EventWindow): Promise<StoredSession | undefined> {
    return this.#read(this.#readNewest, key, window);
  }

  async list(request: ListSessionsRequest): Promise<SessionPage> {
    const { dialect, tables, clock } = this.#storage;
    const deadline = this.#storage.deadline();
    const now = await clock.now(deadline);
    const rows = await this.#storage.readSnapshot(() => listSessionSteps(dialect, tables, request, now), deadline);
    return fromListedRows(this.#codec, request.appName, rows);
  }

  async waiting(request: WaitingRequest): Promise<WaitingPage> {
    const { dialect, tables, clock } = this.#storage;
    const deadline = this.#storage.deadline();
    const now = await clock.now(deadline);
    return this.#storage.read(() => listWaitingSteps(dialect, tables, request, now), deadline);
  }

  async remove(key: SessionRef, { ifLastSeq, ifIdle }: RemoveConditions): Promise<boolean> {
    const { dialect, tables, clock } = this.#storage;
    const deadline = this.#storage.deadline();
    const request = { key: this.#records.bindKey(key), now: await clock.now(deadline), ifLastSeq, ifIdle };
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
    const time = this.#storage.clock.now(deadline);
    const now = typeof time === 'number' ? time : await time;
    const record = await this.#records.toAppendRecord(key, event, { delta, options, now });
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#appendQueue.append(sessionKeyOf(key), record, deadline);
      switch (outcome.kind) {
        case 'stored':
          event.seq = outcome.seq;
          this.abilities.watching.notify(key);
          return { event, duplicate: false };
        case 'duplicate':
          return { event: await decodeEvent(this.#codec, outcome.text, outcome.seq, outcome.v), duplicate: true };
        case 'missing':
          throw sessionNotFound(key);
        case 'lease-lost':
          throw leaseLost(key, event.invocationId);
        case 'not-running':
          throw notRunning(key, options.ifHeldBy!);
        default:
          if (attempt === MAX_ATTEMPTS) {
            const message = `Session "${key.sessionId}" changed during each of ${MAX_ATTEMPTS} attempts to append an event.`;
            throw new TholeError('STORE_UNAVAILABLE', message);
          }
      }
    }
  }

  readState(scope: { appName: string; userId?: string | undefined }): Promise<StateMap> {
    return this.#readState(scope, this.#storage.deadline());
  }

  /** Writes the keys that the state of the app or user does not have yet. Used to copy state from another database. */
  async addState(scope: { appName: string; userId?: string | undefined }, state: StateMap): Promise<void> {
    const { dialect } = this.#storage;
    const deadline = this.#storage.deadline();
    const stored = await this.#readState(scope, deadline);
    const missing = Object.entries(state).filter(([key]) => !Object.hasOwn(stored, key));
    const writes = await toStateWrites(this.#codec, Object.fromEntries(missing));
    if (!writes) return;
    const { table, ...owner } = this.#stateOwner(scope);
    await this.#storage.transact(
      function* () {
        yield* dialect.writeState(table, owner, writes);
      },
      { deadline },
    );
  }

  /** Throws `STORE_OUTCOME_UNKNOWN` if it fails after the first batch of sessions. Calling it again continues. */
  async removeUser(user: UserRef): Promise<void> {
    const { dialect, tables, clock } = this.#storage;
    const deadline = this.#storage.deadline();
    const now = await clock.now(deadline);
    const removeBatch = (): Promise<boolean> =>
      this.#storage.transact(() => removeUserSteps(dialect, tables, user, now), { deadline });
    for (let isDone = await removeBatch(); !isDone;) {
      isDone = await removeBatch().catch((cause: unknown) => {
        const message =
          'Some sessions of the user are deleted, but perhaps not all. Call deleteUserData again to continue.';
        throw new TholeError('STORE_OUTCOME_UNKNOWN', message, { cause });
      });
    }
    await this.#storage.erase();
  }

  /**
   * Deletes the oldest events of each session: events older than `olderThan` and not among the last `keepLast`. Returns their
   * count. It stops at the first event to keep, so the remaining events have no gap. `seq` and state do not change. The
   * changes of deleted events become part of the initial state in the same step. A session with marks keeps all events from
   * the first one of an invocation that is unfinished or has an open call. Works in small transactions, each with its own
   * time limit.
   */
  pruneEvents(p: PruneRequest): Promise<number> {
    return pruneEvents(this.#storage, p, this.#codec);
  }

  /** Deletes the expired sessions (`sessionTtlMs`), which are invisible already. Returns their count. */
  deleteExpiredSessions(): Promise<number> {
    return deleteExpiredSessions(this.#storage);
  }

  async #read(steps: ReadSessionSteps, key: SessionRef, window: EventWindow): Promise<StoredSession | undefined> {
    const deadline = this.#storage.deadline();
    const now = await this.#storage.clock.now(deadline);
    const rows = await this.#storage.read(() => steps(this.#records.bindKey(key), now, window), deadline);
    return fromSessionRows(this.#codec, key, rows);
  }

  async #readState(scope: { appName: string; userId?: string | undefined }, deadline: number): Promise<StateMap> {
    const { table, columns, names } = this.#stateOwner(scope);
    const condition = columns.map((column) => `${column} = ?`).join(' AND ');
    const sql = this.#storage.dialect.statement(`SELECT state_key, value, version FROM ${table} WHERE ${condition}`);
    const { rows } = await this.#storage.read(() => query(sql, names), deadline);
    return (await fromStateRows(this.#codec, rows)).state;
  }

  #appendOne(record: AppendRecord, deadline: number): Promise<AppendOutcome> {
    return this.#storage.writeAtomically<AppendOutcome>(() => this.#append.steps(record), {
      inTransaction: this.#append.inTransaction,
      // The event id is stored already, perhaps just now by another connection. This call only reads. It runs as a write,
      // because the event may be stored if no answer arrives.
      onDuplicate: () => this.#storage.write(() => this.#append.explain(record), deadline),
      deadline,
    });
  }

  #appendBatch(records: readonly AppendRecord[], deadline: number): Promise<readonly AppendOutcome[]> {
    const append = this.#append;
    return this.#storage.transact(
      function* () {
        const outcomes: AppendOutcome[] = [];
        for (const record of records) outcomes.push(yield* append.steps(record));
        return outcomes;
      },
      { deadline },
    );
  }

  #stateOwner({ appName, userId }: { appName: string; userId?: string | undefined }): StateOwner & { table: string } {
    const { dialect, tables } = this.#storage;
    if (userId === undefined) return { table: tables.appStates, ...appOwner([dialect.bindName(appName)]) };
    return { table: tables.userStates, ...userOwner([appName, userId].map(dialect.bindName)) };
  }
}
