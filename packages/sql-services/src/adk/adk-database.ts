import { systemRuntime, TholeError } from '@thole/core';
import { invalidInput, isPlainObject, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { JsonObject, SessionRef } from '@thole/core';
import { openDatabase } from '../client/open-database.ts';
import { mapSqlError } from '../client/map-sql-error.ts';
import { isSqlFailure } from '../client/sql-failure.ts';
import { query } from '../client/sql-database.ts';
import type { Row, SqlDatabase, SqlValue } from '../client/sql-database.ts';
import type { DatabaseOptions } from '../client/sql-options.ts';
import { tableNames } from '../schema/table-names.ts';
import { columnText } from '../session/row-values.ts';
import { toSeconds } from './adk-event.ts';
import type { AdkEventRow } from './adk-event.ts';

/** Options of the database with ADK's tables. `migrateFromAdk` only reads these tables. */
export type AdkDatabaseOptions = Pick<
  DatabaseOptions,
  'dbUrl' | 'db' | 'dialect' | 'schema' | 'timeoutMs' | 'maxConnections' | 'runtime'
>;

const names = optionNames<AdkDatabaseOptions>({
  dbUrl: true,
  db: true,
  dialect: true,
  schema: true,
  timeoutMs: true,
  maxConnections: true,
  runtime: true,
});

/** A session of ADK, without its events. */
export interface AdkSession {
  readonly key: SessionRef;
  readonly state: JsonObject;
  readonly createTime: number;
  readonly updateTime: number;
}

/** Number of sessions that one statement reads. */
const PAGE = 200;

/** A database that ADK's `DatabaseSessionService` has written with events as JSON. */
export class AdkDatabase {
  readonly #database: SqlDatabase;
  readonly #prefix: string;

  constructor(options: AdkDatabaseOptions) {
    if (!isPlainObject(options)) throw invalidInput('from', 'an object with dbUrl or db', options);
    rejectUnknownOptions(options, names, 'from');
    const runtime = options.runtime ?? systemRuntime();
    this.#database = openDatabase({ ...options, runtime }, { readOnly: true });
    // Checks the name of the schema, which is written into SQL.
    if (options.schema !== undefined) tableNames('adk_', options.schema);
    this.#prefix = options.schema === undefined ? '' : `${options.schema}.`;
  }

  /**
   * Throws `STORE_VERSION` unless the events are JSON: older tables contain pickled Python objects. Throws `INVALID_INPUT` if
   * there are no ADK tables.
   */
  async check(): Promise<void> {
    const columns = await this.#readEventColumns();
    if (columns.length === 0)
      throw new TholeError('INVALID_INPUT', 'from must be a database with ADK tables. It has no table of events.');
    const version = await this.#readVersion();
    if (version === '0' || (!columns.includes('event_data') && columns.includes('actions'))) throw pickledEventsError();
    if ((version !== undefined && version !== '1') || !columns.includes('event_data')) {
      const message = `The ADK tables have ${version === undefined ? 'an unknown version' : `version ${version}`}. This package reads version 1.`;
      throw new TholeError('STORE_VERSION', message);
    }
  }

  async countSessions(): Promise<number> {
    const [row] = await this.#readRows(`SELECT count(*) AS sessions FROM ${this.#prefix}sessions`);
    return Number(row?.['sessions'] ?? 0);
  }

  async *sessions(): AsyncIterable<AdkSession> {
    const times = `${this.#secondsSql('create_time')} AS create_time, ${this.#secondsSql('update_time')} AS update_time`;
    const sql = `SELECT app_name, user_id, id, state, ${times} FROM ${this.#prefix}sessions
      ORDER BY app_name, user_id, id LIMIT ${PAGE} OFFSET ?`;
    for (let offset = 0; ; offset += PAGE) {
      const rows = await this.#readRows(sql, [offset]);
      for (const row of rows) {
        yield {
          key: {
            appName: columnText(row['app_name']),
            userId: columnText(row['user_id']),
            sessionId: columnText(row['id']),
          },
          state: parseJsonColumn(row['state']),
          createTime: toSeconds(row['create_time']),
          updateTime: toSeconds(row['update_time']),
        };
      }
      if (rows.length < PAGE) return;
    }
  }

  /** Returns the events ordered by time. Events of the same time have the order of their rows, except on MariaDB. */
  async events(key: SessionRef): Promise<AdkEventRow[]> {
    const tieBreak = { sqlite: 'rowid', postgres: 'ctid', mariadb: 'id' }[this.#database.dialect.name];
    const sql = `SELECT id, invocation_id, ${this.#secondsSql('timestamp')} AS at, event_data FROM ${this.#prefix}events
      WHERE app_name = ? AND user_id = ? AND session_id = ? ORDER BY timestamp, ${tieBreak}`;
    const rows = await this.#readRows(sql, [key.appName, key.userId, key.sessionId]);
    return rows.map((row) => ({
      id: columnText(row['id']),
      invocationId: columnText(row['invocation_id']),
      time: toSeconds(row['at']),
      data: parseJsonColumn(row['event_data']),
    }));
  }

  async *appStates(): AsyncIterable<{ appName: string; state: JsonObject }> {
    for (const row of await this.#readRows(`SELECT app_name, state FROM ${this.#prefix}app_states ORDER BY app_name`)) {
      yield { appName: columnText(row['app_name']), state: parseJsonColumn(row['state']) };
    }
  }

  async *userStates(): AsyncIterable<{ appName: string; userId: string; state: JsonObject }> {
    const sql = `SELECT app_name, user_id, state FROM ${this.#prefix}user_states ORDER BY app_name, user_id`;
    for (const row of await this.#readRows(sql)) {
      yield {
        appName: columnText(row['app_name']),
        userId: columnText(row['user_id']),
        state: parseJsonColumn(row['state']),
      };
    }
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  async #readEventColumns(): Promise<string[]> {
    const sql =
      this.#database.dialect.name === 'sqlite'
        ? `SELECT name AS name FROM pragma_table_info('events')`
        : `SELECT column_name AS name FROM information_schema.columns WHERE table_name = 'events'
           AND table_schema = ${this.#schemaSql()}`;
    return (await this.#readRows(sql)).map((row) => columnText(row['name']));
  }

  #schemaSql(): string {
    if (this.#prefix !== '') return `'${this.#prefix.slice(0, -1)}'`;
    return this.#database.dialect.name === 'postgres' ? 'current_schema()' : 'DATABASE()';
  }

  // The SQLite service of ADK for Python stores no version.
  async #readVersion(): Promise<string | undefined> {
    try {
      const rows = await this.#database.run(() => query(`SELECT * FROM ${this.#prefix}adk_internal_metadata`), {
        writes: false,
      });
      const row = rows.rows.find((each) => columnText(each['key']) === 'schema_version');
      return row && columnText(row['value']);
    } catch (error) {
      if (isSqlFailure(error, 'no-table')) return undefined;
      throw mapSqlError(error, this.#database.displayName);
    }
  }

  // Drivers read times without a zone as local time. ADK stores UTC.
  #secondsSql(column: string): string {
    switch (this.#database.dialect.name) {
      case 'postgres':
        return `extract(epoch FROM ${column})::float8`;
      case 'mariadb':
        return `(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', ${column}) / 1e6)`;
      default:
        return column;
    }
  }

  async #readRows(sql: string, parameters: readonly SqlValue[] = []): Promise<readonly Row[]> {
    const { dialect } = this.#database;
    try {
      return (await this.#database.run(() => query(dialect.statement(sql), parameters), { writes: false })).rows;
    } catch (error) {
      throw mapSqlError(error, this.#database.displayName);
    }
  }
}

function pickledEventsError(): TholeError {
  return new TholeError(
    'STORE_VERSION',
    'The events of this database are pickled Python objects, which cannot be read. Convert a copy with ADK for Python: ' +
      '`adk migrate session --source_db_url=… --dest_db_url=…`. Then migrate from the converted copy.',
  );
}

function parseJsonColumn(column: unknown): JsonObject {
  if (column === null || column === undefined) return {};
  const isParsed = typeof column === 'object' && !ArrayBuffer.isView(column);
  const value: unknown = isParsed ? column : JSON.parse(columnText(column));
  return isPlainObject(value) ? (value as JsonObject) : {};
}
