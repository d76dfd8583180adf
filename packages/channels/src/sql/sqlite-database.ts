import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { systemRuntime } from '@thole/core';
import { assertName } from '@thole/core/kit';
import type { CancelTimer } from '@thole/core';
import type { SqlDatabase, SqlParameter, SqlResult } from './sql-database.ts';

const SQLITE_BUSY = 5;
const BUSY_LIMIT_MS = 10_000;
const BUSY_PAUSE_MS = 20;
/** Longest time in which the write-ahead log keeps texts that were replaced. */
const CLEAR_LOG_MS = 1_000;

/**
 * Opens a database file with Node's SQLite. Creates the file and its folder at the first statement if they are missing. `:memory:` is
 * a database in memory. A change is on disk when its promise resolves. Several stores may share a file. Deleted rows are also removed
 * from the bytes of the file and its write-ahead log, replaced texts within a second, or later if another process reads meanwhile.
 * Copies of rows that SQLite has moved can remain in unused space until `VACUUM` and a checkpoint.
 */
export function sqliteDatabase(path: string): SqlDatabase {
  assertName('path', path);
  let opened: Promise<DatabaseSync> | undefined;
  const statements = new Map<string, StatementSync>();
  let cancelClear: CancelTimer | undefined;
  const clearLater = (database: DatabaseSync): CancelTimer =>
    systemRuntime().timer(CLEAR_LOG_MS, () => clearNow(database));
  const clearNow = (database: DatabaseSync): void => {
    cancelClear?.();
    cancelClear = clearLog(database) ? undefined : clearLater(database);
  };
  const prepare = (database: DatabaseSync, sql: string): StatementSync => {
    let statement = statements.get(sql);
    if (!statement) statements.set(sql, (statement = database.prepare(sql)));
    return statement;
  };
  return {
    dialect: 'sqlite',
    query: async (sql, parameters) => {
      const database = await (opened ??= open(path).catch((error: unknown) => {
        opened = undefined;
        throw error;
      }));
      const result = await whenFree(() => runStatement(prepare(database, sql), parameters));
      if (result.changes > 0 && sql.startsWith('DELETE')) clearNow(database);
      else if (result.changes > 0 && sql.startsWith('UPDATE')) cancelClear ??= clearLater(database);
      return result;
    },
    close: async () => {
      const database = await opened?.catch(() => undefined);
      statements.clear();
      cancelClear?.();
      // The last connection also removes the log when it closes.
      if (database && cancelClear) clearLog(database);
      if (database?.isOpen) database.close();
    },
  };
}

async function open(path: string): Promise<DatabaseSync> {
  const { DatabaseSync } = await import('node:sqlite');
  if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true });
  // A busy timeout would block the event loop.
  const database = new DatabaseSync(path, { timeout: 0 });
  await whenFree(() =>
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;'),
  );
  // On macOS, other flushes do not reach the disk. These settings have no effect on other systems.
  database.exec('PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;');
  // A process that was killed may have left texts in the log.
  clearLog(database);
  return database;
}

/** Empties the write-ahead log, which contains deleted and replaced texts. Returns false while another connection uses it. */
function clearLog(database: DatabaseSync): boolean {
  if (!database.isOpen) return true;
  try {
    return database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'] !== 1;
  } catch {
    return false;
  }
}

function runStatement(statement: StatementSync, parameters: readonly SqlParameter[]): SqlResult {
  if (statement.columns().length > 0) {
    const rows = statement.all(...parameters) as SqlResult['rows'];
    return { rows, changes: 0 };
  }
  return { rows: [], changes: Number(statement.run(...parameters).changes) };
}

/** Repeats work while another connection locks the file, for at most 10 seconds. */
async function whenFree<T>(work: () => T): Promise<T> {
  const runtime = systemRuntime();
  const start = runtime.monotonic();
  for (;;) {
    try {
      return work();
    } catch (error) {
      const isBusy = ((error as { errcode?: number }).errcode ?? 0) % 256 === SQLITE_BUSY;
      if (!isBusy || runtime.monotonic() - start > BUSY_LIMIT_MS) throw error;
      await runtime.sleep(BUSY_PAUSE_MS);
    }
  }
}
