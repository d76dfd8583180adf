import { createEvent } from '@thole/core';
import { RedisArtifactService, RedisSessionService } from '@thole/redis-services';
import type { Redis, RedisOptions } from 'ioredis';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { describeWith, startRedis, until } from '../../../../test/servers/index.ts';
import { redisScript } from '../../src/client/redis-script.ts';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import type { CuttingProxy } from '../support/cutting-proxy.ts';
import { eventOf, outcomeOf, ref, storedIds } from '../support/outcomes.ts';
import { clientTo } from '../support/redis-clients.ts';

describeWith('redis', 'When the connection is cut in mid-command', (url) => {
  let proxy: CuttingProxy;
  let cut: Redis;
  let count = 0;
  let keyPrefix: string;
  const direct = clientTo(url);
  const timeoutMs = 5_000;
  const through = (options: RedisOptions): RedisSessionService => {
    cut = clientTo(proxy.url, options);
    return new RedisSessionService(cut, { keyPrefix, timeoutMs });
  };
  beforeEach(async () => {
    keyPrefix = `cut/${process.pid}/${count++}/`;
    proxy = await startCuttingProxy(Number(new URL(url).port));
  });
  afterEach(async () => {
    cut.disconnect();
    await proxy.close();
  });
  afterAll(() => direct.quit());

  const settings: [string, RedisOptions][] = [
    ['that sends again by itself', {}],
    ['that gives up at once', { autoResendUnfulfilledCommands: false, maxRetriesPerRequest: 0 }],
  ];
  const moments = ['before', 'after'] as const;

  for (const [what, options] of settings) {
    for (const when of moments) {
      it(`a client ${what} stores an event once, cut ${when} the server has done it (contract 7)`, async () => {
        const service = through(options);
        await service.createSession(ref);
        await service.appendEvent({ session: ref, event: eventOf('e1') });
        proxy.cutAt('e2', when);
        const first = await outcomeOf(service.appendEvent({ session: ref, event: eventOf('e2') }), timeoutMs);
        expect(proxy.cuts).toBe(1);
        expect(first).toBe(what.startsWith('that sends') ? 'done' : 'STORE_OUTCOME_UNKNOWN');
        await service.appendEvent({ session: ref, event: eventOf('e2') });
        expect(await storedIds(new RedisSessionService(direct, { keyPrefix }))).toEqual(['e1', 'e2']);
      });
    }
  }

  for (const when of moments) {
    it(`creates, deletes and saves once, cut ${when} the server has done it and sent again by the client (contract 2, 11, 37)`, async () => {
      const service = through({});
      proxy.cutAt('unique-id', when);
      const session = await service.createSession({ ...ref, sessionId: 'unique-id', state: { a: 1 } });
      expect([session.state, proxy.cuts]).toEqual([{ a: 1 }, 1]);
      proxy.cutAt('unique-id', when);
      expect(await service.deleteSession({ ...ref, sessionId: 'unique-id' })).toBe(true);
      expect(await service.deleteSession({ ...ref, sessionId: 'unique-id' })).toBe(false);
      const artifacts = new RedisArtifactService(cut, { keyPrefix });
      const file = { ...ref, filename: 'unique-file' };
      proxy.cutAt('unique-file', when);
      expect(await artifacts.saveArtifact({ ...file, artifact: { text: 'once' } })).toBe(0);
      expect([await artifacts.listVersions(file), proxy.cuts]).toEqual([[0], 3]);
    });
  }

  it('does not call failed what was done, when the client asks again and is refused (contract 7)', async () => {
    const own = await startRedis();
    const nearby = await startCuttingProxy(own.port);
    const client = clientTo(nearby.url, { retryStrategy: () => 1_500 });
    const other = clientTo(own.url);
    try {
      const service = new RedisSessionService(client, { timeoutMs });
      await service.createSession(ref);
      // From now on the server knows the script.
      await service.appendEvent({ session: ref, event: eventOf('e0') });
      nearby.cutAt('e1', 'after');
      const append = outcomeOf(service.appendEvent({ session: ref, event: eventOf('e1') }), timeoutMs);
      await until(() => nearby.cuts === 1);
      await until(async () => (await other.llen('thole:{app|u}:e:s')) === 2);
      await other.acl('SETUSER', 'default', '-evalsha');
      expect(await append).toBe('STORE_OUTCOME_UNKNOWN');
      await other.acl('SETUSER', 'default', '+evalsha');
      expect(await storedIds(service)).toEqual(['e0', 'e1']);
    } finally {
      other.disconnect();
      client.disconnect();
      await nearby.close();
      await own.remove();
    }
  });

  it('does not call a session failed that was made but could not be read back (contract 2, 7)', async () => {
    const service = through({ autoResendUnfulfilledCommands: false, maxRetriesPerRequest: 0 });
    await service.getSession(ref);
    proxy.cutAt(redisScript('session/load-session').sha, 'before');
    expect(await outcomeOf(service.createSession(ref), timeoutMs)).toBe('STORE_OUTCOME_UNKNOWN');
    expect(await outcomeOf(service.createSession(ref), timeoutMs)).toBe('SESSION_ALREADY_EXISTS');
  });

  it('gives a lease once, and takes it back, when the answer to either was lost (contract 13)', async () => {
    const service = through({});
    await service.createSession(ref);
    const request = {
      invocationId: 'i1',
      holder: 'h',
      policy: 'reject' as const,
      waitMs: 0,
      maxWaiting: 0,
      ttlMs: 20_000,
      cleanupMs: 0,
    };
    proxy.cutAt('i1', 'after');
    const lease = await service.leasing!.lease(ref, request);
    await service.appendEvent({ session: ref, event: createEvent({ author: 'a', id: 'fenced' }), fence: lease.fence });
    proxy.cutAt(lease.fence, 'after');
    await lease.release();
    expect(await service.leasing!.current(ref)).toBeUndefined();
    expect(proxy.cuts).toBe(2);
  });
});
