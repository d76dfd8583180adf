import type { SqlValue, Steps } from '../client/sql-database.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { TableNames } from '../schema/table-names.ts';
import { removeSessionSteps } from './remove-sessions.ts';
import type { MarkValue } from './session-marks.ts';
import { appOwner, userOwner } from './state-owner.ts';
import type { StateWrite } from './state-writes.ts';

/** A session in the form of the database: names converted to parameters, its state as a patch of an empty document. */
export interface SessionRecord {
  readonly key: readonly SqlValue[];
  readonly incarnation: string;
  readonly initial: string;
  readonly session: string;
  readonly app: readonly StateWrite[] | undefined;
  readonly user: readonly StateWrite[] | undefined;
  readonly createTime: number;
  readonly lastUpdateTime: number;
  readonly lastSeq: number;
  readonly marks: readonly MarkValue[];
  /** Origin of a copy, as JSON. */
  readonly forkedFrom: string | null;
  readonly expiresAt: number | null;
  readonly now: number;
  /** Events of a session that is a copy. */
  readonly events: readonly { eventKey: string; seq: number; time: number; text: string }[];
}

/** Inserts a session, and replaces an expired one. Violates the unique key if another session has this key. */
export function* insertSessionSteps(dialect: Dialect, tables: TableNames, record: SessionRecord): Steps<void> {
  const { key, now, marks } = record;
  const findExpired = dialect.statement(`SELECT 1 AS found FROM ${tables.sessions}
    WHERE app_name = ? AND user_id = ? AND session_id = ? AND expires_at <= ?`);
  const { rows } = yield { sql: findExpired, parameters: [...key, now] };
  if (rows.length > 0) yield* removeSessionSteps(dialect, tables, { key, now });
  const insert = dialect.statement(`INSERT INTO ${tables.sessions} (app_name, user_id, session_id, incarnation,
    initial_state, state, create_time, last_update_time, last_seq, expires_at, forked_from, v${marks
      .map(({ column }) => `, ${column}`)
      .join('')})
    VALUES (?, ?, ?, ?, ${dialect.newDocument}, ${dialect.newDocument}, ?, ?, ?, ?, ?, 1${', ?'.repeat(marks.length)})`);
  const { incarnation, initial, session, createTime, lastUpdateTime, lastSeq, expiresAt, forkedFrom } = record;
  const values = [...key, incarnation, initial, session, createTime, lastUpdateTime, lastSeq, expiresAt, forkedFrom];
  yield { sql: insert, parameters: [...values, ...marks.map(({ value }) => value)] };
  if (record.events.length > 0) yield* insertEvents(dialect, tables, record);
  if (record.app !== undefined) yield* dialect.writeState(tables.appStates, appOwner(key), record.app);
  if (record.user !== undefined) yield* dialect.writeState(tables.userStates, userOwner(key), record.user);
}

function* insertEvents(dialect: Dialect, tables: TableNames, { key, events }: SessionRecord): Steps<void> {
  const find = `SELECT row_id FROM ${tables.sessions} WHERE app_name = ? AND user_id = ? AND session_id = ?`;
  const { rows } = yield { sql: dialect.statement(find), parameters: key };
  const sql = dialect.statement(`INSERT INTO ${tables.events} (session_row, seq, event_key, event_time, event, v)
    VALUES (?, ?, ?, ?, ?, 1)`);
  for (const { seq, eventKey, time, text } of events) {
    yield { sql, parameters: [Number(rows[0]!['row_id']), seq, eventKey, time, text] };
  }
}
