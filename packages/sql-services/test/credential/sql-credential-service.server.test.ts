import { DatabaseCredentialService } from '@thole/sql-services';
import { credentialServiceCases, register } from '@thole/testing';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { describeWith } from '../../../../test/servers/index.ts';
import { serverTables } from '../support/server-tables.ts';

const encryptionKeys = `a:${btoa('a'.repeat(32))}`;
const ref = { appName: 'app', userId: 'u', credentialKey: 'k' };

for (const kind of ['postgres', 'pgbouncer', 'mariadb'] as const) {
  describeWith(kind, `credential suite on ${kind}`, (dbUrl) => {
    const tablePrefix = `credentials_${kind}_`;
    const tables = serverTables(kind, dbUrl, tablePrefix);
    const options = { dbUrl, tablePrefix, encryptionKeys };
    afterAll(() => tables.close());

    register({ describe, it }, credentialServiceCases, {
      name: `DatabaseCredentialService (${kind})`,
      claims: ['durable'],
      async create(runtime) {
        await tables.empty();
        return new DatabaseCredentialService({ ...options, runtime });
      },
      reopen: (_, runtime) => new DatabaseCredentialService({ ...options, runtime }),
      destroy: (service) => (service as DatabaseCredentialService).close(),
    });

    it('stores no secret in readable form, and one row for concurrent writes (contract 44)', async () => {
      await tables.empty();
      const services = Array.from({ length: 4 }, () => new DatabaseCredentialService(options));
      onTestFinished(async () => void (await Promise.all(services.map((service) => service.close()))));
      const credential = { authType: 'apiKey', apiKey: 'very-secret' } as const;
      await Promise.all(services.map((service) => service.saveCredential({ ...ref, credential })));
      const rows = await tables.query(`SELECT * FROM ${tablePrefix}credentials`);
      expect(rows).toEqual([expect.objectContaining({ content: expect.stringMatching(/^a1\.a\./) })]);
      expect(await services[0]!.loadCredential(ref)).toEqual(credential);
    });
  });
}
