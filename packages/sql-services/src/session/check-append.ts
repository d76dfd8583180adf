import type { Row, Steps } from '../client/sql-database.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { TableNames } from '../schema/table-names.ts';
import { SqlTextCache } from './append-record.ts';
import type { AppendOutcome, AppendRecord, LeaseCondition } from './append-record.ts';
import { columnText } from './row-values.ts';

/** Reads the session of an append, and the reason if the event cannot be stored. Undefined if there is no such session. */
export interface AppendCheck {
  (record: AppendRecord): Steps<{ readonly row: Row; readonly refusal: AppendOutcome | undefined } | undefined>;
}

/** Returns the check of an append: one statement. */
export function checkAppendSteps(dialect: Dialect, tables: TableNames): AppendCheck {
  const texts = new SqlTextCache(({ lease }) => {
    const meetsCondition = `EXISTS (SELECT 1 FROM ${tables.leases} l WHERE l.app_name = s.app_name AND l.user_id = s.user_id
      AND l.session_id = s.session_id AND ${lease?.sql})`;
    return dialect.statement(`SELECT s.row_id, s.last_seq, s.incarnation,
      ${lease === undefined ? '1' : `CASE WHEN ${meetsCondition} THEN 1 ELSE 0 END`} AS held, e.seq, e.event, e.v
    FROM ${tables.sessions} s LEFT JOIN ${tables.events} e ON e.session_row = s.row_id AND e.event_key = ?
    WHERE s.app_name = ? AND s.user_id = ? AND s.session_id = ? AND (s.expires_at IS NULL OR s.expires_at > ?)`);
  });
  return function* (record) {
    const { key, incarnation, eventKey, lease, now } = record;
    const parameters = [...(lease?.parameters ?? []), eventKey, ...key, now];
    const [row] = (yield { sql: texts.get(record), parameters }).rows;
    if (!row || (incarnation !== undefined && columnText(row['incarnation']) !== incarnation)) return undefined;
    return { row, refusal: refusalOf(row, lease) };
  };
}

/** Returns why an append stored nothing. */
export function* explainAppendSteps(check: AppendCheck, record: AppendRecord): Steps<AppendOutcome> {
  const found = yield* check(record);
  return found ? (found.refusal ?? { kind: 'retry' }) : { kind: 'missing' };
}

// A stored event takes precedence: a run that repeats an append after a time-out must receive it even if its lease is lost.
function refusalOf(row: Row, lease: LeaseCondition | undefined): AppendOutcome | undefined {
  if (row['seq'] !== null) {
    return { kind: 'duplicate', seq: Number(row['seq']), text: columnText(row['event']), v: Number(row['v']) };
  }
  return lease && Number(row['held']) !== 1 ? { kind: lease.refusal } : undefined;
}
