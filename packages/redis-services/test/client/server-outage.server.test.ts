import { RedisSessionService } from '@thole/redis-services';
import type { RedisClient } from '@thole/redis-services';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeWith, startRedis, until } from '../../../../test/servers/index.ts';
import type { Server } from '../../../../test/servers/index.ts';
import { eventOf, outcomeOf, ref, storedIds } from '../support/outcomes.ts';
import { clientTo } from '../support/redis-clients.ts';

const timeoutMs = 1_000;

describeWith('redis', 'When the server fails', () => {
  let server: Server;
  const clients: RedisClient[] = [];
  const service = (options: Parameters<typeof clientTo>[1] = {}): RedisSessionService => {
    const client = clientTo(server.url, options);
    clients.push(client);
    return new RedisSessionService(client, { timeoutMs });
  };
  beforeEach(async () => {
    server = await startRedis({ config: ['appendonly yes', 'appendfsync always'] });
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.disconnect();
    await server.remove();
  });

  it('hears of a stopped server within the time limit, whatever the client’s settings, and nothing happens later (contract 7)', async () => {
    const settings = [{}, { maxRetriesPerRequest: null }, { maxRetriesPerRequest: 0 }, { enableOfflineQueue: false }];
    const services = settings.map(service);
    await services[0]!.createSession(ref);
    for (const each of services.slice(0, 3)) await each.ping();
    await server.stop();
    const outcomes = services.map(async (each, i) => {
      const event = eventOf(`e${i}`);
      const append = outcomeOf(each.appendEvent({ session: ref, event }), timeoutMs);
      const reads = [outcomeOf(each.getSession(ref), timeoutMs), outcomeOf(each.ping(), timeoutMs)];
      expect(['STORE_OUTCOME_UNKNOWN', 'STORE_UNAVAILABLE']).toContain(await append);
      expect(await Promise.all(reads)).toEqual(['STORE_UNAVAILABLE', 'STORE_UNAVAILABLE']);
    });
    await Promise.all(outcomes);
    await server.restart();
    const after = service();
    // Connected again, and whatever a queue kept has been sent.
    for (const each of services) await until(async () => (await outcomeOf(each.ping(), timeoutMs)) === 'done');
    expect(await storedIds(after)).toEqual([]);
    await after.appendEvent({ session: ref, event: eventOf('e0') });
    expect(await storedIds(services[0]!)).toEqual(['e0']);
  });

  it('hears of a paused server within the time limit; when it goes on, what was called unknown does not happen any more (contract 7)', async () => {
    const one = service();
    await one.createSession(ref);
    await one.appendEvent({ session: ref, event: eventOf('before') });
    await server.pause();
    const calls = [
      outcomeOf(one.appendEvent({ session: ref, event: eventOf('during') }), timeoutMs),
      outcomeOf(one.createSession({ ...ref, sessionId: 'other' }), timeoutMs),
      outcomeOf(one.deleteSession(ref), timeoutMs),
      outcomeOf(one.deleteUserData(ref), timeoutMs),
    ];
    const p = { holder: 'h', waitMs: 9_000, maxWaiting: 1, ttlMs: 60_000, cleanupMs: 0 };
    const lease = one.leasing!.lease(ref, { ...p, invocationId: 'i', policy: 'queue' });
    const [read, asked] = await Promise.all([one.getSession(ref), lease].map((call) => outcomeOf(call, timeoutMs)));
    expect([read, asked]).toEqual(['STORE_UNAVAILABLE', 'STORE_UNAVAILABLE']);
    expect(await Promise.all(calls)).toEqual(Array.from({ length: 4 }, () => 'STORE_OUTCOME_UNKNOWN'));
    await server.resume();
    const other = service();
    expect(await storedIds(other)).toEqual(['before']);
    // The client of the first has been answered by now.
    await one.ping();
    expect(await one.leasing!.current(ref)).toBeUndefined();
    expect([await storedIds(one), (await one.listSessions({ appName: 'app' })).total]).toEqual([['before'], 1]);
  });

  it('loses and repeats nothing that was acknowledged when the server is killed and comes back, under appendfsync always (contract 7)', async () => {
    const one = service();
    await one.createSession(ref);
    const acknowledged: string[] = [];
    let next = 0;
    for (let round = 0; round < 3; round++) {
      let over = false;
      const writing = (async () => {
        while (!over) {
          const event = eventOf(`e${next++}`);
          // As a run does: the same id again until it is known.
          for (let outcome = ''; outcome !== 'done';)
            outcome = await outcomeOf(one.appendEvent({ session: ref, event }), 10_000);
          acknowledged.push(event.id);
        }
      })();
      await new Promise((resolve) => setTimeout(resolve, 200));
      await server.kill();
      over = true;
      await server.restart();
      await writing;
    }
    expect(await storedIds(service())).toEqual(acknowledged);
    expect(acknowledged.length).toBeGreaterThan(10);
  });

  it('goes on after SCRIPT FLUSH as if nothing had been (contract 7)', async () => {
    const one = service();
    await one.createSession(ref);
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    const all: Promise<unknown>[] = [];
    for (const id of ids) {
      await (clients[0] as ReturnType<typeof clientTo>).script('FLUSH');
      all.push(one.appendEvent({ session: ref, event: eventOf(id) }), one.getSession(ref));
    }
    await Promise.all(all);
    expect((await storedIds(one)).sort()).toEqual(ids);
  });

  it('says that a server out of memory refused, stores nothing half, and still reads and deletes (contract 7)', async () => {
    const one = service();
    const client = clients[0] as ReturnType<typeof clientTo>;
    await one.createSession(ref);
    await one.appendEvent({ session: ref, event: eventOf('before') });
    await client.config('SET', 'maxmemory', '100kb');
    const refused = [
      one.appendEvent({ session: ref, event: eventOf('during') }),
      one.createSession({ ...ref, sessionId: 'other', state: { 'app:other': 1 } }),
      one.updateState({ ...ref, stateDelta: { during: 1 } }),
    ].map((call) => outcomeOf(call, timeoutMs));
    expect(new Set(await Promise.all(refused))).toEqual(new Set(['STORE_UNAVAILABLE']));
    expect(await storedIds(one)).toEqual(['before']);
    expect((await one.listSessions({ appName: 'app' })).total).toBe(1);
    expect(await one.deleteSession(ref)).toBe(true);
    await client.config('SET', 'maxmemory', '0');
    await one.createSession({ ...ref, sessionId: 'other' });
  });

  it('reads from a replica that takes no writes, and says that writes were refused (contract 7)', async () => {
    const one = service();
    await one.createSession(ref);
    await one.appendEvent({ session: ref, event: eventOf('before') });
    const replica = await startRedis({ config: [`replicaof 127.0.0.1 ${server.port}`, 'repl-diskless-sync-delay 0'] });
    try {
      const client = clientTo(replica.url);
      clients.push(client);
      await expect.poll(async () => client.exists('thole:{app|u}:s:s'), { timeout: 20_000 }).toBe(1);
      const reader = new RedisSessionService(client, { timeoutMs });
      expect(await storedIds(reader)).toEqual(['before']);
      expect((await reader.listSessions({ appName: 'app', userId: 'u' })).total).toBe(1);
      const refused = [
        reader.appendEvent({ session: ref, event: eventOf('during') }),
        reader.deleteSession(ref),
        reader.deleteUserData(ref),
        reader.createSession({ ...ref, sessionId: 'other' }),
      ].map((call) => outcomeOf(call, timeoutMs));
      expect(new Set(await Promise.all(refused))).toEqual(new Set(['STORE_UNAVAILABLE']));
      const patient = new RedisSessionService(clients[0]!, { timeoutMs, wait: { replicas: 1, timeoutMs: 900 } });
      await patient.appendEvent({ session: ref, event: eventOf('on both') });
      expect(await storedIds(reader)).toEqual(['before', 'on both']);
    } finally {
      await replica.remove();
    }
  });

  it('calls a write unknown that fewer replicas have than were asked for; the same id again tells when they do (contract 7)', async () => {
    const one = service();
    await one.createSession(ref);
    const patient = new RedisSessionService(clients[0]!, { timeoutMs, wait: { replicas: 1, timeoutMs: 100 } });
    for (let i = 0; i < 2; i++) {
      const append = patient.appendEvent({ session: ref, event: eventOf('e1') });
      expect(await outcomeOf(append, timeoutMs)).toBe('STORE_OUTCOME_UNKNOWN');
    }
    expect(await storedIds(one)).toEqual(['e1']);
  });
});
