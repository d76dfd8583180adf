import { createEvent } from '@thole/core';
import { DatabaseSessionService } from '@thole/sql-services';
import type { DatabaseSessionServiceOptions } from '@thole/sql-services';
import pg from 'pg';
import { FixedRuntime } from '@thole/testing';
import { expect, inject, it, onTestFinished } from 'vitest';
import { describeWith, startPgBouncer } from '../../../../test/servers/index.ts';

type Row = { [column: string]: unknown };

const ref = { appName: 'app', userId: 'u', sessionId: 's' };
const event = (id: string, stateDelta = {}) => createEvent({ id, author: 'agent', actions: { stateDelta } });

describeWith('pgbouncer', 'PostgreSQL behind PgBouncer in transaction mode', (dbUrl) => {
  function openService(options: DatabaseSessionServiceOptions): DatabaseSessionService {
    const service = new DatabaseSessionService({ maxConnections: 1, ...options });
    onTestFinished(() => service.close());
    return service;
  }

  async function connect(connectionString: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString });
    await client.connect();
    onTestFinished(() => client.end());
    return client;
  }

  /** Starts a PgBouncer with `size` connections to the server. `show` queries its console. */
  async function startBouncer(size: number): Promise<{ url: string; show(topic: string): Promise<Row[]> }> {
    const postgresUrl = inject('servers').postgres!;
    const server = await startPgBouncer({ postgresUrl, config: [`default_pool_size = ${size}`] });
    onTestFinished(() => server.remove());
    const url = new URL(server.url);
    url.pathname = '/pgbouncer';
    const console = await connect(url.href);
    return { url: server.url, show: async (topic) => (await console.query<Row>(`SHOW ${topic}`)).rows };
  }

  it('does not support named statements, so these tests would fail with them', async () => {
    const { url } = await startBouncer(2);
    const [client, other] = [await connect(url), await connect(url)];
    const prepared = { name: 'named', text: 'SELECT 1 AS one' };
    await client.query(prepared);
    // The other client uses the server connection with the named statement.
    await other.query('BEGIN');
    await expect(client.query(prepared)).rejects.toMatchObject({ code: '26000' });
    await other.query('ROLLBACK');
  });

  it('creates its tables once if sixteen services start at the same time', async () => {
    const tablePrefix = `pooled_first_${process.pid}_`;
    const services = Array.from({ length: 16 }, () => openService({ dbUrl, tablePrefix }));
    await Promise.all(services.map((service, i) => service.createSession({ ...ref, sessionId: `s${i}` })));
    expect((await services[0]!.listSessions({ appName: 'app' })).total).toBe(16);
  });

  it('serves many concurrent runs with leases over two connections to the server', async () => {
    const { url, show } = await startBouncer(2);
    const tablePrefix = `pooled_few_${process.pid}_`;
    const services = Array.from({ length: 24 }, () => openService({ dbUrl: url, tablePrefix, pollMs: 20 }));
    await services[0]!.createSession(ref);
    await Promise.all(
      services.map(async (service, i) => {
        const ownSession = { ...ref, sessionId: `s${i}` };
        await service.createSession({ ...ownSession, state: { a: 0 } });
        const lease = await service.leasing!.lease(ownSession, {
          ...{ invocationId: `i${i}`, holder: 'r', policy: 'reject', waitMs: 0, maxWaiting: 0 },
          ...{ ttlMs: 60_000, cleanupMs: 0 },
        });
        for (let n = 1; n <= 5; n++) {
          await service.appendEvent({ session: ownSession, event: event(`e${n}`, { a: n }), fence: lease.fence });
          await service.appendEvent({ session: ref, event: event(`e${i}-${n}`, { [`app:k${i}`]: n, 'user:k': n }) });
        }
        expect((await lease.renew())!.lastSeq).toBe(5);
        await lease.release();
      }),
    );
    const common = (await services[0]!.getSession(ref))!;
    expect(common.events.map((each) => each.seq)).toEqual(Array.from({ length: 120 }, (_, i) => i + 1));
    expect(Object.entries(common.state)).toHaveLength(25);
    for (const [i, service] of services.entries()) {
      const { lastSeq, state } = (await service.getSession({ ...ref, sessionId: `s${i}` }))!;
      expect([lastSeq, state['a'], state[`app:k${i}`]]).toEqual([5, 5, 5]);
    }
    // The console is one of the clients.
    expect([(await show('CLIENTS')).length, (await show('SERVERS')).length]).toEqual([25, 2]);
  });

  it('ends a call within timeoutMs if all server connections are busy, and stores nothing later', async () => {
    const { url, show } = await startBouncer(1);
    const runtime = new FixedRuntime();
    const service = openService({ dbUrl: url, tablePrefix: `pooled_taken_${process.pid}_`, runtime });
    await service.createSession(ref);
    const holder = await connect(url);
    await holder.query('BEGIN');
    const waitingPorts = async (): Promise<unknown[]> =>
      (await show('CLIENTS')).filter(({ state }) => state === 'waiting').map(({ port }) => port);
    const checkCall = async (begin: () => Promise<unknown>, code: string): Promise<void> => {
      const before = await waitingPorts();
      const failing = expect(begin()).rejects.toMatchObject({ code });
      await expect.poll(async () => (await waitingPorts()).filter((port) => !before.includes(port))).toHaveLength(1);
      await runtime.advance(30_000);
      await failing;
    };
    await checkCall(() => service.getSession(ref), 'STORE_UNAVAILABLE');
    await checkCall(() => service.appendEvent({ session: ref, event: event('e1') }), 'STORE_OUTCOME_UNKNOWN');
    await holder.query('COMMIT');
    expect((await service.getSession(ref))!.lastSeq).toBe(0);
    expect((await service.appendEvent({ session: ref, event: event('e1') })).seq).toBe(1);
  });
});
