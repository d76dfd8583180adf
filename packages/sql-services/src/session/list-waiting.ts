import { TholeError } from '@thole/core';
import { formatWaitingCursor, parseWaitingCursor, WAITING_PAGE } from '@thole/core/kit';
import type { WaitingPage, WaitingRequest, WaitingSession } from '@thole/core';
import type { Row, SqlValue, Statement, Steps } from '../client/sql-database.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { TableNames } from '../schema/table-names.ts';
import { waitingIndexes } from '../schema/tables.ts';
import { columnText } from './row-values.ts';
import { fromMarkColumns, selectMarks } from './session-marks.ts';

/** Reads one page of an app's or a user's waiting sessions. `now` is the time of the database. */
export function* listWaitingSteps(
  dialect: Dialect,
  tables: TableNames,
  request: WaitingRequest,
  now: number,
): Steps<WaitingPage> {
  const { appName, kind, limit = WAITING_PAGE } = request;
  const { rows } = yield listWaitingStatement(dialect, tables, request, now);
  const page = rows.slice(0, limit);
  const sessions = page.map((row) => toWaitingSession(appName, row));
  const last = page.at(-1);
  if (!last || rows.length === page.length) return { sessions };
  const time = Number(last[kind === 'due' ? 'wake_at' : 'last_update_time']);
  return { sessions, next: formatWaitingCursor({ time, id: String(Number(last['row_id'])) }) };
}

/**
 * Returns the query for a page and one more session. A session with a mark does not expire, so its expiry time is not
 * checked. The order of the kinds `unfinished` and `interrupts` is an expression: otherwise a database could read all
 * sessions of the app in the order of another index.
 */
export function listWaitingStatement(
  dialect: Dialect,
  tables: TableNames,
  { appName, userId, kind, before, limit = WAITING_PAGE, after }: WaitingRequest,
  now: number,
): Statement {
  const cursor = after === undefined ? undefined : readCursor(after);
  const latest = before ?? (kind === 'due' ? now : undefined);
  const time = kind === 'due' ? 's.wake_at' : '(s.last_update_time + 0)';
  const conditions: string[] = ['s.app_name = ?'];
  const parameters: SqlValue[] = [dialect.bindName(appName)];
  const addCondition = (condition: string, ...values: SqlValue[]): void => {
    conditions.push(condition);
    parameters.push(...values);
  };
  if (userId !== undefined) addCondition('s.user_id = ?', dialect.bindName(userId));
  addCondition(`s.${waitingIndexes[kind].where}`);
  if (latest !== undefined) addCondition(`${time} <= ?`, latest);
  if (cursor) addCondition(`${time} >= ?`, cursor.time);
  if (cursor) addCondition(`(${time} > ? OR s.row_id > ?)`, cursor.time, cursor.row);
  const index = `${tables.sessions.split('.').at(-1)!.slice(0, -'sessions'.length)}${waitingIndexes[kind].name}`;
  const sql = `SELECT s.row_id AS row_id, s.user_id AS user_id, s.session_id AS session_id, s.incarnation AS incarnation,
      s.last_seq AS last_seq, s.last_update_time AS last_update_time, ${selectMarks}
    FROM ${tables.sessions} s${dialect.useIndex(index)} WHERE ${conditions.join(' AND ')}
    ORDER BY ${time}, s.row_id LIMIT ?`;
  return { sql: dialect.statement(sql), parameters: [...parameters, limit + 1] };
}

// The id of a cursor is the row of the session.
function readCursor(text: string): { time: number; row: number } {
  const { time, id } = parseWaitingCursor(text);
  const row = Number(id);
  if (!/^\d{1,15}$/.test(id)) throw new TholeError('INVALID_INPUT', 'after must be the `next` of the previous page.');
  return { time, row };
}

function toWaitingSession(appName: string, row: Row): WaitingSession {
  return {
    key: { appName, userId: columnText(row['user_id']), sessionId: columnText(row['session_id']) },
    incarnation: columnText(row['incarnation']),
    lastSeq: Number(row['last_seq']),
    lastUpdateTime: Number(row['last_update_time']),
    marks: fromMarkColumns(row),
  };
}
