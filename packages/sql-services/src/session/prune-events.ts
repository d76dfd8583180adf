import type { SqlValue, Steps } from '../client/sql-database.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { TableNames } from '../schema/table-names.ts';

/** What is to be pruned: of everybody, of an app, of a user or of one session. At least one of the two limits. */
export interface PruneRequest {
  /** Seconds since the epoch: events from then on stay. */
  olderThan?: number | undefined;
  /** So many newest events of each session stay. */
  keepLast?: number | undefined;
  appName?: string | undefined;
  userId?: string | undefined;
  sessionId?: string | undefined;
}

/** How many events one transaction takes. */
const AT_ONCE = 1_000;
/** How many sessions are looked at in one statement. */
const PAGE = 200;

/** The sessions that a request is about, after that row: their rows' numbers. */
export function* findSessionsToPrune(
  dialect: Dialect,
  tables: TableNames,
  p: PruneRequest,
  afterRow: number,
): Steps<readonly number[]> {
  const given = [
    ['app_name', p.appName],
    ['user_id', p.userId],
    ['session_id', p.sessionId],
  ].filter((each): each is [string, string] => each[1] !== undefined);
  const which = given.map(([column]) => ` AND ${column} = ?`).join('');
  const sql = dialect.statement(`SELECT row_id FROM ${tables.sessions} WHERE row_id > ?${which}
    ORDER BY row_id LIMIT ${PAGE}`);
  const parameters: SqlValue[] = [afterRow, ...given.map(([, name]) => dialect.bindName(name))];
  const { rows } = yield { sql, parameters };
  return rows.map((row) => Number(row['row_id']));
}

/**
 * Takes a session's oldest events, some at a time; how many. It ends before the first that stays, so that what is left has
 * no hole, and counts on from where it was: the next `seq` stands in the session's own row.
 */
export function* pruneEventSteps(dialect: Dialect, tables: TableNames, row: number, p: PruneRequest): Steps<number> {
  const { olderThan, keepLast = 0 } = p;
  const ask = dialect.statement(`SELECT s.last_seq AS last_seq,
      (SELECT MIN(e.seq) FROM ${tables.events} e WHERE e.session_row = s.row_id) AS first_seq
    FROM ${tables.sessions} s WHERE s.row_id = ?`);
  const { rows } = yield { sql: ask, parameters: [row] };
  const [found] = rows;
  if (!found || found['first_seq'] === null) return 0;
  const firstSeq = Number(found['first_seq']);
  let upTo = Math.min(Number(found['last_seq']) - keepLast, firstSeq + AT_ONCE - 1);
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
