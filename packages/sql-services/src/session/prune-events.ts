import type { SqlValue, Steps } from '../client/sql-database.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { TableNames } from '../schema/table-names.ts';

/** Selects the events to delete: of all sessions, or of an app, a user or a session. At least one limit is required. */
export interface PruneRequest {
  /** Seconds since the epoch. Events at or after this time are kept. */
  olderThan?: number | undefined;
  /** Number of newest events of each session to keep. */
  keepLast?: number | undefined;
  appName?: string | undefined;
  userId?: string | undefined;
  sessionId?: string | undefined;
}

/** Maximum number of events that one transaction deletes. */
const MAX_EVENTS = 1_000;
/** Number of sessions that one statement selects. */
const PAGE = 200;

/** Returns the rows of the sessions that the request selects, after the row `afterRow`. */
export function* findSessionsToPrune(
  dialect: Dialect,
  tables: TableNames,
  p: PruneRequest,
  afterRow: number,
): Steps<readonly number[]> {
  const filters = [
    ['app_name', p.appName],
    ['user_id', p.userId],
    ['session_id', p.sessionId],
  ].filter((each): each is [string, string] => each[1] !== undefined);
  const conditions = filters.map(([column]) => ` AND ${column} = ?`).join('');
  const sql = dialect.statement(`SELECT row_id FROM ${tables.sessions} WHERE row_id > ?${conditions}
    ORDER BY row_id LIMIT ${PAGE}`);
  const parameters: SqlValue[] = [afterRow, ...filters.map(([, name]) => dialect.bindName(name))];
  const { rows } = yield { sql, parameters };
  return rows.map((row) => Number(row['row_id']));
}

/**
 * Deletes a batch of a session's oldest events, up to the first event to keep. Returns their count. The next `seq` does not
 * change: the session's row contains it.
 */
export function* pruneEventSteps(dialect: Dialect, tables: TableNames, row: number, p: PruneRequest): Steps<number> {
  const { olderThan, keepLast = 0 } = p;
  const find = dialect.statement(`SELECT s.last_seq AS last_seq,
      (SELECT MIN(e.seq) FROM ${tables.events} e WHERE e.session_row = s.row_id) AS first_seq
    FROM ${tables.sessions} s WHERE s.row_id = ?`);
  const { rows } = yield { sql: find, parameters: [row] };
  const [found] = rows;
  if (!found || found['first_seq'] === null) return 0;
  const firstSeq = Number(found['first_seq']);
  let upTo = Math.min(Number(found['last_seq']) - keepLast, firstSeq + MAX_EVENTS - 1);
  if (olderThan !== undefined) {
    const kept = dialect.statement(`SELECT MIN(seq) AS first_kept FROM ${tables.events}
      WHERE session_row = ? AND seq <= ? AND event_time >= ?`);
    const firstKept = (yield { sql: kept, parameters: [row, upTo, olderThan] }).rows[0]!['first_kept'];
    if (firstKept !== null) upTo = Number(firstKept) - 1;
  }
  if (upTo < firstSeq) return 0;
  const remove = dialect.statement(`DELETE FROM ${tables.events} WHERE session_row = ? AND seq <= ?`);
  return (yield { sql: remove, parameters: [row, upTo] }).changes;
}
