import { createEvent } from '@thole/core';
import { RedisSessionService, RedisSessionStore } from '@thole/redis-services';
import { register, sessionStoreCases } from '@thole/testing';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeWith, redisCli } from '../../../../test/servers/index.ts';
import type { Server } from '../../../../test/servers/index.ts';
import { clusterModeClients, startClusterModeServer } from '../support/cluster-mode-server.ts';
import { leaseRequest, ref } from '../support/outcomes.ts';
import { clientTo } from '../support/redis-clients.ts';
import { registerSmokeSeries } from '../support/smoke-series.ts';
import { sessionStoreSubjects } from '../support/subjects.ts';

const eventOf = (id: string, stateDelta = {}): ReturnType<typeof createEvent> =>
  createEvent({ id, author: 'agent', invocationId: 'i', actions: { stateDelta } });

const waitingCases = sessionStoreCases.filter(({ id }) => id.startsWith('waiting.'));

describeWith('redis', 'A plain client of a server in cluster mode', () => {
  let server: Server;
  const clients: Redis[] = [];
  const kinds = Object.entries(clusterModeClients);
  beforeAll(async () => {
    server = await startClusterModeServer();
    for (const [, options] of kinds) clients.push(clientTo(server.url, options));
  });
  afterAll(async () => {
    for (const client of clients) client.disconnect();
    await server?.remove();
  });

  for (const [i, [name]] of kinds.entries()) {
    registerSmokeSeries(name, () => clients[i]!);
    const stores = sessionStoreSubjects(name, (options) => new RedisSessionStore(clients[i]!, options));
    register({ describe, it }, waitingCases, stores);

    describe(name, () => {
      it('detects the mode at any first call, also at concurrent ones (contract 7)', async () => {
        const create = (): RedisSessionService => new RedisSessionService(clients[i]!, { keyPrefix: `first/${i}/` });
        await create().createSession({ ...ref, state: { 'app:a': 1, 'user:b': 1 } });
        await create().appendEvent({ session: ref, event: eventOf('e1', { 'app:c': 1 }) });
        await create().appendEvent({ session: ref, event: eventOf('e2') });
        expect((await create().getSession(ref))!.state).toEqual({ 'app:a': 1, 'app:c': 1, 'user:b': 1 });
        expect((await create().listSessions(ref)).total).toBe(1);
        expect(await create().getUserState(ref)).toEqual({ 'user:b': 1 });
        const lease = await create().leasing!.lease(ref, leaseRequest('i', { policy: 'reject' }));
        expect(lease.head?.lastSeq).toBe(2);
        await lease.release();
        const service = create();
        const events = Array.from({ length: 20 }, (_, n) => eventOf(`more ${n}`, { 'app:n': n }));
        await Promise.all(events.map((event) => service.appendEvent({ session: ref, event })));
        expect((await service.getSession(ref))!.lastSeq).toBe(22);
        expect(await create().deleteSession(ref)).toBe(true);
        await create().deleteUserData(ref);
      });
    });
  }

  it('reads the mode of the server once per service', async () => {
    const service = new RedisSessionService(clients[0]!, { keyPrefix: 'once/' });
    await service.createSession(ref);
    const before = await countInfoCalls();
    for (let n = 0; n < 5; n++) await service.appendEvent({ session: ref, event: eventOf(`e${n}`) });
    // INFO counts a call of INFO only from the next call on.
    expect(await countInfoCalls()).toBe(before + 1);
  });

  async function countInfoCalls(): Promise<number> {
    const stats = await redisCli(server.port, 'info', 'commandstats');
    return Number(/cmdstat_info:calls=(\d+)/.exec(stats)?.[1] ?? 0);
  }
});
