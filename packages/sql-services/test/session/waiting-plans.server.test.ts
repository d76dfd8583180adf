import { SqlSessionStore } from '@thole/sql-services';
import { afterAll, expect, it } from 'vitest';
import { describeWith } from '../../../../test/servers/index.ts';
import { mariadb } from '../../src/dialects/mariadb.ts';
import { postgres } from '../../src/dialects/postgres.ts';
import { serverTables } from '../support/server-tables.ts';
import type { ServerTables } from '../support/server-tables.ts';
import { fillWithWaiting, waitingStatements } from '../support/waiting-statements.ts';

const tablePrefix = 'waiting_plans_';
const sessions = `${tablePrefix}sessions`;
const now = 1_700_000_000;
const WAITING = 20;

/** Stores 12,800 sessions, of which 60 wait. */
async function fill(dbUrl: string, tables: ServerTables): Promise<void> {
  await tables.empty();
  const store = new SqlSessionStore({ dbUrl, tablePrefix });
  await fillWithWaiting(store, { idleCount: 200, waitingCount: WAITING, now });
  await store.close();
  const columns = `incarnation, initial_state, state, create_time, last_update_time, last_seq, open_interrupts, v`;
  for (let doubling = 0; doubling < 6; doubling++) {
    await tables.query(`INSERT INTO ${sessions} (app_name, user_id, session_id, ${columns})
      SELECT app_name, user_id, CONCAT(session_id, '+${doubling}'), ${columns} FROM ${sessions}
      WHERE unfinished IS NULL AND wake_at IS NULL AND open_interrupts = 0`);
  }
}

describeWith('postgres', 'Query plans of waiting sessions on PostgreSQL', (dbUrl) => {
  const tables = serverTables('postgres', dbUrl, tablePrefix);
  afterAll(() => tables.close());

  it('use an index that contains no other sessions', async () => {
    await fill(dbUrl, tables);
    await tables.query(`ANALYZE ${sessions}`);
    for (const [sql, index] of waitingStatements(postgres, tablePrefix, now)) {
      const plan = (await tables.query(`EXPLAIN ${sql}`)).map((row) => String(row['QUERY PLAN'])).join('\n');
      const used = [...plan.matchAll(/(?:using|Bitmap Index Scan on) (\w+)|Seq Scan/g)].map(([, name]) => name);
      expect(used, `${sql}\n${plan}`).toEqual([index]);
    }
    const indexes = await tables.query(
      `SELECT indexname FROM pg_indexes WHERE tablename = '${sessions}' AND indexdef LIKE '% WHERE %'`,
    );
    expect(indexes).toHaveLength(3);
  });
});

describeWith('mariadb', 'Query plans of waiting sessions on MariaDB', (dbUrl) => {
  const tables = serverTables('mariadb', dbUrl, tablePrefix);
  afterAll(() => tables.close());

  it('use an index and read only the sessions that wait', async () => {
    await fill(dbUrl, tables);
    await tables.query(`ANALYZE TABLE ${sessions}`);
    for (const [sql, index] of waitingStatements(mariadb, tablePrefix, now)) {
      const [row] = await tables.query(`EXPLAIN ${sql}`);
      expect([row!['type'], row!['key']], sql).toEqual(['range', index]);
      expect(Number(row!['rows']), sql).toBeLessThanOrEqual(2 * WAITING);
    }
  });
});
