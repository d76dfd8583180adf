import { RedisSessionService } from '@thole/redis-services';
import type { RedisClient } from '@thole/redis-services';
import type { Cluster } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith, startRedisCluster } from '../../../../test/servers/index.ts';
import type { RedisCluster } from '../../../../test/servers/index.ts';
import { eventOf, leaseRequest, outcomeOf, ref, storedIds } from '../support/outcomes.ts';
import { clusterClientTo } from '../support/redis-clients.ts';

describeWith('redis', 'AppOutbox', () => {
  let servers: RedisCluster;
  let client: Cluster;
  let count = 0;
  beforeAll(async () => {
    servers = await startRedisCluster({ config: ['cluster-require-full-coverage no'] });
    client = clusterClientTo(servers.addresses);
  });
  afterAll(async () => {
    client?.disconnect();
    await servers?.remove();
  });

  /** Returns a service whose process dies before it applies its outbox: scripts with keys of the app fail. */
  const createDyingService = (keyPrefix: string): RedisSessionService => {
    const evalsha = (sha: string, keys: number, all: string[]): Promise<unknown> =>
      keys === 4 && all[0] === `${keyPrefix}{app}:a`
        ? Promise.reject(new Error('Connection is closed.'))
        : client.evalsha(sha, keys, ...all);
    const eval_ = (source: string, keys: number, all: string[]): Promise<unknown> => client.eval(source, keys, ...all);
    const cut = new Proxy(client, {
      get(target, name) {
        if (name === 'evalsha') return evalsha;
        if (name === 'eval') return eval_;
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
    return new RedisSessionService(cut as RedisClient, { keyPrefix });
  };

  const calls: [string, (service: RedisSessionService) => Promise<unknown>][] = [
    ['a session is read', (service) => service.getSession(ref)],
    ['an event is appended', (service) => service.updateState({ ...ref, sessionId: 'other', stateDelta: { a: 1 } })],
    ['the sessions are listed', (service) => service.listSessions(ref)],
    ['a session is created', (service) => service.createSession({ ...ref, sessionId: 'third' })],
    ['the same event is appended again', (service) => service.appendEvent({ session: ref, event: eventOf('e2') })],
    [
      'a session already exists',
      (service) => expect(service.createSession(ref)).rejects.toMatchObject({ code: 'SESSION_ALREADY_EXISTS' }),
    ],
    ['the state of the user is read', (service) => service.getUserState(ref)],
    ['a missing session is deleted', (service) => service.deleteSession({ ...ref, sessionId: 'none' })],
    [
      'a lease is granted',
      async (service) => {
        const lease = await service.leasing!.lease(ref, leaseRequest('i', { policy: 'reject' }));
        await lease.release();
      },
    ],
  ];
  for (const [situation, call] of calls) {
    it(`applies the entries of a dead process when ${situation} (contract 7)`, async () => {
      const keyPrefix = `follow/${process.pid}/${count++}/`;
      const service = new RedisSessionService(client, { keyPrefix });
      await service.createSession({ ...ref, sessionId: 'other' });
      const dead = createDyingService(keyPrefix);
      await dead.createSession(ref);
      await dead.appendEvent({ session: ref, event: eventOf('e1') });
      await dead.appendEvent({ session: ref, event: eventOf('e2') });
      const before = await service.listSessions({ appName: 'app' });
      expect(before.sessions.map((session) => [session.id, session.state['app:e1']])).toEqual([['other', undefined]]);
      await call(service);
      const after = await service.listSessions({ appName: 'app' });
      const seen = after.sessions
        .filter(({ id }) => id !== 'third')
        .map(({ id, state }) => `${id} ${JSON.stringify(state['app:e2'])}`);
      expect(seen.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(['other 1', 's 1']);
      expect(await storedIds(service)).toEqual(['e1', 'e2']);
    });
  }

  it('applies the entries of a dead process when waiting sessions are listed (contract 11)', async () => {
    const keyPrefix = `follow/${process.pid}/${count++}/`;
    const service = new RedisSessionService(client, { keyPrefix });
    await service.createSession(ref);
    const dead = createDyingService(keyPrefix);
    const { fence } = await dead.leasing!.lease(ref, leaseRequest('i1'));
    await dead.appendEvent({ session: ref, event: eventOf('e1'), fence, marks: { unfinished: 'i1' } });
    const { sessions } = await service.listWaitingSessions({ appName: 'app', kind: 'unfinished' });
    expect(sessions.map(({ key, lastSeq }) => [key.sessionId, lastSeq])).toEqual([['s', 1]]);
  });

  it('applies an entry once, so that an old write never replaces a newer one (contract 6)', async () => {
    const keyPrefix = `follow/${process.pid}/${count++}/`;
    const service = new RedisSessionService(client, { keyPrefix });
    await service.createSession(ref);
    await service.createSession({ ...ref, userId: 'v' });
    await service.updateState({ ...ref, stateDelta: { 'app:a': 'old' } });
    // Simulates a process that died after it applied an entry and before it removed the entry.
    const pending = await client.lrange(`${keyPrefix}{app|u}:p`, 0, -1);
    expect(pending).toEqual([]);
    await createDyingService(keyPrefix).updateState({ ...ref, stateDelta: { 'app:a': 'newer' } });
    const [entry] = await client.lrange(`${keyPrefix}{app|u}:p`, 0, -1);
    await service.getSession(ref);
    await service.updateState({ ...ref, userId: 'v', stateDelta: { 'app:a': 'newest' } });
    await client.rpush(`${keyPrefix}{app|u}:p`, entry!);
    expect((await service.getSession(ref))!.state['app:a']).toBe('newest');
    expect(await client.llen(`${keyPrefix}{app|u}:p`)).toBe(0);
  });

  it('throws STORE_OUTCOME_UNKNOWN if no replica of the user’s node has the write (contract 7)', async () => {
    const keyPrefix = `follow/${process.pid}/${count++}/`;
    const service = new RedisSessionService(client, { keyPrefix });
    await service.createSession(ref);
    const confirmed = new RedisSessionService(client, { keyPrefix, wait: { replicas: 1, timeoutMs: 50 } });
    const append = confirmed.appendEvent({ session: ref, event: eventOf('e1') });
    expect(await outcomeOf(append, 5_000)).toBe('STORE_OUTCOME_UNKNOWN');
    expect(await storedIds(service)).toEqual(['e1']);
  });

  it('serves users of the other masters while one master does not answer (contract 7)', async () => {
    const keyPrefix = `follow/${process.pid}/${count++}/`;
    const service = new RedisSessionService(client, { keyPrefix, timeoutMs: 60_000 });
    const refs = Array.from({ length: 12 }, (_, i) => ({ ...ref, userId: `u${i}` }));
    for (const each of refs) await service.createSession(each);
    await servers.nodes[0]!.pause();
    try {
      const timeoutMs = 3_000;
      const newService = new RedisSessionService(client, { keyPrefix, timeoutMs });
      const appends = refs.map((session) =>
        outcomeOf(newService.appendEvent({ session, event: eventOf('e1') }), timeoutMs),
      );
      const outcomes = new Set(await Promise.all(appends));
      expect(outcomes).toEqual(new Set(['done', 'STORE_OUTCOME_UNKNOWN']));
    } finally {
      await servers.nodes[0]!.resume();
    }
    await servers.ready();
  });

  it('continues its numbers after a user was deleted (contract 12)', async () => {
    const keyPrefix = `follow/${process.pid}/${count++}/`;
    const service = new RedisSessionService(client, { keyPrefix });
    for (const value of [1, 2, 3]) {
      await service.createSession(ref);
      await service.updateState({ ...ref, stateDelta: { 'app:a': value } });
      await service.deleteUserData(ref);
      expect((await service.listSessions({ appName: 'app' })).total).toBe(0);
    }
    await service.createSession(ref);
    expect((await service.getSession(ref))!.state).toEqual({ 'app:a': 3 });
  });

  it('removes all 250 sessions of a deleted user from the app’s list (contract 12)', async () => {
    const keyPrefix = `follow/${process.pid}/${count++}/`;
    const service = new RedisSessionService(client, { keyPrefix, timeoutMs: 30_000 });
    const dead = createDyingService(keyPrefix);
    const ids = Array.from({ length: 250 }, (_, i) => `s${i}`);
    await Promise.all(ids.map((sessionId) => dead.createSession({ ...ref, sessionId })));
    await service.getSession(ref);
    expect((await service.listSessions({ appName: 'app', limit: 1 })).total).toBe(250);
    await service.deleteUserData(ref);
    expect((await service.listSessions({ appName: 'app' })).total).toBe(0);
    expect(await client.zcard(`${keyPrefix}{app}:l`)).toBe(0);
  });

  it('applies entries of a user who was deleted, also if the clock is set back (contract 12)', async () => {
    const keyPrefix = `follow/${process.pid}/${count++}/`;
    let now = Date.now();
    const service = new RedisSessionService(client, { keyPrefix, clock: () => now });
    for (const value of [1, 2, 3]) {
      await service.createSession(ref);
      await service.updateState({ ...ref, stateDelta: { 'app:a': value } });
      expect((await service.getSession(ref))!.state).toEqual({ 'app:a': value });
      await service.deleteUserData(ref);
      expect((await service.listSessions({ appName: 'app' })).total).toBe(0);
      expect(await client.pttl(`${keyPrefix}{app|u}:u`)).toBeGreaterThan(0);
      now -= 60_000;
    }
    await service.createSession(ref);
    // The hash no longer expires.
    expect(await client.pttl(`${keyPrefix}{app|u}:u`)).toBe(-1);
  });

  it('serves 30 users concurrently with enableAutoPipelining (contract 7)', async () => {
    const pipelining = clusterClientTo(servers.addresses, { enableAutoPipelining: true });
    try {
      const service = new RedisSessionService(pipelining, { keyPrefix: `follow/${process.pid}/${count++}/` });
      const refs = Array.from({ length: 30 }, (_, i) => ({ ...ref, userId: `u${i}` }));
      await Promise.all(refs.map((each) => service.createSession(each)));
      await Promise.all(refs.map((session) => service.appendEvent({ session, event: eventOf(session.userId) })));
      const { sessions } = await service.listSessions({ appName: 'app' });
      expect(sessions.map(({ lastSeq, state }) => [lastSeq, state['app:u29']])).toEqual(refs.map(() => [1, 1]));
    } finally {
      pipelining.disconnect();
    }
  });
});
