import type { MemoryFilter, MemoryScope } from '@thole/core';
import type { Row, SqlValue, Steps } from '../database/sql-database.ts';
import type { MemoryLog } from './memory-log.ts';
import { keyOf } from './memory-records.ts';
import { filledPortionsOf, marks } from './portions.ts';

const IDS_AT_ONCE = 512;

/** What happened after a number: one statement, so of one moment. A row without `seq` tells of a log where nothing did. */
export function sinceSql({ tables }: Pick<MemoryLog, 'tables'>, count: number): string {
  return `SELECT s.removals AS removals, s.v AS head_v, e.seq AS seq, e.entry_id AS entry_id, e.entry AS entry, e.v AS v
    FROM ${tables.memoryScopes} s LEFT JOIN ${tables.memoryEntries} e ON e.scope_row = s.row_id AND e.seq > ?
    WHERE s.app_name = ? AND s.user_id = ? ORDER BY e.seq LIMIT ${whole(count)}`;
}

/** Entries by their ids. */
export function getSql({ tables }: Pick<MemoryLog, 'tables'>, ids: number): string {
  return `SELECT e.id_key AS id_key, e.seq AS seq, e.entry AS entry, e.v AS v
    FROM ${tables.memoryScopes} s JOIN ${tables.memoryEntries} e ON e.scope_row = s.row_id
    WHERE s.app_name = ? AND s.user_id = ? AND e.id_key IN (${marks(ids)}) AND e.kind IS NOT NULL`;
}

/** Entries after a number that meet what the database knows of a filter. */
export function listSql(
  log: MemoryLog,
  p: { scope: MemoryScope; after: number; count: number; filter: MemoryFilter },
): { sql: string; parameters: SqlValue[] } {
  const { kinds, from, to, validAt, sessionId } = p.filter;
  const ofKinds = validAt === undefined ? kinds : (kinds?.filter((kind) => kind === 'fact') ?? ['fact']);
  const { tables } = log;
  const conditions: [string, ...SqlValue[]][] = [];
  if (ofKinds) conditions.push([ofKinds.length > 0 ? `e.kind IN (${marks(ofKinds.length)})` : '1 = 0', ...ofKinds]);
  if (from !== undefined) conditions.push(['e.entry_time >= ?', from]);
  if (to !== undefined) conditions.push(['e.entry_time < ?', to]);
  if (sessionId !== undefined) conditions.push(['e.session_key = ?', keyOf(sessionId)]);
  const more = conditions.map(([condition]) => ` AND ${condition}`).join('');
  const sql = `SELECT e.seq AS seq, e.entry AS entry, e.v AS v
    FROM ${tables.memoryScopes} s JOIN ${tables.memoryEntries} e ON e.scope_row = s.row_id
    WHERE s.app_name = ? AND s.user_id = ? AND e.seq > ? AND e.kind IS NOT NULL${more} ORDER BY e.seq LIMIT ${whole(p.count)}`;
  const given = conditions.flatMap(([, ...values]) => values);
  return { sql: log.dialect.statement(sql), parameters: [...log.names(p.scope), p.after, ...given] };
}

/** The rows of these ids, in any order. */
export function* getSteps(log: MemoryLog, scope: MemoryScope, idKeys: readonly string[]): Steps<Row[]> {
  const found: Row[] = [];
  for (const some of filledPortionsOf(idKeys, IDS_AT_ONCE)) {
    const { rows } = yield {
      sql: log.dialect.statement(getSql(log, some.length)),
      parameters: [...log.names(scope), ...some],
    };
    found.push(...rows);
  }
  return found;
}

/** Users of an app who have a log, in the order of their rows. */
export function* usersSteps(log: MemoryLog, appName: string, after: number, count: number): Steps<readonly Row[]> {
  const sql = `SELECT row_id, user_id FROM ${log.tables.memoryScopes} WHERE app_name = ? AND row_id > ? ORDER BY row_id LIMIT ${whole(count)}`;
  const { rows } = yield { sql: log.dialect.statement(sql), parameters: [log.dialect.bindName(appName), after] };
  return rows;
}

// Written into the statement: MySQL takes no number with a fraction there, and its driver binds every number as one.
function whole(count: number): string {
  return String(Math.max(0, Math.trunc(count)));
}
