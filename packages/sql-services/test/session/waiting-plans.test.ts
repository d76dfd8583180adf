import { DatabaseSync } from 'node:sqlite';
import { SqlSessionStore } from '@thole/sql-services';
import { expect, it, onTestFinished } from 'vitest';
import { sqlite } from '../../src/dialects/sqlite.ts';
import { sqliteFiles } from '../support/sqlite-files.ts';
import { fillWithWaiting, waitingStatements } from '../support/waiting-statements.ts';

const files = sqliteFiles();
const now = 1_700_000_000;

it('Query plans of waiting sessions on SQLite use an index that contains no other sessions', async () => {
  const { path, dbUrl } = files.next();
  const store = new SqlSessionStore({ dbUrl });
  await fillWithWaiting(store, { idleCount: 500, waitingCount: 10, now });
  await store.close();
  const database = new DatabaseSync(path);
  onTestFinished(() => database.close());
  for (const analyzed of [false, true]) {
    if (analyzed) database.exec('ANALYZE');
    for (const [sql, index] of waitingStatements(sqlite, 'thole_', now)) {
      const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
      expect(plan[0]!['detail'], sql).toMatch(new RegExp(`^SEARCH s USING INDEX ${index} \\(app_name=\\?`));
    }
  }
  const indexes = database.prepare(`SELECT name, sql FROM sqlite_master WHERE sql LIKE '% where %'`).all();
  expect(indexes.map(({ name }) => String(name)).sort()).toEqual([
    'thole_sessions_due',
    'thole_sessions_interrupts',
    'thole_sessions_unfinished',
  ]);
});
