import type { UserRef } from '@thole/core';
import type { Row, SqlValue, Steps } from '../client/sql-database.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { TableNames } from '../schema/table-names.ts';

/** How many rows a statement names. */
const AT_ONCE = 200;

/**
 * Deletes one session with its events. Returns whether it had not expired; undefined if nothing was deleted, because it does not
 * exist or (with `ifLastSeq`) ends elsewhere.
 */
export function* removeSessionSteps(
  dialect: Dialect,
  tables: TableNames,
  p: { key: readonly SqlValue[]; now: number; ifLastSeq?: number | undefined },
): Steps<boolean | undefined> {
  const find = dialect.statement(`SELECT row_id, last_seq, expires_at FROM ${tables.sessions}
    WHERE app_name = ? AND user_id = ? AND session_id = ?${dialect.forUpdate}`);
  const { rows } = yield { sql: find, parameters: p.key };
  const [row] = rows;
  if (!row) return undefined;
  const isLive = row['expires_at'] === null || Number(row['expires_at']) > p.now;
  if (isLive && p.ifLastSeq !== undefined && Number(row['last_seq']) !== p.ifLastSeq) return undefined;
  yield* removeRows(dialect, tables, [row]);
  yield* removeExpiredLeases(dialect, tables, { which: 'app_name = ? AND user_id = ? AND session_id = ?', ...p });
  return isLive;
}

/** Takes all sessions of a user with their events, the user's state, and what is left of crashed runs. */
export function* removeUserSteps(dialect: Dialect, tables: TableNames, user: UserRef, now: number): Steps<void> {
  const key = [dialect.bindName(user.appName), dialect.bindName(user.userId)];
  const which = 'app_name = ? AND user_id = ?';
  const find = dialect.statement(
    `SELECT row_id FROM ${tables.sessions} WHERE ${which} ORDER BY row_id${dialect.forUpdate}`,
  );
  const { rows } = yield { sql: find, parameters: key };
  yield* removeRows(dialect, tables, rows);
  yield { sql: dialect.statement(`DELETE FROM ${tables.userStates} WHERE ${which}`), parameters: key };
  yield* removeExpiredLeases(dialect, tables, { which, key, now });
}

/** Takes leases and places in line that have run out: their processes have died. */
function* removeExpiredLeases(
  dialect: Dialect,
  tables: TableNames,
  { which, key, now }: { which: string; key: readonly SqlValue[]; now: number },
): Steps<void> {
  for (const table of [tables.leases, tables.leaseWaiters]) {
    const sql = dialect.statement(`DELETE FROM ${table} WHERE ${which} AND expires_at <= ?`);
    yield { sql, parameters: [...key, now] };
  }
}

/** Takes sessions that have run out, some at a time; how many. */
export function* removeExpiredSteps(dialect: Dialect, tables: TableNames, now: number): Steps<number> {
  const find = dialect.statement(`SELECT row_id FROM ${tables.sessions} WHERE expires_at <= ?
    ORDER BY expires_at LIMIT ${AT_ONCE}${dialect.forUpdate}`);
  const { rows } = yield { sql: find, parameters: [now] };
  yield* removeRows(dialect, tables, rows);
  return rows.length;
}

function* removeRows(dialect: Dialect, tables: TableNames, rows: readonly Row[]): Steps<void> {
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    const ids = rows.slice(from, from + AT_ONCE).map((row) => Number(row['row_id']));
    const list = ids.map(() => '?').join(', ');
    yield { sql: dialect.statement(`DELETE FROM ${tables.events} WHERE session_row IN (${list})`), parameters: ids };
    yield { sql: dialect.statement(`DELETE FROM ${tables.sessions} WHERE row_id IN (${list})`), parameters: ids };
  }
}
