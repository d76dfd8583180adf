import type { LeaseAsk, LeaseStore } from '@thole/core';
import { RedisSessionStore } from '@thole/redis-services';
import { FixedRuntime } from '@thole/testing';
import type { Cluster } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith, startRedisCluster } from '../../../../test/servers/index.ts';
import type { RedisCluster } from '../../../../test/servers/index.ts';
import { ref } from '../support/outcomes.ts';
import { clientTo, clusterClientTo } from '../support/redis-clients.ts';

/** Milliseconds for which a waiting run keeps its place without another request. */
const PLACE_MS = 10_000;

const askOf = (fence: string, changes: Partial<LeaseAsk> = {}): LeaseAsk => ({
  ...{ fence, isFirst: true, invocationId: `invocation of ${fence}`, holder: 'h', process: undefined },
  ...{ policy: 'queue', maxWaiting: 1, ttlMs: 60_000, cleanupMs: 30_000, deadFence: undefined },
  ...changes,
});

describeWith('redis', 'RedisLeaseStore', (url) => {
  const client = clientTo(url);
  let count = 0;
  let now = 0;
  afterAll(() => client.quit());
  const createLeases = (): { leases: LeaseStore; keyPrefix: string } => {
    now = Date.now();
    const keyPrefix = `leases/${process.pid}/${count++}/`;
    return {
      leases: new RedisSessionStore(client, { keyPrefix, clock: () => now }).abilities.leasing.store,
      keyPrefix,
    };
  };
  const again = { isFirst: false };

  it('adds a run that lost its place to the queue again, also if the queue is full', async () => {
    const { leases } = createLeases();
    await leases.ask(ref, askOf('holder', { ttlMs: 600_000 }));
    expect(await leases.ask(ref, askOf('first'))).toMatchObject({ kind: 'waiting', waiting: 0 });
    now += PLACE_MS;
    expect(await leases.ask(ref, askOf('second'))).toMatchObject({ kind: 'waiting', waiting: 0 });
    expect(await leases.ask(ref, askOf('third'))).toMatchObject({ kind: 'busy', waiting: 1 });
    expect(await leases.ask(ref, askOf('first', again))).toMatchObject({ kind: 'waiting', waiting: 1 });
  });

  it('overtakes an interrupting run that lost its place before a later run entered the queue', async () => {
    const { leases } = createLeases();
    await leases.ask(ref, askOf('holder', { ttlMs: 600_000, cleanupMs: 600_000 }));
    const long = { policy: 'interrupt' as const, cleanupMs: 600_000 };
    expect(await leases.ask(ref, askOf('first', long))).toMatchObject({ kind: 'waiting' });
    now += PLACE_MS;
    expect(await leases.ask(ref, askOf('second', long))).toMatchObject({ kind: 'waiting' });
    expect(await leases.ask(ref, askOf('first', { ...long, ...again }))).toEqual({ kind: 'overtaken' });
  });

  it('does not stop a later holder when an interrupting run asks again', async () => {
    const { leases } = createLeases();
    await leases.ask(ref, askOf('holder'));
    expect(await leases.ask(ref, askOf('newer', { policy: 'interrupt' }))).toMatchObject({ kind: 'waiting' });
    now += PLACE_MS;
    await leases.release(ref, 'holder', {});
    expect(await leases.ask(ref, askOf('next'))).toMatchObject({ kind: 'granted' });
    const repeated = askOf('newer', { policy: 'interrupt', ...again });
    expect(await leases.ask(ref, repeated)).toMatchObject({ kind: 'waiting', heldBy: { expiresInMs: 60_000 } });
    expect((await leases.poll([{ key: ref, fence: 'next' }]))[0]?.stop).toBeUndefined();
  });

  it('keeps the first stop request of a lease', async () => {
    const { leases } = createLeases();
    await leases.ask(ref, askOf('holder'));
    await leases.ask(ref, askOf('newer', { policy: 'interrupt' }));
    expect(await leases.requestStop(ref, 'invocation of holder')).toBe('holder');
    expect((await leases.poll([{ key: ref, fence: 'holder' }]))[0]?.stop).toEqual({ by: 'invocation of newer' });
  });

  it('reports the expiry of a lease by the clock of this machine (contract 13)', async () => {
    const runtime = new FixedRuntime({ now: 1_000 });
    const { leasing } = new RedisSessionStore(client, { runtime, clock: () => 9_000_000 }).abilities;
    const key = { ...ref, userId: `clock ${process.pid}` };
    await leasing.store.ask(key, askOf('holder'));
    expect(await leasing.current(key)).toMatchObject({ expiresAt: 1_060, expired: false });
    await leasing.store.release(key, 'holder', {});
  });

  it('leaves no key of a lease that was released and of runs that no longer ask', async () => {
    const { leases, keyPrefix } = createLeases();
    await leases.ask(ref, askOf('holder'));
    await leases.ask(ref, askOf('waiting'));
    for (const key of await client.keys(`${keyPrefix}*}:[qw]:*`)) expect(await client.pttl(key)).toBeGreaterThan(0);
    await leases.release(ref, 'waiting', {});
    await leases.release(ref, 'holder', {});
    expect(await client.keys(`${keyPrefix}*`)).toEqual([]);
  });
});

describeWith('redis', 'RedisLeaseStore on Cluster', () => {
  let servers: RedisCluster;
  let client: Cluster;
  beforeAll(async () => {
    servers = await startRedisCluster();
    client = clusterClientTo(servers.addresses);
  });
  afterAll(async () => {
    client?.disconnect();
    await servers?.remove();
  });

  it('polls and lists leases of users in different slots', async () => {
    const leases = new RedisSessionStore(client).abilities.leasing.store;
    const held = Array.from({ length: 12 }, (_, i) => ({ key: { ...ref, userId: `u${i % 6}` }, fence: `f${i}` }));
    for (const [i, { key, fence }] of held.entries()) {
      Object.assign(key, { sessionId: `s${i}` });
      await leases.ask(key, askOf(fence));
    }
    await leases.release(held[3]!.key, 'f3', {});
    await leases.requestStop(held[4]!.key, 'invocation of f4');
    const states = await leases.poll(held);
    expect(states.map((state) => state !== undefined)).toEqual(held.map(({ fence }) => fence !== 'f3'));
    expect(states.map((state) => state?.stop !== undefined)).toEqual(held.map(({ fence }) => fence === 'f4'));
    expect(await Array.fromAsync(leases.leases('app'))).toHaveLength(11);
  });
});
