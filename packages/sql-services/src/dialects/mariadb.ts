import { MysqlAdapter, MysqlQueryCompiler } from 'kysely';
import type { Steps } from '../client/sql-database.ts';
import type { FailureKind } from '../client/sql-failure.ts';
import type { TableNames } from '../schema/table-names.ts';
import { checkAppendSteps, explainAppendSteps } from '../session/check-append.ts';
import type { AppendOutcome, AppendRecord } from '../session/append-record.ts';
import { appOwner, userOwner } from '../session/state-owner.ts';
import type { StateOwner, StateWrite } from '../session/state-writes.ts';
import type { AppendSteps, Dialect } from './dialect.ts';

const WRITES_AT_ONCE = 1_000;
const TEXT = 'longtext character set utf8mb4 collate utf8mb4_bin';

/** MariaDB (and MySQL): names as bytes, for every collation of text forgets trailing blanks or more. */
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
  createAdapter: () => new MysqlAdapter(),
  createQueryCompiler: () => new MysqlQueryCompiler(),
  indexesInTable: true,
  returning: () => '',
  begin: 'START TRANSACTION',
  beginSnapshot: 'START TRANSACTION WITH CONSISTENT SNAPSHOT',
  forUpdate: ' FOR UPDATE',
  clockSql: 'SELECT UNIX_TIMESTAMP(SYSDATE(6)) AS now',
  newDocument: `JSON_MERGE_PATCH('{}', ?)`,
  bindName: (value) => new TextEncoder().encode(value),
  statement: (sql) => sql,
  writeState,
  append,
  migrationLock(name) {
    // A lock's name has at most 64 characters.
    const parameters = [name.slice(-64)];
    return {
      take: { sql: 'SELECT GET_LOCK(?, 30)', parameters },
      free: { sql: 'SELECT RELEASE_LOCK(?)', parameters },
    };
  },
  classifyError,
};

/**
 * Begin, update the session, insert the event, commit: four round trips, and one more each for `app:` and `user:` keys. The
 * update makes the next `seq` and hands it over as the insert id; with a fence its join locks the lease's row too (whatever the
 * isolation), so that nobody takes the lease over in between. An event id that is stored already breaks the unique key of the insert.
 */
function append(tables: TableNames): AppendSteps {
  const look = checkAppendSteps(mariadb, tables);
  const live = 's.app_name = ? AND s.user_id = ? AND s.session_id = ? AND (s.expires_at IS NULL OR s.expires_at > ?)';
  const lease = ` JOIN ${tables.leases} l ON l.app_name = s.app_name AND l.user_id = s.user_id AND l.session_id = s.session_id
    AND l.fence = ?`;
  // While there are few sessions it would rather go through those of the app, and lock them all.
  const theRow = `FORCE INDEX (${tables.sessions.split('.').at(-1)}_triple)`;
  const update = (
    fenced: boolean,
    state: boolean,
    incarnate: boolean,
  ): string => `UPDATE ${tables.sessions} s ${theRow}${fenced ? lease : ''}
    SET s.last_seq = LAST_INSERT_ID(s.last_seq + 1), s.last_update_time = GREATEST(s.last_update_time, ?),
    s.expires_at = ?${state ? ', s.state = JSON_MERGE_PATCH(s.state, ?)' : ''}
    WHERE ${live}${incarnate ? ' AND s.incarnation = ?' : ''}`;
  const updates = Array.from({ length: 8 }, (_, i) => update((i & 4) > 0, (i & 2) > 0, (i & 1) > 0));
  const insert = `INSERT INTO ${tables.events} (session_row, seq, event_key, event_time, event, v)
    SELECT s.row_id, s.last_seq, ?, ?, ?, 1 FROM ${tables.sessions} s
    WHERE s.app_name = ? AND s.user_id = ? AND s.session_id = ?`;
  function* steps(record: AppendRecord): Steps<AppendOutcome> {
    const { key, incarnation, eventKey, time, text, session, app, user, fence, now, expiresAt } = record;
    const { changes, insertId } = yield {
      sql: updates[
        (fence === undefined ? 0 : 4) + (session === undefined ? 0 : 2) + (incarnation === undefined ? 0 : 1)
      ]!,
      parameters: [
        ...(fence === undefined ? [] : [fence]),
        ...[time, expiresAt],
        ...(session === undefined ? [] : [session]),
        ...[...key, now],
        ...(incarnation === undefined ? [] : [incarnation]),
      ],
    };
    if (changes === 0) {
      return yield* explainAppendSteps(look, record);
    }
    yield { sql: insert, parameters: [eventKey, time, text, ...key] };
    if (app !== undefined) yield* writeState(tables.appStates, appOwner(key), app);
    if (user !== undefined) yield* writeState(tables.userStates, userOwner(key), user);
    return { kind: 'stored', seq: insertId! };
  }
  return { inTransaction: true, steps, explain: (record) => explainAppendSteps(look, record) };
}

/** One statement, unless there are very many keys: a statement takes only so many parameters. */
function* writeState(table: string, { columns, names }: StateOwner, writes: readonly StateWrite[]): Steps<void> {
  const row = `(${names.map(() => '?').join(', ')}, ?, ?, ?, 1)`;
  for (let from = 0; from < writes.length; from += WRITES_AT_ONCE) {
    const some = writes.slice(from, from + WRITES_AT_ONCE);
    const sql = `INSERT INTO ${table} (${columns.join(', ')}, key_hash, state_key, value, version)
      VALUES ${some.map(() => row).join(', ')}
      ON DUPLICATE KEY UPDATE value = VALUES(value), version = version + 1`;
    yield { sql, parameters: some.flatMap((write) => [...names, ...write]) };
  }
}

function classifyError(error: unknown): FailureKind {
  const { errno, code } = error as { errno?: unknown; code?: unknown };
  if (typeof errno !== 'number' || errno < 1000) return 'connection';
  // Deadlock, waited too long for a lock, and a row that changed under a snapshot.
  if ([1213, 1205, 1020].includes(errno)) return 'conflict';
  if (errno === 1062) return 'duplicate';
  if (errno === 1146) return 'no-table';
  if ([1153, 1301, 1406].includes(errno)) return 'too-large';
  // Shutting down, killed, too many connections, and what the driver says of a broken connection.
  if ([1040, 1053, 1077, 1079, 1184, 1203, 1317, 1927, 2006, 2013, 4031].includes(errno)) return 'connection';
  return typeof code === 'string' && /^(PROTOCOL|ECONN|EPIPE)/.test(code) ? 'connection' : 'refused';
}
