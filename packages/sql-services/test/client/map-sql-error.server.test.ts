import { createEvent } from '@thole/core';
import type { TholeError } from '@thole/core';
import { DatabaseSessionService } from '@thole/sql-services';
import { expect, it, onTestFinished } from 'vitest';
import { describeWith } from '../../../../test/servers/index.ts';

const ref = { appName: 'app', userId: 'u', sessionId: 's' };

async function failureOf(call: Promise<unknown>): Promise<TholeError> {
  return call.then(
    () => expect.fail('The call succeeded.'),
    (error: unknown) => error as TholeError,
  );
}

for (const kind of ['postgres', 'mariadb'] as const) {
  describeWith(kind, `Errors of ${kind}`, (url) => {
    const at = new URL(url);
    const openService = (
      change: (url: URL) => void,
      options: { autoMigrate?: boolean; tablePrefix?: string } = {},
    ): DatabaseSessionService => {
      const dbUrl = new URL(url);
      change(dbUrl);
      const service = new DatabaseSessionService({ dbUrl: dbUrl.href, tablePrefix: `e${process.pid}_`, ...options });
      onTestFinished(() => service.close());
      return service;
    };

    it('name host, port, database and reason if the database does not exist', async () => {
      const service = openService((other) => void (other.pathname = '/no_such_hotel'));
      const error = await failureOf(service.createSession(ref));
      expect(error.code).toBe('STORE_UNAVAILABLE');
      expect(error.message).toContain(`The database "no_such_hotel" at ${at.hostname}:${at.port} refused the call: `);
      expect(error.message).toMatch(/3D000|ER_BAD_DB_ERROR|ER_DBACCESS_DENIED_ERROR/);
      expect(error.cause).toBeInstanceOf(Error);
    });

    it('name the reason but not the password if the login fails (contract 42)', async () => {
      const service = openService((other) => {
        other.username = 'unknown_user';
        other.password = 'hidden';
      });
      const error = await failureOf(service.createSession(ref));
      expect([error.code, error.message.includes('hidden')]).toEqual(['STORE_UNAVAILABLE', false]);
      expect(error.retryable).toBe(false);
      expect(error.message).toMatch(/refused the call: .*unknown_user/);
    });

    it('name the missing column if a table with the name exists', async () => {
      const prefix = `f${process.pid}_`;
      await runSql(url, `CREATE TABLE ${prefix}sessions (id VARCHAR(10))`);
      const service = openService(() => {}, { tablePrefix: prefix });
      const error = await failureOf(service.createSession(ref));
      expect(error.code).toBe('STORE_VERSION');
      expect(error.message).toMatch(/has a table with other columns: .*app_name.*use another tablePrefix/);
      await runSql(url, `DROP TABLE ${prefix}sessions`);
    });

    it('name the answer of the database to an append (contract 7)', async () => {
      const service = openService(() => {});
      await service.createSession(ref);
      const other = openService(() => {});
      await other.ping();
      const { session, event } = { session: ref, event: createEvent({ author: 'a', invocationId: 'i' }) };
      // The server answers that the table does not exist.
      await runSql(url, `DROP TABLE e${process.pid}_events`);
      const error = await failureOf(service.appendEvent({ session, event }));
      expect(error.code).toBe('STORE_VERSION');
      expect(error.message).not.toContain('did not answer');
      await runSql(url, `DROP TABLE e${process.pid}_meta`);
    });
  });

  async function runSql(url: string, sql: string): Promise<void> {
    if (kind === 'postgres') {
      const { default: pg } = await import('pg');
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.query(sql);
      await client.end();
    } else {
      const { createConnection } = await import('mysql2/promise');
      const connection = await createConnection(url);
      await connection.query(sql);
      await connection.end();
    }
  }
}
