import type { Steps } from '../client/sql-database.ts';
import type { FailureKind } from '../client/sql-failure.ts';
import type { TableNames } from '../schema/table-names.ts';
import { SqlTextCache } from '../session/append-record.ts';
import type { AppendOutcome, AppendRecord } from '../session/append-record.ts';
import { checkAppendSteps, explainAppendSteps } from '../session/check-append.ts';
import { expirySql } from '../session/session-marks.ts';
import { hasManyKeys, mergeManyKeys } from '../session/merge-many-keys.ts';
import { appOwner, userOwner } from '../session/state-owner.ts';
import type { StateOwner, StateWrite } from '../session/state-writes.ts';
import type { AppendSteps, Dialect } from './dialect.ts';

/** Maximum number of state rows in one statement. */
const MAX_STATE_ROWS = 1_000;
const TEXT = 'longtext character set utf8mb4 collate utf8mb4_bin';

/** MariaDB and MySQL. Names are bytes, because every text collation ignores at least trailing spaces. */
export const mariadb: Dialect = {
  name: 'mariadb',
  types: {
    rowId: 'bigint auto_increment primary key',
    integer: 'bigint',
    time: 'double',
    name: 'varbinary(512)',
    shortName: 'varbinary(80)',
    text: TEXT,
    document: TEXT,
    bytes: 'longblob',
    tableEnd: 'engine = InnoDB row_format = dynamic',
  },
  quote: (name) => `\`${name}\``,
  indexesInTable: true,
  hasPartialIndexes: false,
  useIndex: (name) => ` FORCE INDEX (${name})`,
  // In the default level, a locking read that finds no row locks the gap for all other inserts. With many writers, deadlocks
  // then follow each other.
  isolation: {
    readCommitted: 'SET TRANSACTION ISOLATION LEVEL READ COMMITTED',
    repeatableRead: 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ',
  },
  begin: 'START TRANSACTION',
  beginSnapshot: 'START TRANSACTION WITH CONSISTENT SNAPSHOT',
  checkpoint: undefined,
  forUpdate: ' FOR UPDATE',
  // UNIX_TIMESTAMP of a local time is an hour wrong when the server's time zone sets its clocks back.
  clockSql: `SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) / 1000000 AS now`,
  newDocument: `JSON_MERGE_PATCH('{}', ?)`,
  patchDocument: (column) => `JSON_MERGE_PATCH(${column}, ?)`,
  bindName: (value) => new TextEncoder().encode(value),
  statement: (sql) => sql,
  writeState,
  append,
  migrationLock(name) {
    // The name of a lock has at most 64 characters. A day is longer than any migration; the lock ends with its connection.
    const parameters = [name.slice(-64)];
    return {
      acquire: { sql: 'SELECT GET_LOCK(?, 86400)', parameters },
      release: { sql: 'SELECT RELEASE_LOCK(?)', parameters },
    };
  },
  classifyError,
};

/**
 * Begin, update the session, insert the event, commit: four round trips, one more each for `app:` and `user:` keys, and two more
 * for many keys of the session. The update computes the next `seq` and returns it as the insert id. Its join locks the lease's row
 * in every isolation level, so that no other run takes the lease in between. An event id that is already stored violates the
 * unique key of the insert.
 */
function append(tables: TableNames): AppendSteps {
  const check = checkAppendSteps(mariadb, tables);
  const texts = new SqlTextCache((record) => updateSql(tables, record));
  const insert = `INSERT INTO ${tables.events} (session_row, seq, event_key, event_time, event, v)
    SELECT s.row_id, s.last_seq, ?, ?, ?, 1 FROM ${tables.sessions} s
    WHERE s.app_name = ? AND s.user_id = ? AND s.session_id = ?`;
  const table = `${tables.sessions} ${indexHint(tables)}`;
  const where = 'WHERE app_name = ? AND user_id = ? AND session_id = ?';
  function* steps(record: AppendRecord): Steps<AppendOutcome> {
    const { key, incarnation, eventKey, time, text, session, app, user, lease, marks, now, expiresAt } = record;
    const isMerged = hasManyKeys(record);
    const { changes, insertId } = yield {
      sql: texts.get(record),
      parameters: [
        ...(lease === undefined ? [] : lease.parameters),
        ...[time, expiresAt],
        ...(session === undefined ? [] : [isMerged ? '{}' : session]),
        ...marks.map(({ value }) => value),
        ...[...key, now],
        ...(incarnation === undefined ? [] : [incarnation]),
      ],
    };
    if (changes === 0) return yield* explainAppendSteps(check, record);
    if (isMerged) yield* mergeManyKeys({ table, where, forUpdate: mariadb.forUpdate, parameters: key }, record);
    yield { sql: insert, parameters: [eventKey, time, text, ...key] };
    if (app !== undefined) yield* writeState(tables.appStates, appOwner(key), app);
    if (user !== undefined) yield* writeState(tables.userStates, userOwner(key), user);
    return { kind: 'stored', seq: insertId! };
  }
  return { inTransaction: true, steps, explain: (record) => explainAppendSteps(check, record) };
}

function updateSql(tables: TableNames, { session, lease, incarnation, marks }: AppendRecord): string {
  const leaseJoin = ` JOIN ${tables.leases} l ON l.app_name = s.app_name AND l.user_id = s.user_id
    AND l.session_id = s.session_id AND ${lease?.sql}`;
  const expiry = expirySql(marks, { alias: 's.', parameter: '?' });
  const newState = mariadb.patchDocument('s.state');
  return `UPDATE ${tables.sessions} s ${indexHint(tables)}${lease === undefined ? '' : leaseJoin}
    SET s.last_seq = LAST_INSERT_ID(s.last_seq + 1), s.last_update_time = GREATEST(s.last_update_time, ?),
    s.expires_at = ${expiry}${session === undefined ? '' : `, s.state = ${newState}`}${marks
      .map(({ column }) => `, s.${column} = ?`)
      .join('')}
    WHERE s.app_name = ? AND s.user_id = ? AND s.session_id = ? AND (s.expires_at IS NULL OR s.expires_at > ?)${
      incarnation === undefined ? '' : ' AND s.incarnation = ?'
    }`;
}

/** Without the hint, and with few sessions, MariaDB reads and locks all sessions of the app. */
function indexHint({ sessions }: TableNames): string {
  return `FORCE INDEX (${sessions.split('.').at(-1)}_triple)`;
}

/** Uses one statement, unless there are more keys than one statement has parameters for. */
function* writeState(table: string, { columns, names }: StateOwner, writes: readonly StateWrite[]): Steps<void> {
  const row = `(${names.map(() => '?').join(', ')}, ?, ?, ?, 1)`;
  for (let start = 0; start < writes.length; start += MAX_STATE_ROWS) {
    const batch = writes.slice(start, start + MAX_STATE_ROWS);
    const sql = `INSERT INTO ${table} (${columns.join(', ')}, key_hash, state_key, value, version)
      VALUES ${batch.map(() => row).join(', ')}
      ON DUPLICATE KEY UPDATE value = VALUES(value), version = version + 1`;
    yield { sql, parameters: batch.flatMap((write) => [...names, ...write]) };
  }
}

function classifyError(error: unknown): FailureKind {
  const { errno, code } = error as { errno?: unknown; code?: unknown };
  if (typeof errno !== 'number' || errno < 1000) return 'connection';
  // Deadlock, time-out of a lock, and a row that changed after the snapshot.
  if ([1213, 1205, 1020].includes(errno)) return 'conflict';
  // A duplicate key, column or index.
  if (errno === 1062 || errno === 1060 || errno === 1061) return 'duplicate';
  if (errno === 1146) return 'no-table';
  if ([1153, 1301, 1406].includes(errno)) return 'too-large';
  // Options and transactions that allow no writes.
  if ([1290, 1792, 1836].includes(errno)) return 'read-only';
  // Too many connections.
  if (errno === 1040 || errno === 1203) return 'busy';
  // Shutdown, killed query, and the driver's errors for a broken connection.
  if ([1053, 1077, 1079, 1184, 1317, 1927, 2006, 2013, 4031].includes(errno)) return 'connection';
  return typeof code === 'string' && /^(PROTOCOL|ECONN|EPIPE)/.test(code) ? 'connection' : 'refused';
}
