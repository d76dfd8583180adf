import fs, { existsSync, readFileSync, statSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { DatabaseSync } from 'node:sqlite';
import { systemRuntime } from '@thole/core';
import type { Logger, Runtime } from '@thole/core';
import { DatabaseArtifactService, DatabaseSessionService } from '@thole/sql-services';
import { FixedRuntime } from '@thole/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { NodeSqlite } from '../../src/client/node-sqlite.ts';
import { query } from '../../src/client/sql-database.ts';
import { SqliteDatabase } from '../../src/client/sqlite-database.ts';
import { SqliteEraser } from '../../src/client/sqlite-eraser.ts';
import { sqlite } from '../../src/dialects/sqlite.ts';
import { kyselySqlite } from '../support/kysely-sqlite.ts';
import { sqliteFiles } from '../support/sqlite-files.ts';

const files = sqliteFiles();
const ref = { appName: 'app', userId: 'u', sessionId: 's' };
const MIB = 1024 * 1024;

function recordLogs(): { logger: Logger; messages: string[] } {
  const messages: string[] = [];
  const add = (message: string): void => void messages.push(message);
  return { logger: { debug: add, info: add, warn: add, error: add }, messages };
}

/** Counts the texts of deleted rows in the file and its write-ahead log. */
function countCopies(path: string): number {
  const bytes = ['', '-wal'].map((end) => (existsSync(path + end) ? readFileSync(path + end, 'latin1') : '')).join('');
  return new Set(bytes.match(/DELETED-\d+-/g)).size;
}

/** Grows rows until SQLite moves them between pages, and deletes half of them. Leaves copies although secure_delete is on. */
function leaveCopies(file: DatabaseSync): void {
  const rows = 400;
  file.exec(
    'PRAGMA synchronous = OFF; PRAGMA secure_delete = ON; CREATE TABLE thole_rows (id integer primary key, text)',
  );
  const insert = file.prepare('INSERT INTO thole_rows VALUES (?, ?)');
  const update = file.prepare('UPDATE thole_rows SET text = ? WHERE id = ?');
  const remove = file.prepare('DELETE FROM thole_rows WHERE id = ?');
  const textOf = (id: number, size: number): string => `${id % 2 ? 'KEPT' : 'DELETED'}-${id}-${'y'.repeat(size)}`;
  const sizes = Array.from({ length: rows }, () => 0);
  for (let id = 0; id < rows; id++) insert.run(id, textOf(id, 0));
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < rows; i++) {
      const id = (i * 37) % rows;
      sizes[id]! += Math.floor(((i * 17 + round * 13) % 1_500) / 3);
      update.run(textOf(id, sizes[id]!), id);
    }
  }
  for (let id = 0; id < rows; id += 2) remove.run(id);
}

/** Creates a file in WAL mode with copies of deleted rows and `size` bytes of other data. */
function createFileWithCopies(size: number): string {
  const { path } = files.next();
  const file = new DatabaseSync(path);
  file.exec('PRAGMA journal_mode = WAL');
  leaveCopies(file);
  file.exec('CREATE TABLE thole_data (content)');
  file.prepare('INSERT INTO thole_data VALUES (zeroblob(?))').run(size);
  file.close();
  expect(countCopies(path)).toBeGreaterThan(0);
  return path;
}

async function openDatabase(path: string, runtime: Runtime, timeoutMs = 30_000): Promise<SqliteDatabase> {
  const settings = { readOnly: false, synchronous: 'NORMAL', dialect: sqlite } as const;
  const database = new SqliteDatabase({ path, ...settings, runtime, timeoutMs });
  onTestFinished(() => database.close());
  await database.run(() => query('SELECT 1'), { writes: false });
  return database;
}

describe('SqliteDatabase.erase', () => {
  it('rewrites a file of at most 4 MiB within the call', async () => {
    const path = createFileWithCopies(MIB);
    const database = await openDatabase(path, systemRuntime());
    await database.erase('thole_');
    expect(countCopies(path)).toBe(0);
  });

  it('rewrites a file above 4 MiB in the background, once for several calls', async () => {
    const path = createFileWithCopies(5 * MIB);
    const runtime = new FixedRuntime();
    const database = await openDatabase(path, runtime);
    for (let i = 0; i < 3; i++) await database.erase('thole_');
    expect(countCopies(path)).toBeGreaterThan(0);
    await runtime.advance(1_000);
    await expect.poll(() => countCopies(path), { timeout: 60_000 }).toBe(0);
    await database.close();
    expect(runtime.logs.map(({ message }) => message)).toEqual(['The file was rewritten without deleted text.']);
    expect(statSync(path).size).toBeGreaterThan(5 * MIB);
  });

  it('makes other calls wait during a rewrite, and rewrites again for a later deletion', async () => {
    const path = createFileWithCopies(5 * MIB);
    const { logger, messages } = recordLogs();
    const runtime = systemRuntime({ logger });
    const database = await openDatabase(path, runtime);
    await database.erase('thole_');
    await expect.poll(() => messages.length, { timeout: 60_000 }).toBe(1);
    const remove = (): Promise<unknown> => database.transact(() => query('DELETE FROM thole_rows WHERE id % 3 = 0'));
    await Promise.all([database.compact(), remove()]);
    await database.erase('thole_');
    await database.close();
    expect(messages).toHaveLength(2);
  });

  it('rewrites only its own tables in a file with tables of other software', async () => {
    const { path, dbUrl } = files.next();
    const file = new DatabaseSync(path);
    onTestFinished(() => file.close());
    const { logger, messages } = recordLogs();
    const services = [0, 1].map(() => new DatabaseSessionService({ dbUrl, runtime: systemRuntime({ logger }) }));
    onTestFinished(() => Promise.all(services.map((service) => service.close())).then(() => {}));
    for (const [i, service] of services.entries()) await service.createSession({ ...ref, sessionId: `s${i}` });
    file.exec(`CREATE TABLE other_table (text); INSERT INTO other_table VALUES ('a'), ('b'), ('c');
      DELETE FROM other_table WHERE rowid = 2`);
    leaveCopies(file);
    for (const [i, service] of services.entries()) await service.deleteSession({ ...ref, sessionId: `s${i}` });
    expect(countCopies(path)).toBeGreaterThan(0);
    await expect.poll(() => countCopies(path), { timeout: 60_000 }).toBe(0);
    expect(file.prepare('SELECT rowid, text FROM other_table').all()).toEqual([
      { rowid: 1, text: 'a' },
      { rowid: 3, text: 'c' },
    ]);
    await expect.poll(() => messages.length, { timeout: 60_000 }).toBe(2);
    expect(new Set(messages)).toEqual(
      new Set(['The tables with the prefix "thole_" were rewritten without deleted text.']),
    );
  });

  it('rewrites the file in close if it is due', async () => {
    const path = createFileWithCopies(5 * MIB);
    const database = await openDatabase(path, new FixedRuntime());
    await database.erase('thole_');
    expect(countCopies(path)).toBeGreaterThan(0);
    await database.close();
    expect(countCopies(path)).toBe(0);
  });

  it('repeats a rewrite that failed because another connection had the lock', async () => {
    const path = createFileWithCopies(5 * MIB);
    const runtime = new FixedRuntime();
    const database = await openDatabase(path, runtime, 50);
    const other = new DatabaseSync(path);
    onTestFinished(() => other.close());
    await database.erase('thole_');
    other.exec('BEGIN IMMEDIATE');
    await runtime.advance(1_000);
    await expect.poll(() => runtime.logs.length, { timeout: 60_000 }).toBe(1);
    other.exec('COMMIT');
    expect(runtime.logs[0]!.message).toBe('The file could not be rewritten. Unused space may contain deleted text.');
    await runtime.advance(60_000);
    await expect.poll(() => countCopies(path), { timeout: 60_000 }).toBe(0);
  });

  /** Opens a file whose data is above the size limit. */
  async function openLarge(path: string): Promise<{ eraser: SqliteEraser; messages: string[] }> {
    const { logger, messages } = recordLogs();
    const connection = await NodeSqlite.open({ path, readOnly: false });
    onTestFinished(() => connection.close());
    const settings = { runtime: systemRuntime({ logger }), timeoutMs: 30_000, displayName: 'It', isIdle: () => true };
    const sizeLimits = { inCall: 0, inBackground: MIB };
    return { eraser: new SqliteEraser({ connection, path, ...settings, sizeLimits }), messages };
  }

  it('rewrites the tables of a file above the size limit in the background', async () => {
    const path = createFileWithCopies(2 * MIB);
    const { eraser, messages } = await openLarge(path);
    for (let i = 0; i < 2; i++) await eraser.erase('thole_', async () => {});
    expect(countCopies(path)).toBeGreaterThan(0);
    const message = 'The tables with the prefix "thole_" were rewritten without deleted text.';
    await expect.poll(() => messages, { timeout: 60_000 }).toEqual([message]);
    expect(countCopies(path)).toBe(0);
    expect(existsSync(`${path}-erasing`)).toBe(false);
    await eraser.close();
  });

  it('counts a rewrite as done if the file of its lock cannot be deleted, as on Windows', async () => {
    const path = createFileWithCopies(2 * MIB);
    const { rmSync } = fs;
    const replaceRmSync = (replacement: typeof rmSync): void => {
      fs.rmSync = replacement;
      syncBuiltinESMExports();
    };
    replaceRmSync(() => {
      throw Object.assign(new Error('EBUSY'), { code: 'EBUSY' });
    });
    onTestFinished(() => replaceRmSync(rmSync));
    const { eraser, messages } = await openLarge(path);
    await eraser.erase('thole_', async () => {});
    await expect.poll(() => messages.length, { timeout: 60_000 }).toBeGreaterThan(0);
    expect(messages).toEqual(['The tables with the prefix "thole_" were rewritten without deleted text.']);
    await eraser.close();
  });

  it('leaves the rewrite of a large file to the next process when it is closed', async () => {
    const path = createFileWithCopies(2 * MIB);
    const { eraser } = await openLarge(path);
    await eraser.erase('thole_', async () => {});
    await eraser.close();
    expect(countCopies(path)).toBeGreaterThan(0);
    await openDatabase(path, systemRuntime());
    await expect.poll(() => countCopies(path), { timeout: 60_000 }).toBe(0);
  });
});

describe('compact', () => {
  it('does not block the event loop', async () => {
    const { path, dbUrl } = files.next();
    const service = new DatabaseArtifactService(dbUrl);
    onTestFinished(() => service.close());
    const artifact = { inlineData: { mimeType: 'a/b', data: Buffer.alloc(8 * MIB, 1).toString('base64') } };
    // Large enough for many turns of the event loop, even if other processes are busy.
    for (let i = 0; i < 6; i++) await service.saveArtifact({ ...ref, filename: 'a', artifact });
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await service.compact();
    isOver = true;
    expect(turns).toBeGreaterThan(100);
    expect(await service.loadArtifact({ ...ref, filename: 'a' })).toEqual(artifact);
    expect(statSync(`${path}-wal`).size).toBe(0);
  });

  it('throws STORE_UNAVAILABLE if another connection has the lock for timeoutMs', async () => {
    const { path, dbUrl } = files.next();
    const creator = new DatabaseSessionService(dbUrl);
    await creator.createSession(ref);
    await creator.close();
    const service = new DatabaseSessionService({ dbUrl, timeoutMs: 50 });
    onTestFinished(() => service.close());
    const other = new DatabaseSync(path);
    onTestFinished(() => other.close());
    other.exec('BEGIN IMMEDIATE');
    await expect(service.compact()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true });
    other.exec('COMMIT');
    await service.compact();
  });

  it('has no effect on a database in memory', async () => {
    const service = new DatabaseSessionService('sqlite://:memory:');
    onTestFinished(() => service.close());
    await service.createSession(ref);
    await service.compact();
    expect((await service.getSession(ref))!.lastSeq).toBe(0);
  });

  it('rewrites the SQLite file of a Kysely instance', async () => {
    const path = createFileWithCopies(MIB);
    const kysely = kyselySqlite(new DatabaseSync(path));
    onTestFinished(() => kysely.destroy());
    await new DatabaseSessionService({ db: kysely, dialect: 'sqlite' }).compact();
    expect(countCopies(path)).toBe(0);
  });
});
