import type { MemoryFilter, MemoryScope } from '@thole/core';
import type { Row, SqlValue, Steps } from '../client/sql-database.ts';
import type { MemoryLog } from './memory-log.ts';
import type { TableNames } from '../schema/table-names.ts';
import { toIdKey } from './memory-records.ts';
import { paddedChunksOf, placeholders } from '../client/chunks.ts';

/** Maximum number of ids in one statement. */
const MAX_IDS = 512;

/**
 * Returns the query for the last change up to a `seq`, without its entry, and the changes after it: one statement, so that all
 * rows are of one state of the log. A row without `seq` means that there are none. For the parameters, see `bindChangesSince`.
 */
export function changesSinceSql({ tables }: Pick<MemoryLog, 'tables'>, count: number): string {
  return `SELECT s.removals AS removals, s.v AS head_v, e.seq AS seq, e.entry_id AS entry_id, e.entry AS entry, e.v AS v,
      e.write_id AS write_id
    FROM ${tables.memoryScopes} s LEFT JOIN (
      SELECT c.seq, c.entry_id, CASE WHEN c.seq > ? THEN c.entry END AS entry, c.v, c.write_id
      FROM ${tables.memoryEntries} c
      WHERE c.scope_row = ${rowOfScope(tables)} AND c.seq >= COALESCE((
        SELECT MAX(p.seq) FROM ${tables.memoryEntries} p WHERE p.scope_row = ${rowOfScope(tables)} AND p.seq <= ?
      ), 0) ORDER BY c.seq LIMIT ${toInteger(count + 1)}
    ) e ON 1 = 1 WHERE s.app_name = ? AND s.user_id = ? ORDER BY e.seq`;
}

/** Returns the parameters of `changesSinceSql`. */
export function bindChangesSince(names: readonly SqlValue[], seq: number): SqlValue[] {
  return [seq, ...names, ...names, seq, ...names];
}

// With a join, PostgreSQL sorts all entries of the user for each page, because it does not know that the join has one row.
function rowOfScope(tables: TableNames): string {
  return `(SELECT r.row_id FROM ${tables.memoryScopes} r WHERE r.app_name = ? AND r.user_id = ?)`;
}

/** Returns the query for entries by their ids. `entry IS NOT NULL` excludes tombstones: with `kind`, SQLite uses another index. */
export function getMemoriesSql({ tables }: Pick<MemoryLog, 'tables'>, ids: number): string {
  return `SELECT e.id_key AS id_key, e.seq AS seq, e.entry AS entry, e.v AS v
    FROM ${tables.memoryScopes} s JOIN ${tables.memoryEntries} e ON e.scope_row = s.row_id
    WHERE s.app_name = ? AND s.user_id = ? AND e.id_key IN (${placeholders(ids)}) AND e.entry IS NOT NULL`;
}

/** Returns the query for entries after a `seq`, with the parts of the filter that have columns. */
export function listMemoriesSql(
  log: MemoryLog,
  p: { scope: MemoryScope; after: number; count: number; filter: MemoryFilter },
): { sql: string; parameters: SqlValue[] } {
  const { kinds, from, to, validAt, sessionId } = p.filter;
  const allowedKinds = validAt === undefined ? kinds : (kinds?.filter((kind) => kind === 'fact') ?? ['fact']);
  const { tables } = log;
  const conditions: [string, ...SqlValue[]][] = [];
  if (allowedKinds)
    conditions.push([
      allowedKinds.length > 0 ? `e.kind IN (${placeholders(allowedKinds.length)})` : '1 = 0',
      ...allowedKinds,
    ]);
  if (from !== undefined) conditions.push(['e.entry_time >= ?', from]);
  if (to !== undefined) conditions.push(['e.entry_time < ?', to]);
  if (sessionId !== undefined) conditions.push(['e.session_key = ?', toIdKey(sessionId)]);
  const filterSql = conditions.map(([condition]) => ` AND ${condition}`).join('');
  const sql = `SELECT e.seq AS seq, e.entry AS entry, e.v AS v
    FROM ${tables.memoryEntries} e WHERE e.scope_row = ${rowOfScope(tables)} AND e.seq > ? AND e.entry IS NOT NULL${filterSql} ORDER BY e.seq LIMIT ${toInteger(p.count)}`;
  const values = conditions.flatMap(([, ...parameters]) => parameters);
  return { sql: log.dialect.statement(sql), parameters: [...log.bindNames(p.scope), p.after, ...values] };
}

/** Returns the rows with these ids, in any order. */
export function* getMemorySteps(log: MemoryLog, scope: MemoryScope, idKeys: readonly string[]): Steps<Row[]> {
  const found: Row[] = [];
  for (const chunk of paddedChunksOf(idKeys, MAX_IDS)) {
    const { rows } = yield {
      sql: log.dialect.statement(getMemoriesSql(log, chunk.length)),
      parameters: [...log.bindNames(scope), ...chunk],
    };
    found.push(...rows);
  }
  return found;
}

/** Returns the users of an app who have a log, in the order of their rows. */
export function* listUserSteps(log: MemoryLog, appName: string, after: number, count: number): Steps<readonly Row[]> {
  const sql = `SELECT row_id, user_id FROM ${log.tables.memoryScopes} WHERE app_name = ? AND row_id > ? ORDER BY row_id LIMIT ${toInteger(count)}`;
  const { rows } = yield { sql: log.dialect.statement(sql), parameters: [log.dialect.bindName(appName), after] };
  return rows;
}

// MySQL accepts only integers after LIMIT, and its driver binds every number as a floating-point number.
function toInteger(count: number): string {
  return String(Math.max(0, Math.trunc(count)));
}
