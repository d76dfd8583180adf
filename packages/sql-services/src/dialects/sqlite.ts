import type { Steps } from '../client/sql-database.ts';
import type { FailureKind } from '../client/sql-failure.ts';
import type { TableNames } from '../schema/table-names.ts';
import { SqlTextCache } from '../session/append-record.ts';
import type { AppendOutcome, AppendRecord } from '../session/append-record.ts';
import { checkAppendSteps, explainAppendSteps } from '../session/check-append.ts';
import { expirySql } from '../session/session-marks.ts';
import { hasManyKeys, mergeManyKeys } from '../session/merge-many-keys.ts';
import { appOwner, userOwner } from '../session/state-owner.ts';
import type { AppendSteps, Dialect } from './dialect.ts';

/** SQLite. Compares text byte by byte and merges documents with `json_patch`. */
export const sqlite: Dialect = {
  name: 'sqlite',
  types: {
    rowId: 'integer primary key autoincrement',
    integer: 'integer',
    time: 'real',
    name: 'text',
    shortName: 'text',
    text: 'text',
    document: 'text',
    bytes: 'blob',
    tableEnd: '',
  },
  quote: (name) => `"${name}"`,
  indexesInTable: false,
  hasPartialIndexes: true,
  useIndex: (name) => ` INDEXED BY ${name}`,
  begin: 'BEGIN IMMEDIATE',
  beginSnapshot: 'BEGIN',
  checkpoint: 'PRAGMA wal_checkpoint(PASSIVE)',
  forUpdate: '',
  clockSql: undefined,
  // The time of `json_patch` grows with the square of the number of new keys.
  newDocument: '?',
  patchDocument: (column) => `json_patch(${column}, ?)`,
  bindName: (value) => value,
  statement: (sql) => sql,
  *writeState(table, { columns, names }, writes) {
    const owner = columns.join(', ');
    const sql = `INSERT INTO ${table} AS stored (${owner}, key_hash, state_key, value, version)
      SELECT ${names.map(() => '?').join(', ')}, value ->> 0, value ->> 1, value ->> 2, 1 FROM json_each(?) WHERE true
      ON CONFLICT (${owner}, key_hash) DO UPDATE SET value = excluded.value, version = stored.version + 1`;
    yield { sql, parameters: [...names, JSON.stringify(writes)] };
  },
  append,
  // BEGIN IMMEDIATE locks the file.
  migrationLock: () => ({ acquire: undefined, release: undefined }),
  classifyError,
};

/** Uses several simple statements: a statement of SQLite costs no round trip. */
function append(tables: TableNames): AppendSteps {
  const check = checkAppendSteps(sqlite, tables);
  const texts = new SqlTextCache((record) => updateSql(tables, record));
  const insert = `INSERT INTO ${tables.events} (session_row, seq, event_key, event_time, event, v)
    VALUES (?, ?, ?, ?, ?, 1)`;
  function* steps(record: AppendRecord): Steps<AppendOutcome> {
    const found = yield* check(record);
    if (!found) return { kind: 'missing' };
    if (found.refusal) return found.refusal;
    const rowId = Number(found.row['row_id']);
    const seq = Number(found.row['last_seq']) + 1;
    const { key, eventKey, time, text, session, app, user, expiresAt, marks } = record;
    yield { sql: insert, parameters: [rowId, seq, eventKey, time, text] };
    const isMerged = hasManyKeys(record);
    if (isMerged)
      yield* mergeManyKeys(
        { table: tables.sessions, where: 'WHERE row_id = ?', forUpdate: '', parameters: [rowId] },
        record,
      );
    const patch = session === undefined ? [] : [isMerged ? '{}' : session];
    const parameters = [seq, time, expiresAt, ...patch, ...marks.map(({ value }) => value), rowId];
    yield { sql: texts.get(record), parameters };
    if (app !== undefined) yield* sqlite.writeState(tables.appStates, appOwner(key), app);
    if (user !== undefined) yield* sqlite.writeState(tables.userStates, userOwner(key), user);
    return { kind: 'stored', seq };
  }
  return { inTransaction: true, steps, explain: (record) => explainAppendSteps(check, record) };
}

function updateSql({ sessions }: TableNames, { session, marks }: AppendRecord): string {
  const expiry = expirySql(marks, { alias: '', parameter: '?' });
  return `UPDATE ${sessions} SET last_seq = ?, last_update_time = MAX(last_update_time, ?), expires_at = ${expiry}${
    session === undefined ? '' : `, state = ${sqlite.patchDocument('state')}`
  }${marks.map(({ column }) => `, ${column} = ?`).join('')} WHERE row_id = ?`;
}

function classifyError(error: unknown): FailureKind {
  const { errcode, code, message } = error as { errcode?: unknown; code?: unknown; message?: unknown };
  // better-sqlite3 and other drivers behind a Kysely instance use names instead of numbers.
  if (typeof errcode !== 'number') return classifyErrorName(String(code));
  if (errcode === 1555 || errcode === 2067) return 'duplicate';
  const primary = errcode & 0xff;
  if (primary === 5 || primary === 6) return 'conflict';
  if (primary === 18) return 'too-large';
  return primary === 1 && String(message).startsWith('no such table') ? 'no-table' : 'refused';
}

function classifyErrorName(code: string): FailureKind {
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return 'conflict';
  if (/^SQLITE_CONSTRAINT_(PRIMARYKEY|UNIQUE)/.test(code)) return 'duplicate';
  if (code === 'SQLITE_TOOBIG') return 'too-large';
  return 'refused';
}
