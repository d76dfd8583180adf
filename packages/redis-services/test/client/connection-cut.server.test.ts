import { createEvent } from '@thole/core';
import { RedisArtifactService, RedisSessionService } from '@thole/redis-services';
import type { Redis, RedisOptions } from 'ioredis';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { describeWith, startRedis, until } from '../../../../test/servers/index.ts';
import { redisScript } from '../../src/client/redis-script.ts';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import type { CuttingProxy } from '../support/cutting-proxy.ts';
import { eventOf, leaseRequest, outcomeOf, ref, storedIds } from '../support/outcomes.ts';
import { clientTo } from '../support/redis-clients.ts';

describeWith('redis', 'Cut connection', (url) => {
  let proxy: CuttingProxy;
  let cutClient: Redis;
  let count = 0;
  let keyPrefix: string;
  const direct = clientTo(url);
  const timeoutMs = 5_000;
  const throughProxy = (options: RedisOptions): RedisSessionService => {
    cutClient = clientTo(proxy.url, options);
    return new RedisSessionService(cutClient, { keyPrefix, timeoutMs });
  };
  beforeEach(async () => {
    keyPrefix = `cut/${process.pid}/${count++}/`;
    proxy = await startCuttingProxy(Number(new URL(url).port));
  });
  afterEach(async () => {
    cutClient.disconnect();
    await proxy.close();
  });
  afterAll(() => direct.quit());

  const clients: [string, RedisOptions, string][] = [
    ['a client that sends again', {}, 'done'],
    [
      'a client that does not send again',
      { autoResendUnfulfilledCommands: false, maxRetriesPerRequest: 0 },
      'STORE_OUTCOME_UNKNOWN',
    ],
  ];
  const moments = ['before', 'after'] as const;

  for (const [name, options, expected] of clients) {
    for (const when of moments) {
      it(`stores an event once with ${name}, cut ${when} the server has run it (contract 7)`, async () => {
        const service = throughProxy(options);
        await service.createSession(ref);
        await service.appendEvent({ session: ref, event: eventOf('e1') });
        proxy.cutAt('e2', when);
        const outcome = await outcomeOf(service.appendEvent({ session: ref, event: eventOf('e2') }), timeoutMs);
        expect([outcome, proxy.cuts]).toEqual([expected, 1]);
        await service.appendEvent({ session: ref, event: eventOf('e2') });
        expect(await storedIds(new RedisSessionService(direct, { keyPrefix }))).toEqual(['e1', 'e2']);
      });
    }
  }

  for (const when of moments) {
    it(`creates, deletes and saves once, cut ${when} the server has run it (contracts 2, 11, 37)`, async () => {
      const service = throughProxy({});
      proxy.cutAt('unique-id', when);
      const session = await service.createSession({ ...ref, sessionId: 'unique-id', state: { a: 1 } });
      expect([session.state, proxy.cuts]).toEqual([{ a: 1 }, 1]);
      proxy.cutAt('unique-id', when);
      expect(await service.deleteSession({ ...ref, sessionId: 'unique-id' })).toBe(true);
      expect(await service.deleteSession({ ...ref, sessionId: 'unique-id' })).toBe(false);
      const artifacts = new RedisArtifactService(cutClient, { keyPrefix });
      const file = { ...ref, filename: 'unique-file' };
      proxy.cutAt('unique-file', when);
      expect(await artifacts.saveArtifact({ ...file, artifact: { text: 'once' } })).toBe(0);
      expect([await artifacts.listVersions(file), proxy.cuts]).toEqual([[0], 3]);
    });
  }

  it('reads a session whose connection is cut in the middle of the reply (contract 10)', async () => {
    const service = throughProxy({});
    await service.createSession(ref);
    const content = { parts: [{ text: 'x'.repeat(50_000) }] };
    for (let i = 0; i < 20; i++)
      await service.appendEvent({ session: ref, event: createEvent({ author: 'a', content }) });
    await service.getSession(ref);
    const { stream } = cutClient;
    stream.once('data', () => stream.destroy());
    expect((await service.getSession(ref))?.events).toHaveLength(20);
    expect(cutClient.stream).not.toBe(stream);
  });

  it('throws STORE_OUTCOME_UNKNOWN if only the second attempt is refused (contract 7)', async () => {
    const server = await startRedis();
    const ownProxy = await startCuttingProxy(server.port);
    const client = clientTo(ownProxy.url, { retryStrategy: () => 1_500 });
    const other = clientTo(server.url);
    try {
      const service = new RedisSessionService(client, { timeoutMs });
      await service.createSession(ref);
      // The server knows the script after this call.
      await service.appendEvent({ session: ref, event: eventOf('e0') });
      ownProxy.cutAt('e1', 'after');
      const append = outcomeOf(service.appendEvent({ session: ref, event: eventOf('e1') }), timeoutMs);
      await until(() => ownProxy.cuts === 1);
      await until(async () => (await other.llen('thole:{app|u}:e:s')) === 2);
      await other.acl('SETUSER', 'default', '-evalsha');
      expect(await append).toBe('STORE_OUTCOME_UNKNOWN');
      await other.acl('SETUSER', 'default', '+evalsha');
      expect(await storedIds(service)).toEqual(['e0', 'e1']);
    } finally {
      other.disconnect();
      client.disconnect();
      await ownProxy.close();
      await server.remove();
    }
  });

  it('throws STORE_OUTCOME_UNKNOWN if a new session cannot be read back (contracts 2, 7)', async () => {
    const service = throughProxy({ autoResendUnfulfilledCommands: false, maxRetriesPerRequest: 0 });
    await service.getSession(ref);
    proxy.cutAt(redisScript('session/load-session').sha, 'before');
    expect(await outcomeOf(service.createSession(ref), timeoutMs)).toBe('STORE_OUTCOME_UNKNOWN');
    expect(await outcomeOf(service.createSession(ref), timeoutMs)).toBe('SESSION_ALREADY_EXISTS');
  });

  it('grants and releases a lease once if the replies are lost (contract 13)', async () => {
    const service = throughProxy({});
    await service.createSession(ref);
    proxy.cutAt('i1', 'after');
    const lease = await service.leasing!.lease(ref, leaseRequest('i1', { policy: 'reject' }));
    await service.appendEvent({ session: ref, event: createEvent({ author: 'a', id: 'fenced' }), fence: lease.fence });
    proxy.cutAt(lease.fence, 'after');
    await lease.release();
    expect(await service.leasing!.current(ref)).toBeUndefined();
    expect(proxy.cuts).toBe(2);
  });
});
