import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemRuntime } from '@thole/core';
import { expect, it, onTestFinished } from 'vitest';
import { query } from '../../src/client/sql-database.ts';
import { SqliteDatabase } from '../../src/client/sqlite-database.ts';
import { sqlite } from '../../src/dialects/sqlite.ts';

it.each([
  ['NORMAL', 1],
  ['FULL', 2],
] as const)('synchronous: %s is what SQLite is told, over a write-ahead log', async (synchronous, level) => {
  const folder = mkdtempSync(join(tmpdir(), 'sqlite-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'a.db');
  const runtime = systemRuntime();
  const database = new SqliteDatabase({
    path,
    readOnly: false,
    synchronous,
    dialect: sqlite,
    runtime,
    timeoutMs: 1_000,
  });
  const told = async (pragma: string): Promise<unknown> => {
    const { rows } = await database.run(() => query(`PRAGMA ${pragma}`), { writes: false });
    return Object.values(rows[0]!)[0];
  };
  expect(Number(await told('synchronous'))).toBe(level);
  expect(await told('journal_mode')).toBe('wal');
  await database.close();
});
