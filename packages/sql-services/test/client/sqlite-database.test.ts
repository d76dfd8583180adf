import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { systemRuntime } from '@thole/core';
import { DatabaseArtifactService, DatabaseSessionService } from '@thole/sql-services';
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
    ['NORMAL', 1],
    ['FULL', 2],
  ] as const)('has the setting synchronous: %s in WAL mode', async (synchronous, level) => {
    const { path } = files.next();
    const settings = { readOnly: false, dialect: sqlite, runtime: systemRuntime(), timeoutMs: 1_000 };
    const database = new SqliteDatabase({ path, synchronous, ...settings });
    const read = async (pragma: string): Promise<unknown> => {
      const { rows } = await database.run(() => query(`PRAGMA ${pragma}`), { writes: false });
      return Object.values(rows[0]!)[0];
    };
    expect(Number(await read('synchronous'))).toBe(level);
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
