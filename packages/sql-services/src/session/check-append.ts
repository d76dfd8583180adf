import type { Dialect } from '../dialects/dialect.ts';
import type { Row, Steps } from '../client/sql-database.ts';
import type { TableNames } from '../schema/table-names.ts';
import { columnText } from './row-values.ts';
import type { AppendOutcome, AppendRecord } from './append-record.ts';

/** How a session stands towards an append: is it there, is the event stored already, does the fence hold? */
export interface AppendCheck {
  (record: AppendRecord): Steps<{ readonly row: Row; readonly refusal: AppendOutcome | undefined } | undefined>;
}

/** Makes the question: one statement. */
export function checkAppendSteps(dialect: Dialect, tables: TableNames): AppendCheck {
  const held = `EXISTS (SELECT 1 FROM ${tables.leases} l WHERE l.app_name = s.app_name AND l.user_id = s.user_id
      AND l.session_id = s.session_id AND l.fence = ?)`;
  const sql = (fenced: boolean): string =>
    dialect.statement(`SELECT s.row_id, s.last_seq, s.incarnation, ${fenced ? `CASE WHEN ${held} THEN 1 ELSE 0 END` : '1'} AS held,
      e.seq, e.event, e.v
    FROM ${tables.sessions} s LEFT JOIN ${tables.events} e ON e.session_row = s.row_id AND e.event_key = ?
    WHERE s.app_name = ? AND s.user_id = ? AND s.session_id = ? AND (s.expires_at IS NULL OR s.expires_at > ?)`);
  const [plain, fenced] = [sql(false), sql(true)];
  return function* (record) {
    const { key, eventKey, fence, now } = record;
    const { rows } = yield fence === undefined
      ? { sql: plain, parameters: [eventKey, ...key, now] }
      : { sql: fenced, parameters: [fence, eventKey, ...key, now] };
    const [row] = rows;
    if (row && record.incarnation !== undefined && columnText(row['incarnation']) !== record.incarnation)
      return undefined;
    return row && { row, refusal: refusalOf(row) };
  };
}

// First what is stored: a run that asks again after a time-out must hear so, whatever became of its lease.
function refusalOf(row: Row): AppendOutcome | undefined {
  if (row['seq'] !== null) {
    return { kind: 'duplicate', seq: Number(row['seq']), text: columnText(row['event']), v: Number(row['v']) };
  }
  return Number(row['held']) === 1 ? undefined : { kind: 'lost' };
}

/** What a look says of an append that stored nothing. */
export function* explainAppendSteps(look: AppendCheck, record: AppendRecord): Steps<AppendOutcome> {
  const found = yield* look(record);
  return found ? (found.refusal ?? { kind: 'unsettled' }) : { kind: 'missing' };
}
