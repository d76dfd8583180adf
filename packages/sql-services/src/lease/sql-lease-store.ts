import { TholeError } from '@thole/core';
import type { Fence, LeaseAnswer, LeaseAsk, LeaseInfo, LeaseState, LeaseStore } from '@thole/core';
import type { ReleaseOptions, SessionHead, SessionMarks, SessionRef } from '@thole/core';
import type { SqlStorage } from '../client/sql-storage.ts';
import type { Row, SqlValue, StatementResult, Steps } from '../client/sql-database.ts';
import { paddedChunksOf, placeholders } from '../client/chunks.ts';
import { columnText } from '../session/row-values.ts';
import { readSessionHead } from '../session/session-head.ts';
import { fromMarkColumns, selectMarks, toMarkValues } from '../session/session-marks.ts';
import type { SessionRecords } from '../session/session-records.ts';
import { encodeName } from './lease-conditions.ts';
import { encodeHolder, fromLeaseRow, leaseColumns } from './lease-row.ts';
import type { LeaseRow } from './lease-row.ts';
import { LeaseQueue } from './lease-queue.ts';
import type { WaitingRun } from './lease-queue.ts';

/** Number of leases that one statement lists. */
const PAGE = 100;
/** Maximum number of fences in one statement, a power of two. */
const MAX_FENCES = 128;
/** Maximum number of attempts to get a lease while other connections take or release it. */
const MAX_ATTEMPTS = 100;
const SESSION_CONDITION = 'app_name = ? AND user_id = ? AND session_id = ?';

/** Leases in the database. Times are measured with the database's clock. */
export class SqlLeaseStore implements LeaseStore {
  readonly #storage: SqlStorage;
  readonly #records: SessionRecords;
  readonly #queue: LeaseQueue;
  readonly #table: string;

  constructor(storage: SqlStorage, { pollMs, records }: { pollMs: number; records: SessionRecords }) {
    this.#storage = storage;
    this.#records = records;
    // A waiting run asks for the lease again at least every 1.25 × pollMs.
    this.#queue = new LeaseQueue(storage.dialect, storage.tables, { placeMs: Math.max(15_000, 3 * pollMs) });
    this.#table = storage.tables.leases;
  }

  async ask(key: SessionRef, ask: LeaseAsk): Promise<LeaseAnswer> {
    const deadline = this.#storage.deadline();
    const now = await this.#storage.clock.now(deadline);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      // Two runs found no lease at the same time. The next attempt finds the lease of the faster one.
      const onDuplicate = (): undefined => undefined;
      const steps = (): Steps<LeaseAnswer | undefined> => this.#ask(this.#bind(key), ask, now);
      const answer = await this.#storage.transact(steps, { onDuplicate, deadline });
      if (answer) return answer;
    }
    const message = `The lease of session "${key.sessionId}" changed during each of ${MAX_ATTEMPTS} attempts to take it.`;
    throw new TholeError('STORE_UNAVAILABLE', message);
  }

  async renew(
    key: SessionRef,
    fence: Fence,
    ttlMs: number,
  ): Promise<{ head: SessionHead | undefined; expiresInMs: number } | undefined> {
    const deadline = this.#storage.deadline();
    const now = await this.#storage.clock.now(deadline);
    const renewed = await this.#storage.transact(() => this.#renew(this.#bind(key), fence, { ttlMs, now }), {
      deadline,
    });
    return renewed && { head: renewed.head, expiresInMs: (renewed.expiresAt - now) * 1000 };
  }

  async release(key: SessionRef, fence: Fence, { ifLastSeq, marks }: ReleaseOptions): Promise<boolean> {
    const deadline = this.#storage.deadline();
    if (ifLastSeq === undefined && marks === undefined) {
      await this.#storage.write(() => this.#remove(this.#bind(key), fence), deadline);
      return true;
    }
    const now = await this.#storage.clock.now(deadline);
    const steps = (): Steps<boolean> => this.#release(this.#bind(key), fence, { ifLastSeq, marks, now });
    return this.#storage.transact(steps, { deadline });
  }

  async requestStop(key: SessionRef, invocationId: string): Promise<Fence | undefined> {
    const deadline = this.#storage.deadline();
    const now = await this.#storage.clock.now(deadline);
    return this.#storage.transact(() => this.#requestStop(this.#bind(key), invocationId, now), { deadline });
  }

  async poll(leases: readonly { readonly fence: Fence }[]): Promise<(LeaseState | undefined)[]> {
    const deadline = this.#storage.deadline();
    const fences = leases.map(({ fence }) => fence);
    const found = await this.#storage.read(() => this.#findByFences(fences), deadline);
    const now = await this.#storage.clock.now(deadline);
    return fences.map((fence) => {
      const lease = found.get(fence);
      return lease && { expiresInMs: (lease.expiresAt - now) * 1000, stop: lease.stop };
    });
  }

  async current(key: SessionRef): Promise<LeaseInfo | undefined> {
    const deadline = this.#storage.deadline();
    const lease = await this.#storage.read(() => this.#find(this.#bind(key)), deadline);
    return lease && this.#toInfo(key, lease, await this.#storage.clock.now(deadline));
  }

  async *leases(appName: string): AsyncIterable<LeaseInfo> {
    const { bindName } = this.#storage.dialect;
    const app = bindName(appName);
    const sql = `SELECT ${leaseColumns}, user_id, session_id FROM ${this.#table}
      WHERE app_name = ? AND (user_id > ? OR (user_id = ? AND session_id > ?)) ORDER BY user_id, session_id LIMIT ${PAGE}`;
    let [userId, sessionId] = [bindName(''), bindName('')];
    for (;;) {
      const after = [app, userId, userId, sessionId];
      const deadline = this.#storage.deadline();
      const { rows } = await this.#storage.read(() => this.#query(sql, after), deadline);
      const now = await this.#storage.clock.now(deadline);
      for (const row of rows) {
        const key = { appName, userId: columnText(row['user_id']), sessionId: columnText(row['session_id']) };
        yield this.#toInfo(key, fromLeaseRow(row), now);
        [userId, sessionId] = [bindName(key.userId), bindName(key.sessionId)];
      }
      if (rows.length < PAGE) return;
    }
  }

  *#ask(key: readonly SqlValue[], ask: LeaseAsk, now: number): Steps<LeaseAnswer> {
    const lease = yield* this.#find(key, { lock: true });
    let liveLease = lease && lease.fence !== ask.deadFence && lease.expiresAt > now ? lease : undefined;
    if (liveLease?.fence === ask.fence) return { kind: 'granted', head: yield* this.#readHead(key, now) };
    const { waiting, overtaken } = yield* this.#queue.read(key, now);
    const ownPlace = waiting.find(({ fence }) => fence === ask.fence);
    const interrupts = ask.policy === 'interrupt';
    const interrupting = waiting.filter((run) => run.interrupts);
    // The place of this run expired before it asked again. Meanwhile another run interrupts.
    const isReplaced = interrupts && !ask.isFirst && !ownPlace && interrupting.length > 0;
    if (isReplaced || overtaken.includes(ask.fence)) return { kind: 'overtaken' };
    if (!liveLease && (waiting.length === 0 || ownPlace === waiting[0])) {
      return yield* this.#grant(key, ask, { lease, ownPlace, now });
    }

    const others = waiting.filter((run) => run !== ownPlace && !(interrupts && run.interrupts));
    const answer = (kind: 'waiting' | 'busy'): LeaseAnswer => {
      return { kind, heldBy: liveLease && toHeldBy(liveLease, now), waiting: others.length };
    };
    if (ownPlace) {
      yield* this.#queue.keep(ownPlace, now);
      return answer('waiting');
    }
    if (ask.policy === 'reject' || (ask.isFirst && others.length >= ask.maxWaiting)) return answer('busy');
    if (interrupts) for (const run of interrupting) yield* this.#queue.overtake(run);
    yield* this.#queue.enter(key, { fence: ask.fence, interrupts }, now);
    if (interrupts && liveLease && ask.isFirst) liveLease = yield* this.#interrupt(key, liveLease, ask, now);
    return answer('waiting');
  }

  *#grant(
    key: readonly SqlValue[],
    ask: LeaseAsk,
    { lease, ownPlace, now }: { lease: LeaseRow | undefined; ownPlace: WaitingRun | undefined; now: number },
  ): Steps<LeaseAnswer> {
    if (lease) yield* this.#query(`DELETE FROM ${this.#table} WHERE ${SESSION_CONDITION}`, key);
    const sql = `INSERT INTO ${this.#table} (app_name, user_id, session_id, fence, invocation_id, holder, expires_at)
      VALUES (?, ?, ?, ?, ?, ?, ?)`;
    const expiresAt = now + ask.ttlMs / 1000;
    yield* this.#query(sql, [...key, ask.fence, encodeName(ask.invocationId), encodeHolder(ask), expiresAt]);
    if (ownPlace) yield* this.#queue.leave(key, ask.fence);
    return { kind: 'granted', head: yield* this.#readHead(key, now) };
  }

  *#interrupt(key: readonly SqlValue[], lease: LeaseRow, ask: LeaseAsk, now: number): Steps<LeaseRow> {
    const latestExpiry = Math.min(lease.latestExpiry, now + ask.cleanupMs / 1000);
    const expiresAt = Math.min(lease.expiresAt, latestExpiry);
    const sql = `UPDATE ${this.#table} SET latest_end = ?, expires_at = ? WHERE ${SESSION_CONDITION}`;
    yield* this.#query(sql, [latestExpiry, expiresAt, ...key]);
    if (!lease.stop) yield* this.#storeStop(key, 'RUN_INTERRUPTED', encodeName(ask.invocationId));
    return { ...lease, latestExpiry, expiresAt };
  }

  *#renew(
    key: readonly SqlValue[],
    fence: Fence,
    { ttlMs, now }: { ttlMs: number; now: number },
  ): Steps<{ head: SessionHead | undefined; expiresAt: number } | undefined> {
    const lease = yield* this.#find(key, { lock: true });
    if (lease?.fence !== fence || lease.latestExpiry <= now) return undefined;
    if (lease.expiresAt <= now && (yield* this.#queue.read(key, now)).waiting.length > 0) return undefined;
    const expiresAt = Math.min(now + ttlMs / 1000, lease.latestExpiry);
    yield* this.#query(`UPDATE ${this.#table} SET expires_at = ? WHERE ${SESSION_CONDITION}`, [expiresAt, ...key]);
    return { head: yield* this.#readHead(key, now), expiresAt };
  }

  /** Locks the lease before the session, as an append does. Otherwise this method could miss an append in between. */
  *#release(key: readonly SqlValue[], fence: Fence, p: ReleaseOptions & { now: number }): Steps<boolean> {
    const { dialect, tables } = this.#storage;
    const lease = yield* this.#find(key, { lock: true });
    if (lease?.fence === fence) {
      const find = `SELECT s.row_id AS row_id, s.last_seq AS last_seq, ${selectMarks} FROM ${tables.sessions} s
        WHERE ${SESSION_CONDITION} AND (expires_at IS NULL OR expires_at > ?)${dialect.forUpdate}`;
      const [session] = (yield* this.#query(find, [...key, p.now])).rows;
      if (session && p.ifLastSeq !== undefined && Number(session['last_seq']) !== p.ifLastSeq) return false;
      if (session && p.marks) yield* this.#storeMarks(session, p.marks, p.now);
    }
    yield* this.#remove(key, fence);
    return true;
  }

  /** Stores the changed marks. If this clears the last mark, the session's lifetime begins again. */
  *#storeMarks(session: Row, changes: Partial<SessionMarks>, now: number): Steps<void> {
    const { dialect, tables } = this.#storage;
    const stored = fromMarkColumns(session);
    const { unfinished = stored.unfinished, wakeAt = stored.wakeAt, openInterrupts = stored.openInterrupts } = changes;
    const marks = toMarkValues(dialect, { unfinished, wakeAt, openInterrupts });
    const columns = marks.map(({ column }) => `${column} = ?`).join(', ');
    const values = [...marks.map(({ value }) => value), this.#records.expiry(marks, now), Number(session['row_id'])];
    yield* this.#query(`UPDATE ${tables.sessions} SET ${columns}, expires_at = ? WHERE row_id = ?`, values);
  }

  *#remove(key: readonly SqlValue[], fence: Fence): Steps<void> {
    const sql = `DELETE FROM ${this.#table} WHERE ${SESSION_CONDITION} AND fence = ?`;
    const { changes } = yield* this.#query(sql, [...key, fence]);
    if (changes === 0) yield* this.#queue.leave(key, fence);
  }

  *#requestStop(key: readonly SqlValue[], invocationId: string, now: number): Steps<Fence | undefined> {
    const lease = yield* this.#find(key, { lock: true });
    if (!lease || lease.invocationId !== invocationId || lease.expiresAt <= now) return undefined;
    if (!lease.stop) yield* this.#storeStop(key, 'RUN_ABORTED', null);
    return lease.fence;
  }

  *#storeStop(key: readonly SqlValue[], code: 'RUN_ABORTED' | 'RUN_INTERRUPTED', by: string | null): Steps<void> {
    yield* this.#query(`UPDATE ${this.#table} SET stop_code = ?, stopped_by = ? WHERE ${SESSION_CONDITION}`, [
      code,
      by,
      ...key,
    ]);
  }

  *#find(key: readonly SqlValue[], { lock }: { lock: boolean } = { lock: false }): Steps<LeaseRow | undefined> {
    const end = lock ? this.#storage.dialect.forUpdate : '';
    const { rows } = yield* this.#query(
      `SELECT ${leaseColumns} FROM ${this.#table} WHERE ${SESSION_CONDITION}${end}`,
      key,
    );
    return rows[0] && fromLeaseRow(rows[0]);
  }

  *#findByFences(fences: readonly Fence[]): Steps<Map<Fence, LeaseRow>> {
    const found = new Map<Fence, LeaseRow>();
    for (const chunk of paddedChunksOf(fences, MAX_FENCES)) {
      const sql = `SELECT ${leaseColumns} FROM ${this.#table} WHERE fence IN (${placeholders(chunk.length)})`;
      for (const row of (yield* this.#query(sql, chunk)).rows) found.set(columnText(row['fence']), fromLeaseRow(row));
    }
    return found;
  }

  #readHead(key: readonly SqlValue[], now: number): Steps<SessionHead | undefined> {
    return readSessionHead(this.#storage.dialect, this.#storage.tables, key, now);
  }

  *#query(sql: string, parameters: readonly SqlValue[]): Steps<StatementResult> {
    return yield { sql: this.#storage.dialect.statement(sql), parameters };
  }

  #toInfo(key: SessionRef, { invocationId, holder, process, expiresAt }: LeaseRow, now: number): LeaseInfo {
    const info = { key: { ...key }, invocationId, holder, ...(process !== undefined && { process }) };
    return { ...info, expiresAt: this.#storage.clock.toLocal(expiresAt), expired: expiresAt <= now };
  }

  #bind(key: SessionRef): SqlValue[] {
    return [key.appName, key.userId, key.sessionId].map(this.#storage.dialect.bindName);
  }
}

function toHeldBy(
  { fence, invocationId, process, expiresAt }: LeaseRow,
  now: number,
): { fence: Fence; invocationId: string; process: string | undefined; expiresInMs: number } {
  return { fence, invocationId, process, expiresInMs: (expiresAt - now) * 1000 };
}
