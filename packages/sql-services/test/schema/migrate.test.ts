import { DatabaseSync } from 'node:sqlite';
import { createEvent } from '@thole/core';
import { DatabaseMemoryService, DatabaseSessionService } from '@thole/sql-services';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SCHEMA_VERSION } from '../../src/schema/migrate.ts';
import { downgradeStatements } from '../support/downgrade.ts';
import { sqliteFiles } from '../support/sqlite-files.ts';

const files = sqliteFiles();
const ref = { appName: 'app', userId: 'u', sessionId: 's' };
const request = {
  invocationId: 'i1',
  holder: 'runner',
  waitMs: 0,
  maxWaiting: 1,
  ttlMs: 60_000,
  cleanupMs: 1_000,
  policy: 'reject',
} as const;

function openService(options: ConstructorParameters<typeof DatabaseSessionService>[0]): DatabaseSessionService {
  const service = new DatabaseSessionService(options);
  onTestFinished(() => service.close());
  return service;
}

function openFile(path: string): DatabaseSync {
  const file = new DatabaseSync(path);
  onTestFinished(() => file.close());
  return file;
}

describe('migrate', () => {
  it('is required with autoMigrate: false, and can be repeated', async () => {
    const { dbUrl } = files.next();
    const service = openService({ dbUrl, autoMigrate: false });
    await service.ping();
    await expect(service.createSession(ref)).rejects.toMatchObject({
      code: 'STORE_VERSION',
      message: expect.stringContaining('Call migrate()'),
    });
    await service.migrate();
    await service.migrate();
    expect((await service.createSession(ref)).lastSeq).toBe(0);
  });

  it.each([1, 2, 3, 4] as const)('updates tables of version %i and keeps their rows', async (version) => {
    const { path, dbUrl } = files.next();
    const old = openService(dbUrl);
    const session = await old.createSession({ ...ref, state: { a: 1, 'user:b': 2 } });
    await old.appendEvent({ session, event: createEvent({ id: 'e1', author: 'agent' }) });
    await old.leasing!.lease(ref, request);
    await old.close();
    const file = openFile(path);
    for (const statement of downgradeStatements('thole_', version)) file.exec(statement);

    const explicit = openService({ dbUrl, autoMigrate: false });
    await expect(explicit.getSession(ref)).rejects.toMatchObject({
      code: 'STORE_VERSION',
      message: `The tables have version ${version}, this package needs version ${SCHEMA_VERSION}. Call migrate().`,
    });
    const service = openService(dbUrl);
    const read = (await service.getSession(ref))!;
    expect([read.lastSeq, read.state, read.events.map(({ id }) => id)]).toEqual([1, { a: 1, 'user:b': 2 }, ['e1']]);
    await service.appendEvent({ session: read, event: createEvent({ id: 'e2', author: 'agent' }) });
    expect((await service.leasing!.current(ref))!.invocationId).toBe('i1');
    const other = { ...ref, sessionId: 'other' };
    await (await service.leasing!.lease(other, request)).release({ marks: { unfinished: 'i1' } });
    const memory = new DatabaseMemoryService(dbUrl);
    onTestFinished(() => memory.close());
    expect((await memory.listMemories(ref)).memories).toEqual([]);
    expect(file.prepare('SELECT content FROM thole_meta').all()).toEqual([{ content: String(SCHEMA_VERSION) }]);
  });

  it('throws STORE_VERSION for tables and records of a later version', async () => {
    const { path, dbUrl } = files.next();
    const service = openService(dbUrl);
    await service.createSession(ref);
    await service.appendEvent({ session: ref, event: createEvent({ id: 'e1', author: 'a' }) });
    const file = openFile(path);
    file.exec('UPDATE thole_events SET v = 2');
    await expect(service.getSession(ref)).rejects.toMatchObject({ code: 'STORE_VERSION' });
    expect((await service.getSession({ ...ref, numRecentEvents: 0 }))!.lastSeq).toBe(1);
    file.exec('UPDATE thole_sessions SET v = 2');
    await expect(service.listSessions({ appName: 'app' })).rejects.toMatchObject({ code: 'STORE_VERSION' });
    file.exec(`UPDATE thole_meta SET content = '${SCHEMA_VERSION + 1}'`);
    await expect(openService(dbUrl).getSession(ref)).rejects.toMatchObject({ code: 'STORE_VERSION' });
  });
});
