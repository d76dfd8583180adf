import { appendFileSync } from 'node:fs';
import { TholeError } from '@thole/core';
import { PgVectorStore } from '@thole/sql-services';
import { register, vectorStoreCases } from '@thole/testing';
import pg from 'pg';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { describeWith } from '../../../../test/servers/index.ts';
import { recordPostgres } from '../support/recording-pool.ts';
import { earlierTable } from './earlier-table.ts';
import { startPgvector } from './start-pgvector.ts';

const { postgres: url, skipped } = inject('servers');
const hasExtension = url !== undefined && (await isAvailable(url));
const wasmServer = hasExtension ? undefined : await startPgvector().catch((error: Error) => error.message);
const user = { appName: 'hotel', userId: 'ada' };

async function isAvailable(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows } = await client.query(`SELECT 1 FROM pg_available_extensions WHERE name = 'vector'`);
  await client.end();
  return rows.length > 0;
}

describeWith('postgres', 'PgVectorStore', (dbUrl) => {
  if (hasExtension) runSuite(dbUrl);
  else testWithoutExtension(dbUrl);

  it('throws STORE_UNAVAILABLE after close', async () => {
    const store = new PgVectorStore({ dbUrl });
    await store.ping();
    await store.close();
    await expect(store.ping()).rejects.toSatisfy((error) => TholeError.is(error, 'STORE_UNAVAILABLE'));
  });
});

// Runs the suite in this process if the server does not have the extension.
describe.skipIf(typeof wasmServer !== 'object')('PgVectorStore on PostgreSQL as WebAssembly', () => {
  if (typeof wasmServer !== 'object') return;
  afterAll(() => wasmServer.stop());
  runSuite(wasmServer.url);
});

function runSuite(dbUrl: string): void {
  const tablePrefix = 'pgvector_suite_';
  const pool = new pg.Pool({ connectionString: dbUrl, max: 1 });
  afterAll(() => pool.end());
  register({ describe, it }, vectorStoreCases, {
    name: 'suite',
    claims: ['has', 'shared'],
    async create(runtime) {
      await pool.query(`DROP TABLE IF EXISTS ${tablePrefix}vectors`);
      return new PgVectorStore({ dbUrl, tablePrefix, runtime });
    },
    reopen: (_, runtime) => new PgVectorStore({ dbUrl, tablePrefix, runtime }),
    destroy: (store) => (store as PgVectorStore).close(),
  });

  it('updates a table of an earlier version, and keeps its vectors', async () => {
    await pool.query('CREATE EXTENSION IF NOT EXISTS vector');
    await pool.query(`DROP TABLE IF EXISTS ${tablePrefix}vectors`);
    for (const sql of earlierTable(tablePrefix, 'vector')) await pool.query(sql);
    await pool.query(`INSERT INTO ${tablePrefix}vectors VALUES ('hotel', 'ada', '=a', '"a"', 'm', 2, '[1,0]')`);
    const row = { id: 'a', model: 'n', vector: Float32Array.of(0, 1) };
    const old = new PgVectorStore({ dbUrl, tablePrefix, autoMigrate: false });
    await expect(old.upsert(user, [row])).rejects.toMatchObject({ code: 'STORE_VERSION' });
    const stores = [new PgVectorStore({ dbUrl, tablePrefix }), new PgVectorStore({ dbUrl, tablePrefix })];
    await Promise.all(stores.map((store) => store.upsert(user, [row])));
    for (const [model, vector] of [
      ['m', Float32Array.of(1, 0)],
      ['n', row.vector],
    ] as const)
      expect(await old.query(user, { model, vector, limit: 3 })).toMatchObject([{ id: 'a' }]);
    for (const store of [...stores, old]) await store.close();
  });

  it('creates nothing and takes no lock if the table exists', async () => {
    await pool.query(`DROP TABLE IF EXISTS ${tablePrefix}vectors`);
    const first = new PgVectorStore({ dbUrl, tablePrefix });
    const vector = Float32Array.of(1, 0);
    await first.upsert(user, [{ id: 'a', model: 'm', vector }]);
    await first.close();
    const recording = recordPostgres(dbUrl);
    const store = new PgVectorStore({ db: recording.pool, tablePrefix });
    expect(await store.query(user, { model: 'm', vector, limit: 1 })).toMatchObject([{ id: 'a' }]);
    expect(recording.roundTrips.map(({ text }) => text.split(' ')[0])).toEqual(['SELECT', 'SELECT']);
    expect(recording.roundTrips.filter(({ text }) => text.includes('lock'))).toEqual([]);
    await recording.close();
  });

  it('finds entries with an index of pgvector, as the README describes', async () => {
    await pool.query(`DROP TABLE IF EXISTS ${tablePrefix}vectors`);
    const store = new PgVectorStore({ dbUrl, tablePrefix });
    await store.migrate();
    await pool.query(`ALTER TABLE ${tablePrefix}vectors ALTER COLUMN vector TYPE vector(2)`);
    await pool.query(
      `CREATE INDEX ${tablePrefix}nearest ON ${tablePrefix}vectors USING hnsw (vector vector_cosine_ops)`,
    );
    await store.migrate();
    const rows = Array.from({ length: 300 }, (_, i) => ({
      id: `e${i}`,
      model: 'm',
      vector: Float32Array.of(300 - i, i),
    }));
    await store.upsert(user, rows);
    const query = { model: 'm', vector: Float32Array.of(1, 0), limit: 3 };
    expect((await store.query(user, query)).map(({ id }) => id)).toEqual(['e0', 'e1', 'e2']);
    await store.close();
  });
}

function testWithoutExtension(dbUrl: string): void {
  if (typeof wasmServer === 'string') {
    console.warn(wasmServer);
    appendFileSync(skipped, `pgvector ${expect.getState().testPath}\n`);
  }

  it('throws DRIVER_MISSING in every call if the server does not have pgvector', async () => {
    const store = new PgVectorStore({ dbUrl });
    const row = { id: 'a', model: 'm', vector: Float32Array.of(1, 0) };
    const calls = [
      () => store.upsert(user, [row]),
      () => store.query(user, { ...row, limit: 3 }),
      () => store.delete(user, ['a']),
      () => store.has(user, { model: 'm', ids: ['a'] }),
      () => store.migrate(),
    ];
    for (const call of calls) {
      await expect(call()).rejects.toSatisfy((error) => TholeError.is(error, 'DRIVER_MISSING'));
      await expect(call()).rejects.toThrow('Install pgvector');
    }
    await store.close();
  });
}
