import { DatabaseSync } from 'node:sqlite';
import type { MemoryEntry } from '@thole/core';
import { SqlMemoryStore } from '@thole/sql-services';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { describeWith } from '../../../test/servers/index.ts';
import type { Dialect } from '../src/dialects/dialect.ts';
import { mariadb } from '../src/dialects/mariadb.ts';
import { postgres } from '../src/dialects/postgres.ts';
import { sqlite } from '../src/dialects/sqlite.ts';
import { MemoryLog } from '../src/memory/memory-log.ts';
import { getSql, listSql, sinceSql } from '../src/memory/read-memory.ts';
import { tableNames } from '../src/schema/table-names.ts';
import { serverTables } from './server-tables.ts';

const USERS = 12;
const ENTRIES = 2_000;
const user = { appName: 'app', userId: 'u5' };

async function fill(store: SqlMemoryStore): Promise<void> {
  for (let u = 0; u < USERS; u++) {
    const entries = Array.from({ length: ENTRIES }, (_, i): MemoryEntry => {
      const content = { parts: [{ text: `text ${i} `.repeat(10) }] };
      return { id: `n${i}`, kind: i % 100 === 0 ? 'fact' : 'turn', content, timestamp: i, sessionId: `s${i % 50}` };
    });
    await store.put({ appName: 'app', userId: `u${u}` }, entries, 'ifAbsent');
  }
}

/** The statements that search and lists are made of, with literals in the place of parameters. */
function statements(dialect: Dialect, tablePrefix: string): [string, string][] {
  // As they are before the dialect numbers their parameters.
  const log = new MemoryLog(
    { ...dialect, statement: (sql) => sql, bindName: (name) => name },
    tableNames(tablePrefix, undefined),
  );
  const written = (sql: string, parameters: readonly unknown[]): string => {
    const left = [...parameters];
    return sql.replaceAll('?', () => {
      const value = left.shift();
      return typeof value === 'number' ? String(value) : `'${String(value)}'`;
    });
  };
  const names = log.names(user);
  const list = (filter: Parameters<typeof listSql>[1]['filter']): string => {
    const { sql, parameters } = listSql(log, { scope: user, after: 0, count: 20, filter });
    return written(sql, parameters);
  };
  return [
    ['since', written(sinceSql(log, 100), [ENTRIES - 5, ...names])],
    ['get', written(getSql(log, 4), [...names, 'n1', 'n2', 'n3', 'n4'])],
    ['list', list({})],
    ['list of facts', list({ kinds: ['fact'] })],
    ['list of a session', list({ sessionId: 's7' })],
    ['list of a time', list({ to: 10 })],
  ];
}

describeWith('postgres', 'how PostgreSQL finds memory', (dbUrl) => {
  const tables = serverTables('postgres', dbUrl, 'plans_');
  afterAll(() => tables.close());

  it('goes through an index to the log, entries and lists of one user', { timeout: 300_000 }, async () => {
    await tables.empty();
    const store = new SqlMemoryStore({ dbUrl, tablePrefix: 'plans_', timeoutMs: 300_000 });
    await fill(store);
    await store.close();
    await tables.query('ANALYZE plans_memory_entries');
    await tables.query('ANALYZE plans_memory_scopes');
    for (const [what, sql] of statements(postgres, 'plans_')) {
      const plan = (await tables.query(`EXPLAIN ${sql}`)).map((row) => String(row['QUERY PLAN'])).join('\n');
      expect(plan, what).not.toMatch(/Seq Scan on plans_memory_entries/);
      expect(plan, what).toMatch(/Index Scan|Index Only Scan|Bitmap Index Scan/);
    }
  });
});

describeWith('mariadb', 'how MariaDB finds memory', (dbUrl) => {
  const tables = serverTables('mariadb', dbUrl, 'plans_');
  afterAll(() => tables.close());

  it('goes through an index to the log, entries and lists of one user', { timeout: 300_000 }, async () => {
    await tables.empty();
    const store = new SqlMemoryStore({ dbUrl, tablePrefix: 'plans_', timeoutMs: 300_000 });
    await fill(store);
    await store.close();
    await tables.query('ANALYZE TABLE plans_memory_entries');
    for (const [what, sql] of statements(mariadb, 'plans_')) {
      const plan = await tables.query(`EXPLAIN ${sql}`);
      expect(plan.length, what).toBe(2);
      for (const row of plan) {
        expect([what, row['type']]).not.toEqual([what, 'ALL']);
        expect([what, row['key']]).not.toEqual([what, null]);
        expect(Number(row['rows']), what).toBeLessThanOrEqual(ENTRIES * 4);
      }
    }
  });
});

it('goes through an index to the log, entries and lists of one user in SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'memory-plans-'));
  const path = join(folder, 'plans.db');
  const store = new SqlMemoryStore({ dbUrl: `sqlite:///${path}` });
  await fill(store);
  await store.close();
  const database = new DatabaseSync(path);
  for (const [what, sql] of statements(sqlite, 'thole_')) {
    const plan = database
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map((row) => String(row['detail']));
    expect(
      plan.filter((line) => line.startsWith('SCAN')),
      what,
    ).toEqual([]);
    expect(
      plan.some((line) => /^SEARCH e USING (?:COVERING )?INDEX/.test(line)),
      `${what}: ${plan.join('; ')}`,
    ).toBe(true);
  }
  database.close();
  rmSync(folder, { recursive: true });
});
