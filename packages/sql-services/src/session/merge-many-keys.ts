import type { SqlValue, Steps } from '../client/sql-database.ts';
import type { AppendRecord } from './append-record.ts';
import { mergeDocument } from './state-document.ts';

/** Maximum number of keys that the database merges. */
const MAX_KEYS = 100;

/**
 * True if this process merges the patch. A merge by SQLite or MariaDB takes time in proportion to the number of written keys times
 * the number of stored keys.
 */
export function hasManyKeys({ session, sessionKeys }: AppendRecord): boolean {
  return session !== undefined && sessionKeys > MAX_KEYS;
}

/** Merges the patch into the state of one session. The row must be locked. `where` is the part of the SQL after the table's name. */
export function* mergeManyKeys(
  p: { table: string; where: string; forUpdate: string; parameters: readonly SqlValue[] },
  { session }: AppendRecord,
): Steps<void> {
  const { rows } = yield { sql: `SELECT state FROM ${p.table} ${p.where}${p.forUpdate}`, parameters: p.parameters };
  const state = mergeDocument(rows[0]!['state'], session!);
  yield { sql: `UPDATE ${p.table} SET state = ? ${p.where}`, parameters: [state, ...p.parameters] };
}
