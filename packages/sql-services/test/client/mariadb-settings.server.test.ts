import { DatabaseArtifactService, DatabaseSessionService } from '@thole/sql-services';
import { createConnection } from 'mysql2/promise';
import type { Connection } from 'mysql2/promise';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { describeWith, startMariaDb } from '../../../../test/servers/index.ts';
import type { Server } from '../../../../test/servers/index.ts';

const user = { appName: 'app', userId: 'u' };
const ref = { ...user, sessionId: 's' };

describeWith('mariadb', 'DatabaseSessionService with settings of MariaDB', () => {
  let server: Server;
  let admin: Connection;
  beforeAll(async () => {
    server = await startMariaDb();
    admin = await createConnection({ uri: server.url, multipleStatements: true });
  });
  afterAll(async () => {
    await admin.end();
    await server.remove();
  });

  it('measures the time of a server whose time zone has just set its clocks back', async () => {
    const changedAt = Math.floor(Date.now() / 1000) - 600;
    await admin.query(`USE mysql;
      INSERT INTO time_zone VALUES (1, 'N');
      INSERT INTO time_zone_name VALUES ('Test/Autumn', 1);
      INSERT INTO time_zone_transition_type VALUES (1, 0, 7200, 1, 'CEST'), (1, 1, 3600, 0, 'CET');
      INSERT INTO time_zone_transition VALUES (1, ${changedAt - 1_000_000}, 0), (1, ${changedAt}, 1);
      SET GLOBAL time_zone = 'Test/Autumn'`);
    onTestFinished(async () => void (await admin.query(`SET GLOBAL time_zone = 'SYSTEM'`)));
    const autumn = open();
    await autumn.createSession({ ...ref, sessionId: 'autumn' });
    await admin.query(`SET GLOBAL time_zone = '+00:00'`);
    const utc = open();
    expect((await utc.listSessions(user)).sessions.map(({ id }) => id)).toEqual(['autumn']);
  });

  it('commits single statements if the server has autocommit = 0', async () => {
    await admin.query('SET GLOBAL autocommit = 0');
    onTestFinished(async () => void (await admin.query('SET GLOBAL autocommit = 1')));
    const [first, second] = [1, 2].map(() => new DatabaseArtifactService(server.url));
    onTestFinished(async () => void (await Promise.all([first!.close(), second!.close()])));
    await first!.saveArtifact({ ...ref, filename: 'a.txt', artifact: { text: 'a' } });
    await first!.deleteArtifact({ ...ref, filename: 'a.txt' });
    expect(await second!.listArtifactKeys(ref)).toEqual([]);
  });

  it('stores texts unchanged if the server sets the character set and sql_mode of its clients', async () => {
    await admin.query(`SET GLOBAL init_connect = 'SET NAMES latin1'; SET GLOBAL sql_mode = 'EMPTY_STRING_IS_NULL'`);
    await admin.query(`CREATE USER app; GRANT ALL ON test.* TO app`);
    onTestFinished(async () => void (await admin.query(`SET GLOBAL init_connect = ''; SET GLOBAL sql_mode = DEFAULT`)));
    const service = new DatabaseSessionService(server.url.replace('root@', 'app@'));
    onTestFinished(() => service.close());
    const state = { text: '', 'user:name': 'Zoë 😀' };
    await service.createSession({ ...ref, sessionId: '😀', state });
    expect((await service.getSession({ ...ref, sessionId: '😀' }))!.state).toEqual(state);
  });

  it('replaces a connection that allows no writes', async () => {
    const service = open();
    await open().createSession({ ...ref, sessionId: 'first' });
    await admin.query('SET GLOBAL tx_read_only = 1');
    expect(await service.getSession(ref)).toBeUndefined();
    await admin.query('SET GLOBAL tx_read_only = 0');
    expect(await service.createSession(ref)).toMatchObject({ lastSeq: 0 });
  });

  function open(): DatabaseSessionService {
    const service = new DatabaseSessionService({ dbUrl: server.url, sessionTtlMs: 1_800_000 });
    onTestFinished(() => service.close());
    return service;
  }
});
