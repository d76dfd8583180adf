import { DatabaseSync } from 'node:sqlite';
import type { MemoryEntry } from '@thole/core';
import { SqlMemoryStore } from '@thole/sql-services';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { describeWith } from '../../../../test/servers/index.ts';
import type { Dialect } from '../../src/dialects/dialect.ts';
import { mariadb } from '../../src/dialects/mariadb.ts';
import { postgres } from '../../src/dialects/postgres.ts';
import { sqlite } from '../../src/dialects/sqlite.ts';
import { MemoryLog } from '../../src/memory/memory-log.ts';
import { toIdKey } from '../../src/memory/memory-records.ts';
import { bindChangesSince, getMemoriesSql, listMemoriesSql, changesSinceSql } from '../../src/memory/read-memory.ts';
import { tableNames } from '../../src/schema/table-names.ts';
import { serverTables } from '../support/server-tables.ts';

const USERS = 12;
const ENTRIES = 2_000;
type Index = 'key' | 'ids' | 'kind' | 'session' | 'key or time';
const prefix = 'plans_memory_entries_';
const own = { ids: `${prefix}ids`, kind: `${prefix}kind`, session: `${prefix}session`, time: `${prefix}time` };
const postgresIndexes = { ...own, key: `${prefix}key` };
const mariadbIndexes = { ...own, key: 'PRIMARY' };
const sqliteIndexes = {
  ...{ kind: 'thole_memory_entries_kind', session: 'thole_memory_entries_session', time: 'thole_memory_entries_time' },
  ...{ key: 'sqlite_autoindex_thole_memory_entries_1', ids: 'sqlite_autoindex_thole_memory_entries_2' },
};
type IndexNames = typeof sqliteIndexes;

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

/** Returns the statements of searches and lists with literals, and the index that each statement must use. */
function createStatements(dialect: Dialect, tablePrefix: string): [what: string, sql: string, index: Index][] {
  // Keeps `?` as the placeholder.
  const log = new MemoryLog(
    { ...dialect, statement: (sql) => sql, bindName: (name) => name },
    tableNames(tablePrefix, undefined),
  );
  const withLiterals = (sql: string, parameters: readonly unknown[]): string => {
    const remaining = [...parameters];
    return sql.replaceAll('?', () => {
      const value = remaining.shift();
      return typeof value === 'number' ? String(value) : `'${String(value)}'`;
    });
  };
  const names = log.bindNames(user);
  const list = (filter: Parameters<typeof listMemoriesSql>[1]['filter']): string => {
    const { sql, parameters } = listMemoriesSql(log, { scope: user, after: 0, count: 20, filter });
    return withLiterals(sql, parameters);
  };
  return [
    ['since the beginning', withLiterals(changesSinceSql(log, 100), bindChangesSince(names, 0)), 'key'],
    ['since', withLiterals(changesSinceSql(log, 100), bindChangesSince(names, ENTRIES - 5)), 'key'],
    ['get 1', withLiterals(getMemoriesSql(log, 1), [...names, toIdKey('n1')]), 'ids'],
    ['get 4', withLiterals(getMemoriesSql(log, 4), [...names, ...['n1', 'n2', 'n3', 'n4'].map(toIdKey)]), 'ids'],
    [
      'get 16',
      withLiterals(getMemoriesSql(log, 16), [...names, ...Array.from({ length: 16 }, (_, i) => toIdKey(`n${i}`))]),
      'ids',
    ],
    ['list', list({}), 'key'],
    ['list of facts', list({ kinds: ['fact'] }), 'kind'],
    ['list of a session', list({ sessionId: 's7' }), 'session'],
    ['list of a time', list({ to: 10 }), 'key or time'],
  ];
}

/** Returns a matcher for the name of the expected index. */
function nameIn(names: IndexNames, index: Index): unknown {
  const expected = index === 'key or time' ? [names.key, names.time] : [names[index]];
  return expect.toSatisfy((name: string) => expected.includes(name), expected.join(' or '));
}

describeWith('postgres', 'Query plans of memory on PostgreSQL', (dbUrl) => {
  const tables = serverTables('postgres', dbUrl, 'plans_');
  afterAll(() => tables.close());

  it('use an index for the log, the entries and the lists of a user', { timeout: 300_000 }, async () => {
    await tables.empty();
    const store = new SqlMemoryStore({ dbUrl, tablePrefix: 'plans_', timeoutMs: 300_000 });
    await fill(store);
    await store.close();
    await tables.query('ANALYZE plans_memory_entries');
    await tables.query('ANALYZE plans_memory_scopes');
    for (const [what, sql, index] of createStatements(postgres, 'plans_')) {
      const plan = (await tables.query(`EXPLAIN ${sql}`)).map((row) => String(row['QUERY PLAN'])).join('\n');
      expect(plan, what).not.toMatch(/Seq Scan on plans_memory_entries/);
      const used = [...plan.matchAll(/(?:using|Bitmap Index Scan on) (plans_memory_entries_\w+)/g)].map(
        ([, name]) => name,
      );
      expect({ what, used: [...new Set(used)] }).toEqual({ what, used: [nameIn(postgresIndexes, index)] });
    }
  });
});

describeWith('mariadb', 'Query plans of memory on MariaDB', (dbUrl) => {
  const tables = serverTables('mariadb', dbUrl, 'plans_');
  afterAll(() => tables.close());

  it('use an index for the log, the entries and the lists of a user', { timeout: 300_000 }, async () => {
    await tables.empty();
    const store = new SqlMemoryStore({ dbUrl, tablePrefix: 'plans_', timeoutMs: 300_000 });
    await fill(store);
    await store.close();
    await tables.query('ANALYZE TABLE plans_memory_entries');
    for (const [what, sql, index] of createStatements(mariadb, 'plans_')) {
      const plan = await tables.query(`EXPLAIN ${sql}`);
      // A query for changes reads its page as a derived table. A row without a table is a maximum that was read from an index.
      for (const row of plan.filter(({ table }) => typeof table === 'string' && !table.startsWith('<derived'))) {
        expect([what, row['type']]).not.toEqual([what, 'ALL']);
        expect([what, row['key']]).not.toEqual([what, null]);
        expect(Number(row['rows']), what).toBeLessThanOrEqual(ENTRIES * 4);
      }
      const used = plan.filter((row) => ['c', 'e'].includes(String(row['table']))).map((row) => row['key']);
      expect({ what, used }).toEqual({ what, used: [nameIn(mariadbIndexes, index)] });
    }
  });
});

it('Query plans of memory on SQLite use an index for the log, entries and lists of a user', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'memory-plans-'));
  const path = join(folder, 'plans.db');
  const store = new SqlMemoryStore({ dbUrl: `sqlite:///${path}` });
  await fill(store);
  await store.close();
  const database = new DatabaseSync(path);
  for (const analyzed of [false, true]) {
    if (analyzed) database.exec('ANALYZE');
    for (const [what, sql, index] of createStatements(sqlite, 'thole_')) {
      const plan = database
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map((row) => String(row['detail']));
      const scans = plan.filter((line) => line.startsWith('SCAN') && line !== 'SCAN e LEFT-JOIN');
      const used = plan.map((line) => /^SEARCH [ec] USING (?:COVERING )?INDEX (\S+)/.exec(line)?.[1]).filter(Boolean);
      expect({ what, scans, used }).toEqual({ what, scans: [], used: [nameIn(sqliteIndexes, index)] });
    }
  }
  database.close();
  rmSync(folder, { recursive: true });
});
