import { PostgresAdapter, PostgresQueryCompiler } from 'kysely';
import type { SqlValue, Steps } from '../client/sql-database.ts';
import type { FailureKind } from '../client/sql-failure.ts';
import type { TableNames } from '../schema/table-names.ts';
import { checkAppendSteps, explainAppendSteps } from '../session/check-append.ts';
import type { AppendOutcome, AppendRecord } from '../session/append-record.ts';
import type { AppendSteps, Dialect } from './dialect.ts';

/** PostgreSQL: names in the collation that compares bytes, documents as `jsonb`. */
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
  createAdapter: () => new PostgresAdapter(),
  createQueryCompiler: () => new PostgresQueryCompiler(),
  indexesInTable: false,
  returning: (column) => ` RETURNING ${column}`,
  begin: 'BEGIN ISOLATION LEVEL READ COMMITTED',
  beginSnapshot: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
  forUpdate: ' FOR UPDATE',
  clockSql: 'SELECT extract(epoch FROM clock_timestamp())::float8 AS now',
  newDocument: 'jsonb_strip_nulls(?::jsonb)',
  bindName: (value) => value,
  statement: numbered,
  *writeState(table, { columns, names }, writes) {
    const sql = numbered(writeText(table, columns, '(SELECT 1) AS once'));
    yield { sql, parameters: [...names, JSON.stringify(writes)] };
  },
  append,
  // Held until the end of the transaction, so it needs no connection of its own.
  migrationLock: (name) => ({
    take: { sql: 'SELECT pg_advisory_xact_lock(hashtext($1))', parameters: [name] },
    free: undefined,
  }),
  classifyError,
};

/**
 * One statement, that is one round trip and a transaction by itself, and a second one only where nothing was stored, to see
 * why. The lease's row is locked before the session's, so that nobody takes the lease over in between; an event id that
 * somebody else stores at the same moment breaks the unique key, and with it the whole statement.
 */
function append(tables: TableNames): AppendSteps {
  const look = checkAppendSteps(postgres, tables);
  const texts = new Map<string, string>();
  const textFor = (record: AppendRecord): string => {
    const { session, app, user, fence, incarnation } = record;
    const shape = [session, app, user, fence, incarnation].map((each) => (each === undefined ? '0' : '1')).join('');
    let text = texts.get(shape);
    if (text === undefined) texts.set(shape, (text = numbered(appendText(tables, record))));
    return text;
  };
  function* steps(record: AppendRecord): Steps<AppendOutcome> {
    const { rows } = yield { sql: textFor(record), parameters: parametersOf(record) };
    if (rows[0]) return { kind: 'stored', seq: Number(rows[0]['seq']) };
    return yield* explainAppendSteps(look, record);
  }
  return { inTransaction: false, steps, explain: (record) => explainAppendSteps(look, record) };
}

/** In the order of the parameters below. */
function appendText(tables: TableNames, { session, app, user, fence, incarnation }: AppendRecord): string {
  const written = (name: string, table: string, columns: readonly string[]): string => `,
  ${name} AS (${writeText(table, columns, 'moved')} RETURNING 1)`;
  const held = `held AS (
    SELECT 1 FROM ${tables.leases} WHERE app_name = ? AND user_id = ? AND session_id = ? AND fence = ?
    FOR UPDATE
  ), `;
  return `WITH ${fence === undefined ? '' : held}moved AS (
    UPDATE ${tables.sessions} SET last_seq = last_seq + 1, last_update_time = GREATEST(last_update_time, ?::float8),
      expires_at = ?::float8${session === undefined ? '' : ', state = jsonb_strip_nulls(state || ?::jsonb)'}
    WHERE app_name = ? AND user_id = ? AND session_id = ? AND (expires_at IS NULL OR expires_at > ?::float8)
      ${incarnation === undefined ? '' : 'AND incarnation = ?'}
      AND NOT EXISTS (SELECT 1 FROM ${tables.events} e WHERE e.session_row = row_id AND e.event_key = ?)
      ${fence === undefined ? '' : 'AND EXISTS (SELECT 1 FROM held)'}
    RETURNING row_id, last_seq
  ), stored AS (
    INSERT INTO ${tables.events} (session_row, seq, event_key, event_time, event, v)
    SELECT row_id, last_seq, ?, ?::float8, ?, 1 FROM moved
    RETURNING seq
  )${app === undefined ? '' : written('app', tables.appStates, ['app_name'])}${
    user === undefined ? '' : written('usr', tables.userStates, ['app_name', 'user_id'])
  }
  SELECT seq FROM stored`;
}

/** Writes rows of state, which a parameter holds as JSON, once for each row of `once`: not at all where that has none. */
function writeText(table: string, columns: readonly string[], once: string): string {
  const owner = columns.join(', ');
  return `INSERT INTO ${table} AS held (${owner}, key_hash, state_key, value, version)
    SELECT ${columns.map(() => '?').join(', ')}, each ->> 0, each ->> 1, each ->> 2, 1
    FROM ${once}, jsonb_array_elements(?::jsonb) AS each
    ON CONFLICT (${owner}, key_hash) DO UPDATE SET value = excluded.value, version = held.version + 1`;
}

function parametersOf(record: AppendRecord): SqlValue[] {
  const { key, incarnation, eventKey, time, text, session, app, user, fence, now, expiresAt } = record;
  return [
    ...(fence === undefined ? [] : [...key, fence]),
    ...[time, expiresAt],
    ...(session === undefined ? [] : [session]),
    ...[...key, now],
    ...(incarnation === undefined ? [] : [incarnation]),
    eventKey,
    ...[eventKey, time, text],
    ...(app === undefined ? [] : [key[0], JSON.stringify(app)]),
    ...(user === undefined ? [] : [key[0], key[1], JSON.stringify(user)]),
  ];
}

function numbered(sql: string): string {
  let count = 0;
  return sql.replaceAll('?', () => `$${++count}`);
}

function classifyError(error: unknown): FailureKind {
  const { code } = error as { code?: unknown };
  if (typeof code !== 'string' || !/^[0-9A-Z]{5}$/.test(code) || /^E[A-Z]{4}$/.test(code)) return 'connection';
  if (code === '40001' || code === '40P01' || code === '55P03') return 'conflict';
  if (code === '23505') return 'duplicate';
  if (code === '42P01') return 'no-table';
  // Too large for a field, a message, or an index.
  if (code === '54000' || code === '54001' || code === '53400') return 'too-large';
  // Connection exceptions, an outcome that the server does not know, and one that shuts down, crashed or starts.
  return /^(08|40003|57P0[123])/.test(code) ? 'connection' : 'refused';
}
