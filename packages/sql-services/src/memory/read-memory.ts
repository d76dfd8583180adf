import type { MemoryFilter, MemoryScope } from '@thole/core';
import type { Row, SqlValue, Steps } from '../client/sql-database.ts';
import type { MemoryLog } from './memory-log.ts';
import type { TableNames } from '../schema/table-names.ts';
import { toIdKey } from './memory-records.ts';
import { paddedChunksOf, placeholders } from './chunks.ts';

const IDS_AT_ONCE = 512;

/**
 * Changes after a number, in one statement and so of one moment. A row without `seq` tells of a log without changes. Parameters:
 * app and user, the number, app and user.
 */
export function changesSinceSql({ tables }: Pick<MemoryLog, 'tables'>, count: number): string {
  return `SELECT s.removals AS removals, s.v AS head_v, e.seq AS seq, e.entry_id AS entry_id, e.entry AS entry, e.v AS v
    FROM ${tables.memoryScopes} s LEFT JOIN (
      SELECT c.seq, c.entry_id, c.entry, c.v FROM ${tables.memoryEntries} c
      WHERE c.scope_row = ${rowOfScope(tables)} AND c.seq > ? ORDER BY c.seq LIMIT ${toInteger(count)}
    ) e ON 1 = 1 WHERE s.app_name = ? AND s.user_id = ? ORDER BY e.seq`;
}

// In a join PostgreSQL does not know that there is one row, and would sort all entries of the user to read a page in order.
function rowOfScope(tables: TableNames): string {
  return `(SELECT r.row_id FROM ${tables.memoryScopes} r WHERE r.app_name = ? AND r.user_id = ?)`;
}

// A condition on `kind` would have SQLite take the index over kinds, and read all entries of a user.
/** Entries by their ids. */
export function getMemoriesSql({ tables }: Pick<MemoryLog, 'tables'>, ids: number): string {
  return `SELECT e.id_key AS id_key, e.seq AS seq, e.entry AS entry, e.v AS v
    FROM ${tables.memoryScopes} s JOIN ${tables.memoryEntries} e ON e.scope_row = s.row_id
    WHERE s.app_name = ? AND s.user_id = ? AND e.id_key IN (${placeholders(ids)}) AND e.entry IS NOT NULL`;
}

/** Entries after a number that meet what the database knows of a filter. */
export function listMemoriesSql(
  log: MemoryLog,
  p: { scope: MemoryScope; after: number; count: number; filter: MemoryFilter },
): { sql: string; parameters: SqlValue[] } {
  const { kinds, from, to, validAt, sessionId } = p.filter;
  const ofKinds = validAt === undefined ? kinds : (kinds?.filter((kind) => kind === 'fact') ?? ['fact']);
  const { tables } = log;
  const conditions: [string, ...SqlValue[]][] = [];
  if (ofKinds)
    conditions.push([ofKinds.length > 0 ? `e.kind IN (${placeholders(ofKinds.length)})` : '1 = 0', ...ofKinds]);
  if (from !== undefined) conditions.push(['e.entry_time >= ?', from]);
  if (to !== undefined) conditions.push(['e.entry_time < ?', to]);
  if (sessionId !== undefined) conditions.push(['e.session_key = ?', toIdKey(sessionId)]);
  const more = conditions.map(([condition]) => ` AND ${condition}`).join('');
  const sql = `SELECT e.seq AS seq, e.entry AS entry, e.v AS v
    FROM ${tables.memoryEntries} e WHERE e.scope_row = ${rowOfScope(tables)} AND e.seq > ? AND e.entry IS NOT NULL${more} ORDER BY e.seq LIMIT ${toInteger(p.count)}`;
  const given = conditions.flatMap(([, ...values]) => values);
  return { sql: log.dialect.statement(sql), parameters: [...log.names(p.scope), p.after, ...given] };
}

/** The rows of these ids, in any order. */
export function* getMemorySteps(log: MemoryLog, scope: MemoryScope, idKeys: readonly string[]): Steps<Row[]> {
  const found: Row[] = [];
  for (const some of paddedChunksOf(idKeys, IDS_AT_ONCE)) {
    const { rows } = yield {
      sql: log.dialect.statement(getMemoriesSql(log, some.length)),
      parameters: [...log.names(scope), ...some],
    };
    found.push(...rows);
  }
  return found;
}

/** Users of an app who have a log, in the order of their rows. */
export function* listUserSteps(log: MemoryLog, appName: string, after: number, count: number): Steps<readonly Row[]> {
  const sql = `SELECT row_id, user_id FROM ${log.tables.memoryScopes} WHERE app_name = ? AND row_id > ? ORDER BY row_id LIMIT ${toInteger(count)}`;
  const { rows } = yield { sql: log.dialect.statement(sql), parameters: [log.dialect.bindName(appName), after] };
  return rows;
}

// Written into the statement: MySQL takes no number with a fraction there, and its driver binds every number as one.
function toInteger(count: number): string {
  return String(Math.max(0, Math.trunc(count)));
}
