import type { MemoryEntry } from '@thole/core';
import { DatabaseSessionService, SqlMemoryStore } from '@thole/sql-services';
import { createConnection, createPool } from 'mysql2/promise';
import type { Connection, RowDataPacket } from 'mysql2/promise';
import { expect, it, onTestFinished } from 'vitest';
import { describeWith } from '../../../../test/servers/index.ts';
import { serverTables } from '../support/server-tables.ts';

const user = { appName: 'hotel', userId: 'ada' };
const entry = (id: string): MemoryEntry => ({
  id,
  kind: 'note',
  content: { role: 'user', parts: [{ text: id }] },
});

describeWith('mariadb', 'Isolation of transactions on MariaDB', (dbUrl) => {
  it.each(['a URL', 'a pool of the caller'])('is READ COMMITTED for writes with %s', async (kind) => {
    const tablePrefix = `isolation_${kind.length}_`;
    const tables = serverTables('mariadb', dbUrl, tablePrefix);
    onTestFinished(() => tables.close());
    const pool = kind === 'a URL' ? undefined : createPool(dbUrl);
    onTestFinished(() => pool?.end());
    const store = new SqlMemoryStore({ ...(pool ? { db: pool, dialect: 'mariadb' } : { dbUrl }), tablePrefix });
    onTestFinished(() => store.close());
    await store.put(user, [entry('first')], 'replace');

    // The store's transaction waits for this lock, so that the test can query its isolation level.
    const lock = await connect(dbUrl);
    await lock.query('START TRANSACTION');
    await lock.query(`SELECT * FROM ${tablePrefix}memory_scopes FOR UPDATE`);
    const writing = store.put(user, [entry('second')], 'replace');
    // The server updates this table only if it was not read for 100 ms.
    const level = expect.poll(() => levelOfWaiting(lock, `${tablePrefix}memory_scopes`), { interval: 200 });
    await level.toBe('READ COMMITTED');
    await lock.query('ROLLBACK');
    expect((await writing).written).toEqual(['second']);
  });

  it('does not change the connections of the caller', async () => {
    const tablePrefix = 'isolation_callers_';
    const tables = serverTables('mariadb', dbUrl, tablePrefix);
    onTestFinished(() => tables.close());
    const pool = createPool({ uri: dbUrl, connectionLimit: 1 });
    onTestFinished(() => pool.end());
    const level = async (): Promise<unknown> => {
      const [[row]] = await pool.query<RowDataPacket[]>('SELECT @@SESSION.tx_isolation AS level');
      return row!['level'];
    };
    const before = await level();
    const service = new DatabaseSessionService({ db: pool, dialect: 'mariadb', tablePrefix });
    await service.createSession({ ...user, sessionId: 's' });
    await service.listSessions(user);
    await service.close();
    expect(await level()).toBe(before);
  });
});

async function connect(dbUrl: string): Promise<Connection> {
  const connection = await createConnection(dbUrl);
  onTestFinished(() => connection.end());
  return connection;
}

/** Returns the isolation level of the transaction that waits for a lock on this table. */
async function levelOfWaiting(connection: Connection, table: string): Promise<unknown> {
  const sql = `SELECT trx_isolation_level AS level FROM information_schema.innodb_trx
    WHERE trx_state = 'LOCK WAIT' AND trx_query LIKE ?`;
  const [[row]] = await connection.query<RowDataPacket[]>(sql, [`%${table}%`]);
  return row?.['level'];
}
