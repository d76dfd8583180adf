import { createEvent } from '@thole/core';
import { RedisArtifactService, RedisSessionService } from '@thole/redis-services';
import type { RedisSessionServiceOptions } from '@thole/redis-services';
import { FixedRuntime } from '@thole/testing';
import { afterAll, expect, it } from 'vitest';
import { describeWith, until } from '../../../../test/servers/index.ts';
import { redisScript } from '../../src/client/redis-script.ts';
import { leaseRequest, ref } from '../support/outcomes.ts';
import { clientTo } from '../support/redis-clients.ts';

describeWith('redis', 'Keys of sessions in Redis', (url) => {
  const client = clientTo(url);
  let count = 0;
  afterAll(() => client.quit());
  const nextPrefix = (): string => `left/${process.pid}/${count++}/`;
  const createService = (keyPrefix: string, options: RedisSessionServiceOptions = {}): RedisSessionService =>
    new RedisSessionService(client, { keyPrefix, ...options });
  const keysOf = (keyPrefix: string): Promise<string[]> => client.keys(`${keyPrefix}*`);

  it('disappear when all sessions of a user have expired, without a list call (contract 14)', async () => {
    const keyPrefix = nextPrefix();
    const service = createService(keyPrefix, { sessionTtlMs: 3_000 });
    for (const userId of ['u1', 'u2']) {
      await service.createSession({ ...ref, userId, state: { a: 1 } });
      await service.updateState({ ...ref, userId, stateDelta: { a: 2 } });
    }
    // Lists expire shortly after the last of their sessions.
    await until(async () => (await keysOf(keyPrefix)).length === 0);
  });

  it('list only the sessions that have not expired (contracts 11, 14)', async () => {
    const keyPrefix = nextPrefix();
    const [expiring, lasting] = [createService(keyPrefix, { sessionTtlMs: 1_000 }), createService(keyPrefix)];
    for (let i = 0; i < 5; i++) await expiring.createSession({ ...ref, sessionId: `before${i}` });
    await lasting.createSession(ref);
    await expiring.createSession({ ...ref, sessionId: 'after' });
    await until(async () => (await client.exists(`${keyPrefix}{app|u}:s:after`)) === 0);
    // Creating another session removes the expired ones from the lists.
    await lasting.createSession({ ...ref, sessionId: 's2' });
    expect(await client.zcard(`${keyPrefix}{app}:l`)).toBe(2);
    expect(await client.zcard(`${keyPrefix}{app|u}:l`)).toBe(2);
    for (const name of ['{app}:l', '{app|u}:l']) expect(await client.pttl(`${keyPrefix}${name}`)).toBe(-1);
    expect((await lasting.listSessions({ appName: 'app' })).sessions.map(({ id }) => id)).toEqual(['s', 's2']);
  });

  it('contain no expired lease after its user was deleted (contract 12)', async () => {
    const keyPrefix = nextPrefix();
    const service = createService(keyPrefix);
    await service.createSession(ref);
    await service.leasing!.lease(ref, leaseRequest('i1', { ttlMs: 50 }));
    await until(async () => (await service.leasing!.current(ref))?.expired === true);
    await service.deleteUserData(ref);
    expect(await keysOf(keyPrefix)).toEqual([]);
  });

  it('disappear with a deleted user who had 2,100 sessions (contract 12)', async () => {
    const keyPrefix = nextPrefix();
    const service = createService(keyPrefix, { timeoutMs: 30_000 });
    const ids = Array.from({ length: 2_100 }, (_, i) => `s${i}`);
    await Promise.all(ids.map((sessionId) => service.createSession({ ...ref, sessionId, state: { 'user:a': 1 } })));
    await service.deleteUserData(ref);
    expect(await keysOf(keyPrefix)).toEqual([]);
  });

  it('hold a state of 70,000 keys (contract 6)', async () => {
    const service = createService(nextPrefix(), { timeoutMs: 60_000 });
    const state = Object.fromEntries(Array.from({ length: 70_000 }, (_, i) => [`k${i}`, i]));
    await service.createSession({ ...ref, state });
    await service.updateState({ ...ref, stateDelta: state });
    expect((await service.getSession(ref))!.state).toEqual(state);
  });

  it('list artifacts with the name of a reply status (contract 37)', async () => {
    const artifacts = new RedisArtifactService(client, { keyPrefix: nextPrefix() });
    for (const filename of ['LATE', 'user:LATE']) {
      await artifacts.saveArtifact({ ...ref, filename, artifact: { text: 'x' } });
    }
    expect(await artifacts.listArtifactKeys(ref)).toEqual(['LATE', 'user:LATE']);
  });

  it('keep the place of a waiting run with a long pollMs (contract 13)', async () => {
    const keyPrefix = nextPrefix();
    let ahead = 0;
    const options = { pollMs: 60_000, clock: () => Date.now() + ahead };
    const [holder, waiter, other] = [1, 2, 3].map(() => createService(keyPrefix, options));
    await holder!.createSession(ref);
    const long = { waitMs: 600_000, ttlMs: 600_000 };
    const held = await holder!.leasing!.lease(ref, leaseRequest('i1', long));
    const first = waiter!.leasing!.lease(ref, leaseRequest('i2', long));
    // The waiting run polls at growing intervals.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    ahead = 20_000;
    await held.release();
    const second = other!.leasing!.lease(ref, leaseRequest('i3', { ...long, waitMs: 0 }));
    await expect(second).rejects.toMatchObject({ code: 'SESSION_BUSY' });
    await (await first).release();
  });

  it('contain no lease of a run that gave up after SCRIPT FLUSH (contract 13)', async () => {
    const service = createService(nextPrefix());
    await service.createSession(ref);
    // The server knows the script that releases leases, but not the script that grants them.
    await (await service.leasing!.lease(ref, leaseRequest('i0'))).release();
    await client.script('FLUSH');
    await client.script('LOAD', redisScript('lease/release-lease').source);
    const leaving = new AbortController();
    const asked = service.leasing!.lease(ref, leaseRequest('i1', { signal: leaving.signal }));
    leaving.abort();
    await expect(asked).rejects.toThrow();
    await until(async () => (await service.leasing!.current(ref)) === undefined);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await service.leasing!.current(ref)).toBeUndefined();
  });

  it('leave no timer of a watch that ended or failed to start (contract 43)', async () => {
    const runtime = new FixedRuntime();
    const keyPrefix = nextPrefix();
    const service = createService(keyPrefix, { runtime, clock: () => runtime.now() * 1000 });
    await service.createSession(ref);
    await service.appendEvent({ session: ref, event: createEvent({ author: 'user', id: 'e1' }) });
    const { signal } = new AbortController();
    for await (const event of service.watching!.watch(ref, 0, signal)) {
      expect(event.id).toBe('e1');
      break;
    }
    expect(runtime.pending).toBe(0);
    await client.hset(`${keyPrefix}{app|u}:s:s`, 'v', '2');
    const watched = service.watching!.watch(ref, 0, signal)[Symbol.asyncIterator]();
    await expect(watched.next()).rejects.toMatchObject({ code: 'STORE_VERSION' });
    expect(runtime.pending).toBe(0);
  });

  it('do not change if a write is refused, with or without replicas (contract 7)', async () => {
    const service = createService(nextPrefix(), { wait: { replicas: 1, timeoutMs: 50 } });
    const event = createEvent({ author: 'user' });
    await expect(service.appendEvent({ session: ref, event })).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    await expect(service.createSession(ref)).rejects.toMatchObject({ code: 'STORE_OUTCOME_UNKNOWN' });
    await expect(service.appendEvent({ session: ref, event, fence: 'none' })).rejects.toMatchObject({
      code: 'LEASE_LOST',
    });
  });
});
