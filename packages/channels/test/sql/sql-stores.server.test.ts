import { createPool } from 'mysql2/promise';
import { Pool } from 'pg';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { describeWith } from '../../../../test/servers/index.ts';
import { SqlDeliveryStore, SqlIdentityStore } from '../../src/sql/index.ts';
import type { SqlDatabase } from '../../src/sql/index.ts';
import { deliveryStoreCases } from '../delivery/delivery-store-cases.ts';

function openPostgres(url: string): SqlDatabase {
  const pool = new Pool({ connectionString: url });
  return {
    dialect: 'postgresql',
    query: async (sql, parameters) => {
      const { rowCount, rows } = await pool.query<{ [column: string]: unknown }>(sql, [...parameters]);
      return { rows, changes: rowCount ?? 0 };
    },
    close: () => pool.end(),
  };
}

function openMariaDb(url: string): SqlDatabase {
  const pool = createPool(url);
  return {
    dialect: 'mysql',
    query: async (sql, parameters) => {
      const [result] = await pool.execute(sql, [...parameters]);
      if (Array.isArray(result)) return { rows: result as { [column: string]: unknown }[], changes: 0 };
      return { rows: [], changes: result.affectedRows };
    },
    close: () => pool.end(),
  };
}

for (const [kind, connect] of [
  ['postgres', openPostgres],
  ['mariadb', openMariaDb],
] as const) {
  describeWith(kind, `SQL stores of channels on ${kind}`, (dbUrl) => {
    const database = connect(dbUrl);
    const tablePrefix = 'test_';
    afterAll(() => database.close!());
    beforeEach(async () => {
      for (const table of ['channel_inbound', 'channel_outbound', 'channel_identities'])
        await database.query(`DROP TABLE IF EXISTS ${tablePrefix}${table}`, []);
    });

    describe('SqlDeliveryStore', () => {
      deliveryStoreCases(() => new SqlDeliveryStore({ database, tablePrefix }));
    });

    it('loses no concurrent change of several SqlIdentityStores', async () => {
      const stores = Array.from({ length: 3 }, () => new SqlIdentityStore({ database, tablePrefix }));
      await stores[0]!.list();
      await Promise.all(Array.from({ length: 12 }, (_, i) => stores[i % 3]!.create({ name: `Üser ${i}` })));
      const users = await stores[0]!.list();
      expect(users).toHaveLength(12);
      expect(new Set(users.map(({ id }) => id)).size).toBe(12);
    });
  });
}
