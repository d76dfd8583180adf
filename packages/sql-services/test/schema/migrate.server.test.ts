import { createEvent } from '@thole/core';
import { DatabaseArtifactService, DatabaseSessionService } from '@thole/sql-services';
import type { DatabaseSessionServiceOptions } from '@thole/sql-services';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { describeWith } from '../../../../test/servers/index.ts';
import { SCHEMA_VERSION } from '../../src/schema/migrate.ts';
import { downgradeStatements } from '../support/downgrade.ts';
import { recordMariaDb, recordPostgres } from '../support/recording-pool.ts';
import { serverTables } from '../support/server-tables.ts';

const ref = { appName: 'app', userId: 'u', sessionId: 's' };
const event = (id: string, stateDelta = {}) => createEvent({ id, author: 'agent', actions: { stateDelta } });
const request = {
  invocationId: 'i',
  holder: 'r',
  policy: 'queue',
  waitMs: 0,
  maxWaiting: 0,
  ttlMs: 60_000,
  cleanupMs: 0,
} as const;

for (const kind of ['postgres', 'mariadb'] as const) {
  const indexesOfTables = kind === 'mariadb';

  describeWith(kind, `migrate (${kind})`, (dbUrl) => {
    const tables = serverTables(kind, dbUrl, `unused_${process.pid}_`);
    afterAll(() => tables.close());

    function openService(options: DatabaseSessionServiceOptions): DatabaseSessionService {
      const service = new DatabaseSessionService({ dbUrl, ...options });
      onTestFinished(() => service.close());
      return service;
    }

    it('creates the tables once if sixteen services start at the same time', async () => {
      const tablePrefix = `first_${process.pid}_`;
      const services = Array.from({ length: 16 }, () => openService({ tablePrefix, maxConnections: 1 }));
      await Promise.all(services.map((service, i) => service.createSession({ ...ref, sessionId: `s${i}` })));
      expect((await services[0]!.listSessions({ appName: 'app' })).total).toBe(16);
    });

    it.each([1, 2, 3, 4] as const)('updates tables of version %i once for many services', async (version) => {
      const tablePrefix = `old${version}_${process.pid}_`;
      const old = openService({ tablePrefix });
      const session = await old.createSession({ ...ref, state: { a: 1, 'user:b': 2 } });
      await old.appendEvent({ session, event: event('e1') });
      await old.leasing!.lease(ref, request);
      for (const statement of downgradeStatements(tablePrefix, version, { indexesOfTables }))
        await tables.query(statement);
      const services = Array.from({ length: 8 }, () => openService({ tablePrefix, maxConnections: 1 }));
      const sessions = await Promise.all(services.map((service) => service.getSession(ref)));
      expect(sessions.map((each) => [each!.lastSeq, each!.state])).toEqual(
        services.map(() => [1, { a: 1, 'user:b': 2 }]),
      );
      const [service] = services;
      expect((await service!.leasing!.current(ref))!.invocationId).toBe('i');
      await (await service!.leasing!.lease({ ...ref, sessionId: 'other' }, request)).release();
    });

    it('repeats an update of version 2 that ended after its first column', async () => {
      const tablePrefix = `half_${process.pid}_`;
      await openService({ tablePrefix }).createSession(ref);
      for (const statement of downgradeStatements(tablePrefix, 2, { indexesOfTables })) await tables.query(statement);
      // Only MariaDB keeps the column: PostgreSQL rolls back.
      if (kind === 'mariadb') {
        await tables.query(`ALTER TABLE ${tablePrefix}sessions ADD COLUMN unfinished varbinary(512)`);
      }
      expect((await openService({ tablePrefix }).getSession(ref))!.lastSeq).toBe(0);
    });

    it('repeats an update of version 3 that ended after its first index', async () => {
      const tablePrefix = `half4_${process.pid}_`;
      await openService({ tablePrefix }).createSession(ref);
      const sessions = `${tablePrefix}sessions`;
      for (const statement of downgradeStatements(tablePrefix, 3, { indexesOfTables })) await tables.query(statement);
      // Only MariaDB keeps the column and the index: PostgreSQL rolls back.
      if (kind === 'mariadb') {
        await tables.query(`ALTER TABLE ${sessions} ADD COLUMN forked_from longtext`);
        await tables.query(`CREATE INDEX ${sessions}_unfinished ON ${sessions} (app_name, unfinished)`);
      }
      expect((await openService({ tablePrefix }).getSession(ref))!.lastSeq).toBe(0);
    });

    it('leaves a version after each statement of an update, also if the process ends there', async () => {
      const tablePrefix = `each_${process.pid}_`;
      await openService({ tablePrefix }).createSession(ref);
      for (const statement of downgradeStatements(tablePrefix, 1, { indexesOfTables })) await tables.query(statement);
      const versions = new Set<unknown>();
      const readVersion = async (): Promise<void> => {
        const [row] = await tables.query(`SELECT content FROM ${tablePrefix}meta`);
        versions.add(row?.['content']);
      };
      const { pool, close } =
        kind === 'postgres' ? recordPostgres(dbUrl, readVersion) : recordMariaDb(dbUrl, readVersion);
      await new DatabaseSessionService({ db: pool, dialect: kind, tablePrefix }).migrate();
      await close();
      // PostgreSQL shows the changes after the commit.
      expect([...versions]).toEqual(kind === 'mariadb' ? ['1', '2', '3', '4', '5'] : ['1', '5']);
    });

    it('is required with autoMigrate: false', async () => {
      const options = { tablePrefix: `explicit_${process.pid}_` };
      const service = openService({ ...options, autoMigrate: false });
      await expect(service.getSession(ref)).rejects.toMatchObject({
        code: 'STORE_VERSION',
        message: expect.stringContaining('migrate()'),
      });
      await openService(options).migrate();
      expect(await service.getSession(ref)).toBeUndefined();
    });

    it('throws STORE_VERSION for tables of a later version', async () => {
      const options = { tablePrefix: `newer_${process.pid}_` };
      await openService(options).migrate();
      await tables.query(`UPDATE ${options.tablePrefix}meta SET content = '${SCHEMA_VERSION + 1}'`);
      await expect(openService(options).getSession(ref)).rejects.toMatchObject({ code: 'STORE_VERSION' });
    });

    it('creates the tables in the given schema, and names the error if it does not exist', async () => {
      const schema = `schema_${process.pid}`;
      const tablePrefix = 'schema_test_';
      await tables.query(`DROP SCHEMA IF EXISTS ${schema}${kind === 'postgres' ? ' CASCADE' : ''}`);
      await expect(openService({ schema, tablePrefix }).createSession(ref)).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
        message: expect.stringMatching(/\(\w+\)/),
      });
      await tables.query(`CREATE SCHEMA ${schema}`);
      const service = openService({ schema, tablePrefix });
      await service.createSession({ ...ref, state: { a: 1, 'app:b': 2 } });
      await service.appendEvent({ session: ref, event: event('e1', { 'user:c': 3 }) });
      const lease = await service.leasing!.lease(ref, request);
      await service.appendEvent({ session: ref, event: event('e2'), fence: lease.fence });
      await lease.release();
      expect((await service.getSession(ref))!.state).toEqual({ a: 1, 'app:b': 2, 'user:c': 3 });
      expect(await openService({ tablePrefix }).getSession(ref)).toBeUndefined();
      const artifacts = new DatabaseArtifactService({ dbUrl, schema, tablePrefix });
      onTestFinished(() => artifacts.close());
      expect(await artifacts.saveArtifact({ ...ref, filename: 'a', artifact: { text: 'x' } })).toBe(0);
      const rows = await tables.query(`SELECT seq FROM ${schema}.${tablePrefix}events`);
      expect(rows).toHaveLength(2);
      await tables.query(`DROP SCHEMA ${schema}${kind === 'postgres' ? ' CASCADE' : ''}`);
    });
  });
}
