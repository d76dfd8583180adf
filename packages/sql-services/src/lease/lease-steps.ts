import type { SessionHead } from '@thole/core';
import type { Row, SqlValue, Statement, Steps } from '../client/sql-database.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { TableNames } from '../schema/table-names.ts';
import { columnText } from '../session/row-values.ts';
import { WaitingLine } from './waiting-line.ts';

/** Who asks, in the database's time. */
export interface Asking {
  readonly key: readonly SqlValue[];
  readonly fence: string;
  readonly invocationId: string;
  readonly holder: string;
  /** The name of this process; undefined where it has none. */
  readonly process: string | undefined;
  /** The fence of a lease whose process is dead. */
  readonly dead: string | undefined;
  readonly now: number;
  readonly ttlMs: number;
  readonly cleanupMs: number;
  readonly maxWaiting: number;
  readonly policy: 'queue' | 'reject' | 'interrupt';
  /** The place in line, of one that waits already. */
  readonly ticket: number | undefined;
}

/** What the database says to that. */
export type Answer =
  | { readonly kind: 'given'; readonly head: SessionHead | undefined; readonly expiresAt: number }
  | { readonly kind: 'overtaken' }
  | {
      readonly kind: 'waits' | 'refused';
      readonly ticket: number | undefined;
      readonly heldBy: string | undefined;
      readonly heldUntil: number | undefined;
      /** Fence and process of the lease that is in the way. */
      readonly heldFence: string | undefined;
      readonly heldProcess: string | undefined;
      readonly waiting: number;
      /** Whose run was asked to give way by this call. */
      readonly interrupted: string | undefined;
    };

/** The statements of leases, for one database. All but `head` and `poll` belong into a transaction. */
export class LeaseSteps {
  readonly #dialect: Dialect;
  readonly #tables: TableNames;
  readonly #line: WaitingLine;

  constructor(dialect: Dialect, tables: TableNames) {
    this.#dialect = dialect;
    this.#tables = tables;
    this.#line = new WaitingLine(dialect, tables);
  }

  /** Takes the lease if it is free and nobody came before; else a place in line, or keeps the one it has. */
  *ask(p: Asking): Steps<Answer> {
    const { key, now } = p;
    const held = yield* this.#find(key, true);
    const fence = held && columnText(held['fence']);
    const isHeld = held !== undefined && fence !== p.dead && Number(held['expires_at']) > now;
    const { tickets: line, interrupting, overtaken } = yield* this.#line.read(key, now);
    const isKnown = p.ticket !== undefined && line.includes(p.ticket);
    // Of those that interrupt the newest runs.
    const isOlder = p.ticket !== undefined && !isKnown && p.policy === 'interrupt' && interrupting.length > 0;
    if (isOlder || overtaken.some((ticket) => ticket === p.ticket)) return { kind: 'overtaken' };
    const isFirst = line.length === 0 || line[0] === p.ticket;
    if (!isHeld && isFirst) return yield* this.#give(p, held !== undefined);

    const heldBy = isHeld ? decodeName(held['invocation_id']) : undefined;
    const heldUntil = isHeld ? Number(held['expires_at']) : undefined;
    const heldFence = isHeld ? fence : undefined;
    const heldProcess = isHeld ? decodeHolder(held['holder']).process : undefined;
    const replaced = p.policy === 'interrupt' ? interrupting : [];
    const others = line.filter((ticket) => ticket !== p.ticket && !replaced.includes(ticket)).length;
    const answer = { heldBy, heldUntil, heldFence, heldProcess, waiting: others, interrupted: undefined };
    if (isKnown) {
      yield* this.#line.stay(p.ticket!, now);
      return { ...answer, kind: 'waits', ticket: p.ticket };
    }
    if (p.policy === 'reject' || (p.ticket === undefined && others >= p.maxWaiting)) {
      return { ...answer, kind: 'refused', ticket: undefined };
    }
    for (const each of replaced) yield* this.#line.overtake(each);
    const ticket = yield* this.#line.enter(key, { goesFirst: p.policy === 'interrupt', now });
    if (p.policy !== 'interrupt' || !isHeld || p.ticket !== undefined) return { ...answer, kind: 'waits', ticket };
    yield* this.#interrupt(p, held);
    return { ...answer, kind: 'waits', ticket, interrupted: fence };
  }

  /** Leaves the line. */
  *leave(ticket: number): Steps<void> {
    yield* this.#line.leave(ticket);
  }

  /** Holds the lease for longer, also one that ran out unless another run waits; undefined when it is gone, else until when. */
  *renew(
    key: readonly SqlValue[],
    fence: string,
    now: number,
    ttlMs: number,
  ): Steps<{ head: SessionHead | undefined; expiresAt: number } | undefined> {
    const held = yield* this.#find(key, true);
    if (!held || columnText(held['fence']) !== fence) return undefined;
    const latestEnd = held['latest_end'] === null ? Infinity : Number(held['latest_end']);
    if (latestEnd <= now) return undefined;
    if (Number(held['expires_at']) <= now && (yield* this.#line.read(key, now)).tickets.length > 0) return undefined;
    const expiresAt = Math.min(now + ttlMs / 1000, latestEnd);
    const sql = `UPDATE ${this.#tables.leases} SET expires_at = ? WHERE ${TRIPLE}`;
    yield this.#statement(sql, [expiresAt, ...key]);
    return { head: yield* this.head(key, now), expiresAt };
  }

  /** Lets go of the lease, if it is this one still. */
  *release(key: readonly SqlValue[], fence: string): Steps<void> {
    yield this.#statement(`DELETE FROM ${this.#tables.leases} WHERE ${TRIPLE} AND fence = ?`, [...key, fence]);
  }

  /** Asks the run to stop, if it is this one that holds the session; its fence then. */
  *requestStop(key: readonly SqlValue[], invocationId: string, now: number): Steps<string | undefined> {
    const held = yield* this.#find(key, true);
    if (!held || decodeName(held['invocation_id']) !== invocationId || Number(held['expires_at']) <= now)
      return undefined;
    if (held['stop_code'] === null) {
      const sql = `UPDATE ${this.#tables.leases} SET stop_code = ? WHERE ${TRIPLE}`;
      yield this.#statement(sql, ['RUN_ABORTED', ...key]);
    }
    return columnText(held['fence']);
  }

  /** Who holds the session, or held it last. */
  *current(key: readonly SqlValue[]): Steps<Row | undefined> {
    return yield* this.#find(key, false);
  }

  /** A page of an app's leases, after those of that user and session. */
  *ofApp(app: SqlValue, after: readonly [SqlValue, SqlValue], count: number): Steps<readonly Row[]> {
    const sql = `SELECT ${COLUMNS}, user_id, session_id FROM ${this.#tables.leases}
      WHERE app_name = ? AND (user_id > ? OR (user_id = ? AND session_id > ?)) ORDER BY user_id, session_id LIMIT ${count}`;
    return (yield this.#statement(sql, [app, after[0], ...after])).rows;
  }

  /** What became of the leases with these fences; one that is not among them is gone. */
  *poll(fences: readonly string[]): Steps<readonly Row[]> {
    const sql = `SELECT ${COLUMNS} FROM ${this.#tables.leases} WHERE fence IN (${fences.map(() => '?').join(', ')})`;
    return (yield this.#statement(sql, fences)).rows;
  }

  /** How the session stands; undefined where there is none. */
  *head(key: readonly SqlValue[], now: number): Steps<SessionHead | undefined> {
    const { sessions, appStates, userStates } = this.#tables;
    const sql = `SELECT s.incarnation AS incarnation, s.last_seq AS last_seq, a.version AS app_version, u.version AS user_version
      FROM ${sessions} s LEFT JOIN ${appStates} a ON a.app_name = s.app_name AND a.key_hash = ''
      LEFT JOIN ${userStates} u ON u.app_name = s.app_name AND u.user_id = s.user_id AND u.key_hash = ''
      WHERE s.app_name = ? AND s.user_id = ? AND s.session_id = ? AND (s.expires_at IS NULL OR s.expires_at > ?)`;
    const { rows } = yield this.#statement(sql, [...key, now]);
    const [row] = rows;
    return (
      row && {
        incarnation: columnText(row['incarnation']),
        lastSeq: Number(row['last_seq']),
        appVersion: Number(row['app_version'] ?? 0),
        userVersion: Number(row['user_version'] ?? 0),
      }
    );
  }

  *#find(key: readonly SqlValue[], toWrite: boolean): Steps<Row | undefined> {
    const lock = toWrite ? this.#dialect.forUpdate : '';
    const { rows } = yield this.#statement(`SELECT ${COLUMNS} FROM ${this.#tables.leases} WHERE ${TRIPLE}${lock}`, key);
    return rows[0];
  }

  *#give(p: Asking, isTaken: boolean): Steps<Answer> {
    const expiresAt = p.now + p.ttlMs / 1000;
    if (isTaken) yield this.#statement(`DELETE FROM ${this.#tables.leases} WHERE ${TRIPLE}`, p.key);
    const sql = `INSERT INTO ${this.#tables.leases} (app_name, user_id, session_id, fence, invocation_id, holder, expires_at)
      VALUES (?, ?, ?, ?, ?, ?, ?)`;
    const { fence, invocationId, holder, process } = p;
    const holderAndProcess = JSON.stringify(process === undefined ? [holder] : [holder, process]);
    yield this.#statement(sql, [...p.key, fence, encodeName(invocationId), holderAndProcess, expiresAt]);
    if (p.ticket !== undefined) yield* this.#line.leave(p.ticket);
    return { kind: 'given', head: yield* this.head(p.key, p.now), expiresAt };
  }

  *#interrupt(p: Asking, held: Row): Steps<void> {
    const asked = p.now + p.cleanupMs / 1000;
    const latestEnd = held['latest_end'] === null ? asked : Math.min(asked, Number(held['latest_end']));
    const sql = `UPDATE ${this.#tables.leases} SET latest_end = ?, expires_at = ?, stop_code = ?, stopped_by = ?
      WHERE ${TRIPLE}`;
    const expiresAt = Math.min(Number(held['expires_at']), latestEnd);
    yield this.#statement(sql, [latestEnd, expiresAt, 'RUN_INTERRUPTED', encodeName(p.invocationId), ...p.key]);
  }

  #statement(sql: string, parameters: readonly SqlValue[]): Statement {
    return { sql: this.#dialect.statement(sql), parameters };
  }
}

const TRIPLE = 'app_name = ? AND user_id = ? AND session_id = ?';
const COLUMNS = 'fence, invocation_id, holder, expires_at, latest_end, stop_code, stopped_by';

/** Invocations and holders are whatever runners call them, NUL characters included: stored as JSON. */
export function decodeName(column: unknown): string {
  return JSON.parse(columnText(column)) as string;
}

/** Reads who holds a lease, and in which process where that has a name. */
export function decodeHolder(column: unknown): { holder: string; process: string | undefined } {
  const decoded = JSON.parse(columnText(column)) as string | [holder: string, process?: string];
  const [holder, process] = typeof decoded === 'string' ? [decoded] : decoded;
  return { holder, process };
}

function encodeName(name: string): string {
  return JSON.stringify(name);
}
