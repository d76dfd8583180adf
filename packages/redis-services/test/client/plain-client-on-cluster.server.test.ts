import { createEvent } from '@thole/core';
import { RedisArtifactService, RedisMemoryService, RedisMemoryStore, RedisSessionService } from '@thole/redis-services';
import {
  artifactServiceCases,
  memoryServiceCases,
  memoryStoreCases,
  register,
  sessionServiceCases,
} from '@thole/testing';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeWith, redisCli, startRedis, until } from '../../../../test/servers/index.ts';
import type { Server } from '../../../../test/servers/index.ts';
import { clientTo } from '../support/redis-clients.ts';
import {
  artifactSubjects,
  expiringSubjects,
  expiryCases,
  memoryStoreSubjects,
  memorySubjects,
  sessionSubjects,
} from '../support/subjects.ts';

const ref = { appName: 'app', userId: 'u', sessionId: 's' };
const eventOf = (id: string, stateDelta = {}): ReturnType<typeof createEvent> =>
  createEvent({ id, author: 'agent', invocationId: 'i', actions: { stateDelta } });

describeWith('redis', 'A plain client of a server in cluster mode', () => {
  let server: Server;
  const clients: Redis[] = [];
  const clientOf = (options: Parameters<typeof clientTo>[1] = {}): Redis => {
    const client = clientTo(server.url, options);
    clients.push(client);
    return client;
  };
  beforeAll(async () => {
    server = await startRedis({ config: ['cluster-enabled yes'] });
    await redisCli(server.port, 'cluster', 'addslotsrange', '0', '16383');
    await until(async () => /cluster_state:ok/.test(await redisCli(server.port, 'cluster', 'info')));
    await redisCli(server.port, 'acl', 'setuser', 'proxy', 'on', '>proxy', '~*', '&*', '+@all', '-info');
    clientOf();
    clientOf({ username: 'proxy', password: 'proxy', enableReadyCheck: false });
  }, 60_000);
  afterAll(async () => {
    for (const client of clients) client.disconnect();
    await server?.remove();
  });

  const kinds = ['A server in cluster mode', 'One that does not say so, as behind a proxy'];
  for (const [i, name] of kinds.entries()) {
    const sessions = sessionSubjects(name, (options) => new RedisSessionService(clients[i]!, options));
    const expiring = expiringSubjects(name, (options) => new RedisSessionService(clients[i]!, options));
    const artifacts = artifactSubjects(name, (options) => new RedisArtifactService(clients[i]!, options));
    const stores = memoryStoreSubjects(name, (options) => new RedisMemoryStore(clients[i]!, options));
    const memories = memorySubjects(name, (options) => new RedisMemoryService(clients[i]!, options));
    register({ describe, it }, sessionServiceCases, sessions);
    register({ describe, it }, expiryCases, expiring);
    register({ describe, it }, artifactServiceCases, artifacts);
    register({ describe, it }, memoryStoreCases, stores);
    register({ describe, it }, memoryServiceCases, memories);
  }

  it('takes each kind of first call, also several at once (contract 7)', async () => {
    for (const [i, client] of clients.entries()) {
      const fresh = (): RedisSessionService => new RedisSessionService(client, { keyPrefix: `first/${i}/` });
      await fresh().createSession({ ...ref, state: { 'app:a': 1, 'user:b': 1 } });
      await fresh().appendEvent({ session: ref, event: eventOf('e1', { 'app:c': 1 }) });
      await fresh().appendEvent({ session: ref, event: eventOf('e2') });
      expect((await fresh().getSession(ref))!.state).toEqual({ 'app:a': 1, 'app:c': 1, 'user:b': 1 });
      expect((await fresh().listSessions(ref)).total).toBe(1);
      expect(await fresh().getUserState(ref)).toEqual({ 'user:b': 1 });
      const request = { invocationId: 'i', holder: 'h', waitMs: 1_000, maxWaiting: 1, ttlMs: 10_000, cleanupMs: 0 };
      const lease = await fresh().leasing!.lease(ref, { ...request, policy: 'reject' });
      expect(lease.head?.lastSeq).toBe(2);
      await lease.release();
      const one = fresh();
      const events = Array.from({ length: 20 }, (_, n) => eventOf(`more ${n}`, { 'app:n': n }));
      await Promise.all(events.map((event) => one.appendEvent({ session: ref, event })));
      expect((await one.getSession(ref))!.lastSeq).toBe(22);
      expect(await fresh().deleteSession(ref)).toBe(true);
      await fresh().deleteUserData(ref);
    }
  });

  it('asks a server for its mode once', async () => {
    const client = clientOf();
    const one = new RedisSessionService(client, { keyPrefix: 'once/' });
    await one.createSession(ref);
    const before = await calls();
    for (let n = 0; n < 5; n++) await one.appendEvent({ session: ref, event: eventOf(`e${n}`) });
    expect(await calls()).toBe(before);
  });

  async function calls(): Promise<string> {
    const stats = await redisCli(server.port, 'info', 'commandstats');
    // The question itself counts from the next one on.
    return String(Number(/cmdstat_info:calls=(\d+)/.exec(stats)?.[1] ?? 0) - asked++);
  }
  let asked = 0;
});
