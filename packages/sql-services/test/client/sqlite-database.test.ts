import { copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createEvent, systemRuntime } from '@thole/core';
import { DatabaseArtifactService, DatabaseSessionService } from '@thole/sql-services';
import { FixedRuntime } from '@thole/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { query } from '../../src/client/sql-database.ts';
import { SqliteDatabase } from '../../src/client/sqlite-database.ts';
import { sqlite } from '../../src/dialects/sqlite.ts';
import { sqliteFiles } from '../support/sqlite-files.ts';

const files = sqliteFiles();
const ref = { appName: 'app', userId: 'u', sessionId: 's' };

function openService(options: ConstructorParameters<typeof DatabaseSessionService>[0]): DatabaseSessionService {
  const service = new DatabaseSessionService(options);
  onTestFinished(() => service.close());
  return service;
}

describe('A long series of calls to a SQLite database', () => {
  it('lets the event loop run every 10 ms', async () => {
    let now = 0;
    const runtime = { ...systemRuntime(), monotonic: () => (now += 1) };
    const service = openService({ dbUrl: 'sqlite://:memory:', runtime });
    await service.createSession(ref);
    let turns = 0;
    let isDone = false;
    const countTurn = (): void => {
      turns++;
      if (!isDone) setImmediate(countTurn);
    };
    setImmediate(countTurn);
    for (let i = 0; i < 100; i++) await service.getUserState(ref);
    isDone = true;
    expect(turns).toBeGreaterThan(10);
  });
});

describe('SQLite file', () => {
  it('is created with its folder and in WAL mode at the first call', async () => {
    const path = join(files.folder, 'new/folder/thole.db');
    const service = openService(`sqlite:///${path}`);
    expect(() => new DatabaseSync(path, { readOnly: true })).toThrow();
    await service.createSession(ref);
    const file = new DatabaseSync(path, { readOnly: true });
    expect(file.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    file.close();
  });

  it.each([
    ['NORMAL', 1, 0],
    ['FULL', 2, 1],
  ] as const)('has the setting synchronous: %s in WAL mode', async (synchronous, level, fullFlush) => {
    const { path } = files.next();
    const settings = { readOnly: false, dialect: sqlite, runtime: systemRuntime(), timeoutMs: 1_000 };
    const database = new SqliteDatabase({ path, synchronous, ...settings });
    const read = async (pragma: string): Promise<unknown> => {
      const { rows } = await database.run(() => query(`PRAGMA ${pragma}`), { writes: false });
      return Object.values(rows[0]!)[0];
    };
    expect(Number(await read('synchronous'))).toBe(level);
    // These two settings have an effect on macOS only.
    expect(Number(await read('fullfsync'))).toBe(fullFlush);
    expect(Number(await read('checkpoint_fullfsync'))).toBe(1);
    expect(await read('journal_mode')).toBe('wal');
    await database.close();
  });

  it('contains the tables of several services with different prefixes', async () => {
    const { dbUrl } = files.next();
    const [first, second] = [
      openService({ dbUrl, tablePrefix: 'one_' }),
      openService({ dbUrl, tablePrefix: 'other_' }),
    ];
    await first.createSession(ref);
    expect(await second.getSession(ref)).toBeUndefined();
    const artifacts = new DatabaseArtifactService(dbUrl);
    onTestFinished(() => artifacts.close());
    expect(await artifacts.saveArtifact({ ...ref, filename: 'a', artifact: { text: 'x' } })).toBe(0);
  });

  it('throws STORE_UNAVAILABLE if it is not a database or cannot be opened', async () => {
    const { path, dbUrl } = files.next();
    writeFileSync(path, 'This text is long enough to be read as the header of a database file. '.repeat(50));
    await expect(openService(dbUrl).getSession(ref)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    const below = openService(`sqlite:///${path}/below.db`);
    await expect(below.getSession(ref)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });

  it('throws STORE_UNAVAILABLE after close, which can be repeated', async () => {
    const service = openService(files.next().dbUrl);
    await service.createSession(ref);
    await service.close();
    await service.close();
    await expect(service.getSession(ref)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });
});

describe('DatabaseSessionService.close', () => {
  it('ends watchers with RUN_ABORTED', async () => {
    const service = openService({ dbUrl: files.next().dbUrl, pollMs: 20 });
    await service.createSession(ref);
    await service.appendEvent({ session: ref, event: createEvent({ author: 'a' }) });
    const events = service.watching!.watch(ref, 0, AbortSignal.timeout(5_000))[Symbol.asyncIterator]();
    expect((await events.next()).value).toMatchObject({ seq: 1 });
    const next = events.next();
    await service.close();
    await expect(next).rejects.toMatchObject({ code: 'RUN_ABORTED', message: 'The session store was closed.' });
  });

  it('makes later calls fail with STORE_UNAVAILABLE that says so', async () => {
    const service = openService(files.next().dbUrl);
    await service.createSession(ref);
    await service.close();
    for (const call of ['getSession', 'ping', 'deleteSession'] as const) {
      await expect(service[call](ref)).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
        message: expect.stringMatching(/refused the call: The database was closed\.$/),
      });
    }
  });
});

describe('A SQLite file that another process has locked', () => {
  it.each(['create the tables', 'write'])('is named in STORE_UNAVAILABLE when a call cannot %s', async (what) => {
    const { dbUrl, path } = files.next();
    const service = openService({ dbUrl, timeoutMs: 100 });
    if (what === 'write') await service.createSession({ ...ref, sessionId: 'other' });
    const file = new DatabaseSync(path);
    file.exec('BEGIN IMMEDIATE');
    await expect(service.createSession(ref)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: `The file ${path} was locked until the time limit. Nothing was written.`,
    });
    file.exec('COMMIT');
    file.close();
    await service.createSession(ref);
  });

  it('ends migrate() at the time limit', async () => {
    const { dbUrl, path } = files.next();
    const service = openService({ dbUrl, timeoutMs: 100 });
    const file = new DatabaseSync(path);
    file.exec('PRAGMA journal_mode = WAL; BEGIN IMMEDIATE');
    await expect(service.migrate()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    file.exec('COMMIT');
    file.close();
    await service.migrate();
  });
});

describe('A SQLite file that is open', () => {
  it.each([
    ['deleted', (path: string) => rmSync(path)],
    ['moved', (path: string) => renameSync(path, `${path}.moved`)],
    [
      'replaced',
      (path: string) => {
        copyFileSync(path, `${path}.copy`);
        renameSync(`${path}.copy`, path);
      },
    ],
  ])('accepts no calls after it was %s', async (what, change) => {
    const { dbUrl, path } = files.next();
    const runtime = new FixedRuntime();
    const service = openService({ dbUrl, runtime });
    const session = await service.createSession(ref);
    await runtime.advance(1_000);
    await service.appendEvent({ session, event: createEvent({ author: 'a' }) });
    change(path);
    await runtime.advance(1_000);
    const error = {
      code: 'STORE_UNAVAILABLE',
      message: `The file ${path} was deleted, moved or replaced while it was open. Nothing was written. Restart the process.`,
    };
    await expect(service.appendEvent({ session, event: createEvent({ author: 'a' }) })).rejects.toMatchObject(error);
    await expect(service.getSession(ref)).rejects.toMatchObject(error);
    if (what !== 'moved') return;
    renameSync(`${path}.moved`, path);
    expect((await service.getSession(ref))?.lastSeq).toBe(1);
  });
});

describe('timeoutMs', () => {
  it('may be greater than the maximum of a timer', async () => {
    const { dbUrl, path } = files.next();
    const service = openService({ dbUrl, timeoutMs: 2 ** 31 });
    await service.createSession({ ...ref, state: { text: 'a text to delete' } });
    await service.compact();
    expect(readFileSync(path, 'latin1')).toContain('a text to delete');
    await service.deleteSession(ref);
    await service.compact();
    expect(readFileSync(path, 'latin1')).not.toContain('a text to delete');
  });
});
