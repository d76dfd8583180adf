import { RedisSessionService } from '@thole/redis-services';
import type { Redis, RedisOptions } from 'ioredis';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeWith, startRedis, until } from '../../../../test/servers/index.ts';
import type { Server } from '../../../../test/servers/index.ts';
import { eventOf, leaseRequest, outcomeOf, ref, storedIds } from '../support/outcomes.ts';
import { clientTo } from '../support/redis-clients.ts';

/** Time limit of the calls that end without an answer. */
const timeoutMs = 1_000;
/** Time limit of the calls that must succeed, also on a slow machine. */
const longMs = 60_000;

describeWith('redis', 'Server outage', () => {
  let server: Server;
  const clients: Redis[] = [];
  const createClient = (options: RedisOptions = {}): Redis => {
    const client = clientTo(server.url, options);
    clients.push(client);
    return client;
  };
  const createService = (): RedisSessionService => new RedisSessionService(createClient(), { timeoutMs: longMs });
  const createLimited = (options?: RedisOptions): RedisSessionService =>
    new RedisSessionService(createClient(options), { timeoutMs });
  /** Repeats a call until it succeeds in time. Then the client is connected and has sent its queue. */
  const untilDone = (call: () => Promise<unknown>): Promise<void> =>
    until(async () => (await outcomeOf(call(), timeoutMs)) === 'done');
  beforeEach(async () => {
    server = await startRedis({ config: ['appendonly yes', 'appendfsync always'] });
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.disconnect();
    await server.remove();
  });

  it('ends calls to a stopped server in time with any client options, and runs nothing later (contract 7)', async () => {
    const settings = [{}, { maxRetriesPerRequest: null }, { maxRetriesPerRequest: 0 }, { enableOfflineQueue: false }];
    const services = settings.map(createLimited);
    await createService().createSession(ref);
    for (const each of services.slice(0, 3)) await untilDone(() => each.ping());
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
    const after = createService();
    for (const each of services) await untilDone(() => each.ping());
    expect(await storedIds(after)).toEqual([]);
    await after.appendEvent({ session: ref, event: eventOf('e0') });
    await expect.poll(() => storedIds(services[0]!)).toEqual(['e0']);
  });

  it('ends calls to a paused server in time; they do not run when it resumes (contract 7)', async () => {
    const [service, other] = [createLimited(), createService()];
    await other.createSession(ref);
    await other.appendEvent({ session: ref, event: eventOf('before') });
    // After this write, the service knows the clock and the mode of the server.
    await untilDone(() => service.deleteSession({ ...ref, sessionId: 'none' }));
    await server.pause();
    const calls = [
      outcomeOf(service.appendEvent({ session: ref, event: eventOf('during') }), timeoutMs),
      outcomeOf(service.createSession({ ...ref, sessionId: 'other' }), timeoutMs),
      outcomeOf(service.deleteSession(ref), timeoutMs),
      outcomeOf(service.deleteUserData(ref), timeoutMs),
    ];
    const lease = service.leasing!.lease(ref, leaseRequest('i', { waitMs: 9_000 }));
    const reads = await Promise.all([service.getSession(ref), lease].map((call) => outcomeOf(call, timeoutMs)));
    expect(reads).toEqual(['STORE_UNAVAILABLE', 'STORE_UNAVAILABLE']);
    expect(await Promise.all(calls)).toEqual(Array.from({ length: 4 }, () => 'STORE_OUTCOME_UNKNOWN'));
    await server.resume();
    expect(await storedIds(other)).toEqual(['before']);
    // Then the server has run all earlier calls of the client.
    await untilDone(() => service.ping());
    expect(await other.leasing!.current(ref)).toBeUndefined();
    expect([await storedIds(other), (await other.listSessions({ appName: 'app' })).total]).toEqual([['before'], 1]);
  });

  it('keeps acknowledged events, once each, if the server is killed, with appendfsync always (contract 7)', async () => {
    const service = createLimited();
    await createService().createSession(ref);
    const acknowledged: string[] = [];
    let next = 0;
    for (let round = 0; round < 3; round++) {
      let isDone = false;
      const writing = (async () => {
        while (!isDone) {
          const event = eventOf(`e${next++}`);
          // As a run does: repeats the same id until the outcome is known.
          for (let outcome = ''; outcome !== 'done';)
            outcome = await outcomeOf(service.appendEvent({ session: ref, event }), 10_000);
          acknowledged.push(event.id);
        }
      })();
      const before = acknowledged.length;
      await until(() => acknowledged.length > before + 5);
      await server.kill();
      isDone = true;
      await server.restart();
      await writing;
    }
    expect(await storedIds(createService())).toEqual(acknowledged);
  });

  it('loads its scripts again after SCRIPT FLUSH (contract 7)', async () => {
    const client = createClient();
    const service = new RedisSessionService(client, { timeoutMs: longMs });
    await service.createSession(ref);
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    const all: Promise<unknown>[] = [];
    for (const id of ids) {
      await client.script('FLUSH');
      all.push(service.appendEvent({ session: ref, event: eventOf(id) }), service.getSession(ref));
    }
    await Promise.all(all);
    expect((await storedIds(service)).sort()).toEqual(ids);
  });

  it('reports a server without memory, stores nothing partially, reads and deletes (contract 7)', async () => {
    const client = createClient();
    const service = new RedisSessionService(client, { timeoutMs: longMs });
    await service.createSession(ref);
    await service.appendEvent({ session: ref, event: eventOf('before') });
    await client.config('SET', 'maxmemory', '100kb');
    const refused = [
      service.appendEvent({ session: ref, event: eventOf('during') }),
      service.createSession({ ...ref, sessionId: 'other', state: { 'app:other': 1 } }),
      service.updateState({ ...ref, stateDelta: { during: 1 } }),
    ].map((call) => outcomeOf(call, timeoutMs));
    expect(new Set(await Promise.all(refused))).toEqual(new Set(['STORE_UNAVAILABLE']));
    expect(await storedIds(service)).toEqual(['before']);
    expect((await service.listSessions({ appName: 'app' })).total).toBe(1);
    expect(await service.deleteSession(ref)).toBe(true);
    await client.config('SET', 'maxmemory', '0');
    await service.createSession({ ...ref, sessionId: 'other' });
  });

  it('reads from a read-only replica and reports that writes were refused (contract 7)', async () => {
    const service = createService();
    await service.createSession(ref);
    await service.appendEvent({ session: ref, event: eventOf('before') });
    const replica = await startRedis({ config: [`replicaof 127.0.0.1 ${server.port}`, 'repl-diskless-sync-delay 0'] });
    try {
      const client = clientTo(replica.url);
      clients.push(client);
      await expect.poll(async () => client.exists('thole:{app|u}:s:s'), { timeout: 20_000 }).toBe(1);
      const reader = new RedisSessionService(client, { timeoutMs: longMs });
      expect(await storedIds(reader)).toEqual(['before']);
      expect((await reader.listSessions({ appName: 'app', userId: 'u' })).total).toBe(1);
      const refused = [
        reader.appendEvent({ session: ref, event: eventOf('during') }),
        reader.deleteSession(ref),
        reader.deleteUserData(ref),
        reader.createSession({ ...ref, sessionId: 'other' }),
      ].map((call) => outcomeOf(call, timeoutMs));
      expect(new Set(await Promise.all(refused))).toEqual(new Set(['STORE_UNAVAILABLE']));
      const wait = { replicas: 1, timeoutMs: 30_000 };
      const confirmed = new RedisSessionService(clients[0]!, { timeoutMs: longMs, wait });
      await confirmed.appendEvent({ session: ref, event: eventOf('on both') });
      expect(await storedIds(reader)).toEqual(['before', 'on both']);
    } finally {
      await replica.remove();
    }
  });

  it('throws STORE_OUTCOME_UNKNOWN while fewer replicas than requested have a write (contract 7)', async () => {
    const service = createService();
    await service.createSession(ref);
    const wait = { replicas: 1, timeoutMs: 100 };
    const confirmed = new RedisSessionService(clients[0]!, { timeoutMs: longMs, wait });
    for (let i = 0; i < 2; i++) {
      const append = confirmed.appendEvent({ session: ref, event: eventOf('e1') });
      expect(await outcomeOf(append, timeoutMs)).toBe('STORE_OUTCOME_UNKNOWN');
    }
    expect(await storedIds(service)).toEqual(['e1']);
  });
});
