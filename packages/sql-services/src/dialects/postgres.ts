import type { SqlValue, Steps } from '../client/sql-database.ts';
import type { FailureKind } from '../client/sql-failure.ts';
import type { TableNames } from '../schema/table-names.ts';
import { SqlTextCache } from '../session/append-record.ts';
import type { AppendOutcome, AppendRecord } from '../session/append-record.ts';
import { checkAppendSteps, explainAppendSteps } from '../session/check-append.ts';
import { expirySql } from '../session/session-marks.ts';
import type { AppendSteps, Dialect } from './dialect.ts';

/** PostgreSQL. Names use the collation that compares bytes, documents are `jsonb`. */
export const postgres: Dialect = {
  name: 'postgres',
  types: {
    rowId: 'bigint generated always as identity primary key',
    integer: 'bigint',
    time: 'double precision',
    name: 'text collate "C"',
    shortName: 'text collate "C"',
    text: 'text',
    document: 'jsonb',
    bytes: 'bytea',
    tableEnd: '',
  },
  quote: (name) => `"${name}"`,
  indexesInTable: false,
  hasPartialIndexes: true,
  useIndex: () => '',
  begin: 'BEGIN ISOLATION LEVEL READ COMMITTED',
  beginSnapshot: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
  checkpoint: undefined,
  forUpdate: ' FOR UPDATE',
  clockSql: 'SELECT extract(epoch FROM clock_timestamp())::float8 AS now',
  newDocument: 'jsonb_strip_nulls(?::jsonb)',
  patchDocument: (column) => `jsonb_strip_nulls(${column} || ?::jsonb)`,
  bindName: (value) => value,
  statement: numberParameters,
  *writeState(table, { columns, names }, writes) {
    const sql = numberParameters(writeStateSql(table, columns, '(SELECT 1) AS once'));
    yield { sql, parameters: [...names, JSON.stringify(writes)] };
  },
  append,
  // The lock ends with the transaction. It needs no separate connection.
  migrationLock: (name) => ({
    acquire: { sql: 'SELECT pg_advisory_xact_lock(hashtext($1))', parameters: [name] },
    release: undefined,
  }),
  classifyError,
};

/**
 * One statement, which is one round trip and a transaction by itself. A second statement reads the reason if nothing was
 * stored. The lease's row is locked before the session's row, so that no other run takes the lease in between. If another
 * connection stores the same event id at the same time, the unique key makes the whole statement fail.
 */
function append(tables: TableNames): AppendSteps {
  const check = checkAppendSteps(postgres, tables);
  const texts = new SqlTextCache((record) => numberParameters(appendSql(tables, record)));
  function* steps(record: AppendRecord): Steps<AppendOutcome> {
    const { rows } = yield { sql: texts.get(record), parameters: parametersOf(record) };
    if (rows[0]) return { kind: 'stored', seq: Number(rows[0]['seq']) };
    return yield* explainAppendSteps(check, record);
  }
  return { inTransaction: false, steps, explain: (record) => explainAppendSteps(check, record) };
}

/** Returns the statement. `parametersOf` returns its parameters in the same order. */
function appendSql(tables: TableNames, { session, app, user, lease, incarnation, marks }: AppendRecord): string {
  const writeStatePart = (name: string, table: string, columns: readonly string[]): string => `,
  ${name} AS (${writeStateSql(table, columns, 'moved')} RETURNING 1)`;
  const heldPart = `held AS (
    SELECT 1 FROM ${tables.leases} l WHERE l.app_name = ? AND l.user_id = ? AND l.session_id = ? AND ${lease?.sql}
    FOR UPDATE
  ), `;
  const expiry = expirySql(marks, { alias: '', parameter: '?::float8' });
  const newState = postgres.patchDocument('state');
  return `WITH ${lease === undefined ? '' : heldPart}moved AS (
    UPDATE ${tables.sessions} SET last_seq = last_seq + 1, last_update_time = GREATEST(last_update_time, ?::float8),
      expires_at = ${expiry}${session === undefined ? '' : `, state = ${newState}`}${marks
        .map(({ column }) => `, ${column} = ?`)
        .join('')}
    WHERE app_name = ? AND user_id = ? AND session_id = ? AND (expires_at IS NULL OR expires_at > ?::float8)
      ${incarnation === undefined ? '' : 'AND incarnation = ?'}
      AND NOT EXISTS (SELECT 1 FROM ${tables.events} e WHERE e.session_row = row_id AND e.event_key = ?)
      ${lease === undefined ? '' : 'AND EXISTS (SELECT 1 FROM held)'}
    RETURNING row_id, last_seq
  ), stored AS (
    INSERT INTO ${tables.events} (session_row, seq, event_key, event_time, event, v)
    SELECT row_id, last_seq, ?, ?::float8, ?, 1 FROM moved
    RETURNING seq
  )${app === undefined ? '' : writeStatePart('app', tables.appStates, ['app_name'])}${
    user === undefined ? '' : writeStatePart('usr', tables.userStates, ['app_name', 'user_id'])
  }
  SELECT seq FROM stored`;
}

/** Returns SQL that writes the state rows of a JSON parameter, once for each row of `source`. */
function writeStateSql(table: string, columns: readonly string[], source: string): string {
  const owner = columns.join(', ');
  return `INSERT INTO ${table} AS stored_state (${owner}, key_hash, state_key, value, version)
    SELECT ${columns.map(() => '?').join(', ')}, each ->> 0, each ->> 1, each ->> 2, 1
    FROM ${source}, jsonb_array_elements(?::jsonb) AS each
    ON CONFLICT (${owner}, key_hash) DO UPDATE SET value = excluded.value, version = stored_state.version + 1`;
}

function parametersOf(record: AppendRecord): SqlValue[] {
  const { key, incarnation, eventKey, time, text, session, app, user, lease, marks, now, expiresAt } = record;
  return [
    ...(lease === undefined ? [] : [...key, ...lease.parameters]),
    ...[time, expiresAt],
    ...(session === undefined ? [] : [session]),
    ...marks.map(({ value }) => value),
    ...[...key, now],
    ...(incarnation === undefined ? [] : [incarnation]),
    eventKey,
    ...[eventKey, time, text],
    ...(app === undefined ? [] : [key[0], JSON.stringify(app)]),
    ...(user === undefined ? [] : [key[0], key[1], JSON.stringify(user)]),
  ];
}

function numberParameters(sql: string): string {
  let count = 0;
  return sql.replaceAll('?', () => `$${++count}`);
}

function classifyError(error: unknown): FailureKind {
  const { code } = error as { code?: unknown };
  if (typeof code !== 'string' || !/^[0-9A-Z]{5}$/.test(code) || /^E[A-Z]{4}$/.test(code)) return 'connection';
  if (code === '40001' || code === '40P01' || code === '55P03') return 'conflict';
  if (code === '23505') return 'duplicate';
  if (code === '42P01') return 'no-table';
  if (code === '25006') return 'read-only';
  // Too large for a field, a message or an index.
  if (code === '54000' || code === '54001' || code === '53400') return 'too-large';
  // Too many connections, and a server that starts or stops.
  if (code === '53300' || code === '57P03') return 'busy';
  // Errors of the connection, an unknown outcome, and a server that stops or has crashed.
  return /^(08|40003|57P0[12])/.test(code) ? 'connection' : 'refused';
}
