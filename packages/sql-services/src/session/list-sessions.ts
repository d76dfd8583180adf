import type { ListSessionsRequest, SessionPage, TextCodec } from '@thole/core';
import type { Row, SqlValue, Steps } from '../client/sql-database.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { TableNames } from '../schema/table-names.ts';
import { headColumns, isLive, fromSummaryRow } from './read-session.ts';
import type { CountedState } from './read-session.ts';
import { columnText } from './row-values.ts';
import { fromStateRows } from './state-writes.ts';

/** How many users' state one statement reads. */
const USERS_AT_ONCE = 200;

/** Rows of a page: sessions, and the state of their app and users. */
export interface ListedRows {
  readonly total: number;
  readonly sessions: readonly Row[];
  readonly app: readonly Row[];
  readonly users: readonly Row[];
}

/** One page of an app's or a user's sessions, and how many there are. */
export function* listSessionSteps(
  dialect: Dialect,
  tables: TableNames,
  query: ListSessionsRequest,
  now: number,
): Steps<ListedRows> {
  const { appName, userId, limit = Number.MAX_SAFE_INTEGER, offset = 0, order = 'asc' } = query;
  const app = dialect.bindName(appName);
  const names: SqlValue[] = userId === undefined ? [app] : [app, dialect.bindName(userId)];
  const which = `s.app_name = ?${userId === undefined ? '' : ' AND s.user_id = ?'} AND ${isLive}`;
  const step = function* (sql: string, parameters: readonly SqlValue[]): Steps<readonly Row[]> {
    return (yield { sql: dialect.statement(sql), parameters }).rows;
  };
  const counted = yield* step(`SELECT COUNT(*) AS total FROM ${tables.sessions} s WHERE ${which}`, [...names, now]);
  const total = Number(counted[0]!['total']);
  if (total <= offset || limit === 0) return { total, sessions: [], app: [], users: [] };
  const way = order === 'desc' ? 'DESC' : 'ASC';
  const sessions = yield* step(
    `SELECT s.user_id AS user_id, s.session_id AS session_id, ${headColumns} FROM ${tables.sessions} s WHERE ${which}
      ORDER BY s.last_update_time ${way}, s.session_id ${way}, s.user_id ${way} LIMIT ? OFFSET ?`,
    [...names, now, limit, offset],
  );
  const state = 'SELECT state_key, value, version';
  const ofApp = yield* step(`${state} FROM ${tables.appStates} WHERE app_name = ?`, [app]);
  const userIds = [...new Set(sessions.map((row) => columnText(row['user_id'])))];
  const ofUsers: Row[] = [];
  for (let from = 0; from < userIds.length; from += USERS_AT_ONCE) {
    const some = userIds.slice(from, from + USERS_AT_ONCE).map(dialect.bindName);
    const list = some.map(() => '?').join(', ');
    const sql = `${state}, user_id FROM ${tables.userStates} WHERE app_name = ? AND user_id IN (${list})`;
    ofUsers.push(...(yield* step(sql, [app, ...some])));
  }
  return { total, sessions, app: ofApp, users: ofUsers };
}

/** The page that these rows tell of. */
export async function fromListedRows(
  codec: TextCodec | undefined,
  appName: string,
  rows: ListedRows,
): Promise<SessionPage> {
  const app = await fromStateRows(codec, rows.app);
  const users = new Map<string, CountedState>();
  for (const [userId, ofUser] of Map.groupBy(rows.users, (row) => columnText(row['user_id']))) {
    users.set(userId, await fromStateRows(codec, ofUser));
  }
  const sessions: SessionPage['sessions'][number][] = [];
  for (const row of rows.sessions) {
    const key = { appName, userId: columnText(row['user_id']), sessionId: columnText(row['session_id']) };
    const user = users.get(key.userId) ?? { state: {}, version: 0 };
    sessions.push(await fromSummaryRow(codec, key, row, { app, user }));
  }
  return { sessions, total: rows.total };
}
