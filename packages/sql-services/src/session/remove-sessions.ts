import { hasMarks } from '@thole/core/kit';
import type { RemoveConditions, UserRef } from '@thole/core';
import type { Row, SqlValue, Steps } from '../client/sql-database.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { TableNames } from '../schema/table-names.ts';
import { fromMarkColumns, selectMarks } from './session-marks.ts';

/** Maximum number of sessions that one transaction deletes. */
const BATCH = 200;
/** Seconds for which an expired lease is kept, because its process may be suspended. */
const KEEP_EXPIRED_SECONDS = 24 * 60 * 60;

/**
 * Deletes one session with its events. Returns true if it had not expired. Returns undefined and deletes nothing if it does
 * not exist or does not meet a condition. An expired session meets all conditions.
 */
export function* removeSessionSteps(
  dialect: Dialect,
  tables: TableNames,
  p: RemoveConditions & { key: readonly SqlValue[]; now: number },
): Steps<boolean | undefined> {
  const find =
    dialect.statement(`SELECT s.row_id AS row_id, s.last_seq AS last_seq, s.expires_at AS expires_at, ${selectMarks}
    FROM ${tables.sessions} s WHERE app_name = ? AND user_id = ? AND session_id = ?${dialect.forUpdate}`);
  const { rows } = yield { sql: find, parameters: p.key };
  const [row] = rows;
  if (!row) return undefined;
  const isLive = row['expires_at'] === null || Number(row['expires_at']) > p.now;
  if (isLive && p.ifLastSeq !== undefined && Number(row['last_seq']) !== p.ifLastSeq) return undefined;
  if (isLive && p.ifIdle && hasMarks(fromMarkColumns(row))) return undefined;
  yield* removeRows(dialect, tables, [row]);
  const condition = 'app_name = ? AND user_id = ? AND session_id = ?';
  yield* removeExpiredLeases(dialect, tables, { condition, key: p.key, now: p.now });
  return isLive;
}

/**
 * Deletes the next batch of a user's sessions with their events. The last batch also deletes the user's state and the leases
 * of crashed runs. Returns true if it was the last one. A batch is a transaction, so other writers do not wait for all batches.
 */
export function* removeUserSteps(dialect: Dialect, tables: TableNames, user: UserRef, now: number): Steps<boolean> {
  const key = [dialect.bindName(user.appName), dialect.bindName(user.userId)];
  const condition = 'app_name = ? AND user_id = ?';
  // In the order of an index, because an order by `row_id` alone could read the sessions of all users.
  const find = dialect.statement(`SELECT row_id FROM ${tables.sessions} WHERE ${condition}
    ORDER BY last_update_time, row_id LIMIT ${BATCH}${dialect.forUpdate}`);
  const { rows } = yield { sql: find, parameters: key };
  yield* removeRows(dialect, tables, rows);
  if (rows.length === BATCH) return false;
  yield { sql: dialect.statement(`DELETE FROM ${tables.userStates} WHERE ${condition}`), parameters: key };
  yield* removeExpiredLeases(dialect, tables, { condition, key, now });
  return true;
}

/** Deletes expired leases and places of waiting runs. */
function* removeExpiredLeases(
  dialect: Dialect,
  tables: TableNames,
  { condition, key, now }: { condition: string; key: readonly SqlValue[]; now: number },
): Steps<void> {
  for (const table of [tables.leases, tables.leaseWaiters]) {
    const sql = dialect.statement(`DELETE FROM ${table} WHERE ${condition} AND expires_at <= ?`);
    yield { sql, parameters: [...key, now] };
  }
}

/**
 * Deletes leases and places of waiting runs that expired a day ago, of all sessions. A lease that had not expired when its session was
 * deleted remains if its process died: no run requests it again.
 */
export function* removeOldLeases(dialect: Dialect, tables: TableNames, now: number): Steps<void> {
  yield* removeExpiredLeases(dialect, tables, { condition: '1 = 1', key: [], now: now - KEEP_EXPIRED_SECONDS });
}

/** Deletes a batch of expired sessions. Returns their count. */
export function* removeExpiredSteps(dialect: Dialect, tables: TableNames, now: number): Steps<number> {
  const find = dialect.statement(`SELECT row_id FROM ${tables.sessions} WHERE expires_at <= ?
    ORDER BY expires_at LIMIT ${BATCH}${dialect.forUpdate}`);
  const { rows } = yield { sql: find, parameters: [now] };
  yield* removeRows(dialect, tables, rows);
  return rows.length;
}

function* removeRows(dialect: Dialect, tables: TableNames, rows: readonly Row[]): Steps<void> {
  if (rows.length === 0) return;
  const ids = rows.map((row) => Number(row['row_id']));
  const list = ids.map(() => '?').join(', ');
  yield { sql: dialect.statement(`DELETE FROM ${tables.events} WHERE session_row IN (${list})`), parameters: ids };
  yield { sql: dialect.statement(`DELETE FROM ${tables.sessions} WHERE row_id IN (${list})`), parameters: ids };
}
