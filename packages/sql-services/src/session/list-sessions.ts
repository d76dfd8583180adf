import type { ListSessionsRequest, SessionPage, TextCodec } from '@thole/core';
import type { Row, SqlValue, Steps } from '../client/sql-database.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { TableNames } from '../schema/table-names.ts';
import { fromSummaryRow, notExpired, summaryColumns } from './read-session.ts';
import type { CountedState } from './read-session.ts';
import { columnText } from './row-values.ts';
import { fromStateRows } from './state-writes.ts';

/** Maximum number of users whose state one statement reads. */
const MAX_USERS = 200;

/** Rows of a page: the sessions, and the state of their app and users. */
export interface ListedRows {
  readonly total: number;
  readonly sessions: readonly Row[];
  readonly app: readonly Row[];
  readonly users: readonly Row[];
}

/** Reads one page of an app's or a user's sessions, and their total count. */
export function* listSessionSteps(
  dialect: Dialect,
  tables: TableNames,
  request: ListSessionsRequest,
  now: number,
): Steps<ListedRows> {
  const { appName, userId, limit = Number.MAX_SAFE_INTEGER, offset = 0, order = 'asc' } = request;
  const app = dialect.bindName(appName);
  const names: SqlValue[] = userId === undefined ? [app] : [app, dialect.bindName(userId)];
  const condition = `s.app_name = ?${userId === undefined ? '' : ' AND s.user_id = ?'} AND ${notExpired}`;
  const select = function* (sql: string, parameters: readonly SqlValue[]): Steps<readonly Row[]> {
    return (yield { sql: dialect.statement(sql), parameters }).rows;
  };
  const counts = yield* select(`SELECT COUNT(*) AS total FROM ${tables.sessions} s WHERE ${condition}`, [
    ...names,
    now,
  ]);
  const total = Number(counts[0]!['total']);
  if (total <= offset || limit === 0) return { total, sessions: [], app: [], users: [] };
  const direction = order === 'desc' ? 'DESC' : 'ASC';
  const sessions = yield* select(
    `SELECT s.user_id AS user_id, s.session_id AS session_id, ${summaryColumns} FROM ${tables.sessions} s WHERE ${condition}
      ORDER BY s.last_update_time ${direction}, s.session_id ${direction}, s.user_id ${direction} LIMIT ? OFFSET ?`,
    [...names, now, limit, offset],
  );
  const selectState = 'SELECT state_key, value, version';
  const appRows = yield* select(`${selectState} FROM ${tables.appStates} WHERE app_name = ?`, [app]);
  const userIds = [...new Set(sessions.map((row) => columnText(row['user_id'])))];
  const userRows: Row[] = [];
  for (let start = 0; start < userIds.length; start += MAX_USERS) {
    const batch = userIds.slice(start, start + MAX_USERS).map(dialect.bindName);
    const list = batch.map(() => '?').join(', ');
    const sql = `${selectState}, user_id FROM ${tables.userStates} WHERE app_name = ? AND user_id IN (${list})`;
    userRows.push(...(yield* select(sql, [app, ...batch])));
  }
  return { total, sessions, app: appRows, users: userRows };
}

/** Returns the page of these rows. */
export async function fromListedRows(
  codec: TextCodec | undefined,
  appName: string,
  rows: ListedRows,
): Promise<SessionPage> {
  const app = await fromStateRows(codec, rows.app);
  const users = new Map<string, CountedState>();
  for (const [userId, userRows] of Map.groupBy(rows.users, (row) => columnText(row['user_id']))) {
    users.set(userId, await fromStateRows(codec, userRows));
  }
  const sessions: SessionPage['sessions'][number][] = [];
  for (const row of rows.sessions) {
    const key = { appName, userId: columnText(row['user_id']), sessionId: columnText(row['session_id']) };
    const user = users.get(key.userId) ?? { state: {}, version: 0 };
    sessions.push(await fromSummaryRow(codec, key, row, { app, user }));
  }
  return { sessions, total: rows.total };
}
