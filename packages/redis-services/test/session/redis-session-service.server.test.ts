import { createEvent } from '@thole/core';
import type { Event, TholeError } from '@thole/core';
import { RedisArtifactService, RedisSessionService } from '@thole/redis-services';
import type { RedisSessionServiceOptions, TextCodec } from '@thole/redis-services';
import { afterAll, expect, it } from 'vitest';
import { describeWith, until } from '../../../../test/servers/index.ts';
import { leaseRequest, ref } from '../support/outcomes.ts';
import { clientTo } from '../support/redis-clients.ts';

describeWith('redis', 'RedisSessionService', (url) => {
  const client = clientTo(url);
  let count = 0;
  afterAll(() => client.quit());
  const nextPrefix = (): string => `service/${process.pid}/${count++}/`;
  const createService = (options: RedisSessionServiceOptions = {}): RedisSessionService =>
    new RedisSessionService(client, { keyPrefix: nextPrefix(), ...options });
  const keysOf = (keyPrefix: string): Promise<string[]> => client.keys(`${keyPrefix}*`);
  const hostile = ['*', '{}', ':', 'a\nb', `"'`, `') redis.call('FLUSHALL') --`, '}:{', '\\', '[[', '%25', '{app|u}'];
  const eventWithText = (id: string, timestamp: number): Event =>
    createEvent({ id, timestamp, author: 'user', content: { role: 'user', parts: [{ text: `secret ${id}` }] } });

  it('is durable', () => {
    expect(createService().isDurable).toBe(true);
  });

  it('writes only encoded names into keys, and no names into scripts (contract 1)', async () => {
    const keyPrefix = nextPrefix();
    const service = createService({ keyPrefix });
    const artifacts = new RedisArtifactService(client, { keyPrefix });
    for (const name of hostile) {
      for (const key of [
        { ...ref, appName: name },
        { ...ref, userId: name },
        { ...ref, sessionId: name },
      ]) {
        const state = { [name]: name, [`user:${name}`]: 1, [`app:${name}`]: 1 };
        await service.createSession({ ...key, state });
        await service.appendEvent({ session: key, event: eventWithText(name, 1) });
        expect((await service.getSession(key))!.state).toEqual(expect.objectContaining(state));
        await artifacts.saveArtifact({ ...key, filename: name, artifact: { text: name } });
        if (key.sessionId === name) await service.deleteSession(key);
        else await service.deleteUserData(key);
      }
    }
    const names = (await keysOf(keyPrefix)).map((key) => key.slice(keyPrefix.length));
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => !/^\{[\w.%-]+(\|[\w.%-]+)?\}:[a-z1](:[\w.%-]+)*$/.test(name))).toEqual([]);
  });

  it('leaves no key of expired and deleted sessions and of deleted users (contracts 11, 12, 14)', async () => {
    const keyPrefix = nextPrefix();
    const expiring = createService({ keyPrefix, sessionTtlMs: 3_000 });
    await expiring.createSession({ ...ref, state: { a: 1 } });
    // The option is stored with the session: another service that appends does not need it.
    const other = createService({ keyPrefix });
    await other.appendEvent({ session: ref, event: eventWithText('e1', 1) });
    expect(await client.pttl(`${keyPrefix}{app|u}:e:s`)).toBeGreaterThan(0);
    await until(async () => (await other.getSession(ref)) === undefined);
    expect((await other.listSessions({ appName: 'app' })).total).toBe(0);
    expect((await other.listSessions(ref)).total).toBe(0);
    expect(await keysOf(keyPrefix)).toEqual([]);
    await other.createSession({ ...ref, state: { a: 1, 'user:b': 1 } });
    expect(await client.pttl(`${keyPrefix}{app|u}:s:s`)).toBe(-1);
    await other.deleteUserData(ref);
    expect(await keysOf(keyPrefix)).toEqual([]);
  });

  it('throws STORE_VERSION for a record of another version and does not change it', async () => {
    const keyPrefix = nextPrefix();
    const service = createService({ keyPrefix });
    await service.createSession(ref);
    await client.hset(`${keyPrefix}{app|u}:s:s`, 'v', '2');
    const versionError = { code: 'STORE_VERSION' };
    await expect(service.getSession(ref)).rejects.toMatchObject(versionError);
    await expect(service.listSessions(ref)).rejects.toMatchObject(versionError);
    await expect(service.appendEvent({ session: ref, event: eventWithText('e1', 1) })).rejects.toMatchObject(
      versionError,
    );
    await expect(service.updateState({ ...ref, stateDelta: { a: 1 } })).rejects.toMatchObject(versionError);
    expect(await client.exists(`${keyPrefix}{app|u}:e:s`)).toBe(0);
    await client.hset(`${keyPrefix}{app|u}:s:s`, 'v', '1');
    await service.updateState({ ...ref, stateDelta: { 'user:a': 1 } });
    await client.hset(`${keyPrefix}{app|u}:u`, 'v', '2');
    await expect(service.getUserState(ref)).rejects.toMatchObject(versionError);
  });

  const codecs: [string, TextCodec][] = [
    [
      'text',
      {
        encode: (text) => Buffer.from(text).toString('hex'),
        decode: (hex) => Buffer.from(String(hex), 'hex').toString(),
      },
    ],
    [
      'bytes, asynchronously',
      {
        encode: async (text) => Buffer.from(text).map((byte) => byte ^ 0x55),
        decode: async (bytes) =>
          Buffer.from(bytes as Uint8Array)
            .map((byte) => byte ^ 0x55)
            .toString(),
      },
    ],
  ];
  it('throws STORE_VERSION without stored text for a state of another codec', async () => {
    const keyPrefix = `other-codec/${process.pid}/`;
    const encode = (text: string): string => text;
    const writer = createService({ keyPrefix, codec: { encode, decode: String } });
    await writer.createSession({ ...ref, state: { a: 'SECRET' } });
    const reader = createService({ keyPrefix, codec: { encode, decode: (text) => String(text).slice(1) } });
    const error: unknown = await reader.getSession(ref).catch((each: unknown) => each);
    expect(error).toMatchObject({ code: 'STORE_VERSION', message: expect.stringContaining('another codec') });
    expect(error).not.toHaveProperty('cause');
    await expect(reader.listSessions({ appName: ref.appName })).rejects.toMatchObject({ code: 'STORE_VERSION' });
  });

  for (const [resultType, codec] of codecs) {
    it(`stores no readable texts, state or artifacts with a codec that returns ${resultType}`, async () => {
      const keyPrefix = nextPrefix();
      const state = { a: 'secret', 'user:b': 'secret', 'app:c': ['secret'] };
      const plain = createService({ keyPrefix });
      await plain.createSession({ ...ref, sessionId: 'older', state: { a: 'from before' } });
      const service = createService({ keyPrefix, codec });
      await service.createSession({ ...ref, state });
      await service.appendEvent({ session: ref, event: eventWithText('e1', 1) });
      await service.appendEvent({ session: ref, event: eventWithText('e1', 1) });
      const artifacts = new RedisArtifactService(client, { keyPrefix, codec });
      const file = { ...ref, filename: 'f' };
      await artifacts.saveArtifact({ ...file, artifact: { inlineData: { mimeType: 'a/b', data: 'c2VjcmV0' } } });
      const dumps = await Promise.all((await keysOf(keyPrefix)).map((key) => client.dumpBuffer(key)));
      expect(dumps.filter((dump) => dump!.includes('secret') || dump!.includes('c2VjcmV0'))).toEqual([]);
      const session = (await service.getSession(ref))!;
      expect([session.state, session.events[0]!.content!.parts![0]]).toEqual([state, { text: 'secret e1' }]);
      expect((await artifacts.loadArtifact(file))!.inlineData!.data).toBe('c2VjcmV0');
      expect((await service.getSession({ ...ref, sessionId: 'older' }))!.state['a']).toBe('from before');
      await expect(plain.getSession(ref)).rejects.toMatchObject({ code: 'STORE_VERSION' });
    });
  }

  it('prunes the oldest events by age and number; seq continues without gaps (contract 8)', async () => {
    const service = createService();
    await service.createSession(ref);
    const times = [10, 20, 30, 25, 40, 50];
    for (const [i, time] of times.entries())
      await service.appendEvent({ session: ref, event: eventWithText(`e${i + 1}`, time) });
    const seqs = async (): Promise<unknown> =>
      (await service.getSession(ref))!.events.map(({ id, seq }) => `${id}=${seq}`);
    const message = 'olderThan must be a finite number of seconds, got a number.';
    await expect(service.pruneEvents({ appName: 'app', olderThan: Infinity })).rejects.toThrow(message);
    expect(await service.pruneEvents({ appName: 'app', olderThan: 20 })).toBe(1);
    expect(await service.pruneEvents({ ...ref, olderThan: 28, keepLast: 5 })).toBe(0);
    // The fourth event is old enough, but the third is not.
    expect(await service.pruneEvents({ appName: 'app', userId: 'u', olderThan: 28 })).toBe(1);
    expect(await seqs()).toEqual(['e3=3', 'e4=4', 'e5=5', 'e6=6']);
    expect(await service.pruneEvents({ appName: 'app', keepLast: 2 })).toBe(2);
    await service.appendEvent({ session: ref, event: eventWithText('e7', 60) });
    await service.appendEvent({ session: ref, event: eventWithText('e6', 50) });
    expect(await seqs()).toEqual(['e5=5', 'e6=6', 'e7=7']);
    const windowed = async (p: object): Promise<unknown> =>
      (await service.getSession({ ...ref, ...p }))!.events.map(({ id }) => id);
    expect(await windowed({ afterSeq: 2 })).toEqual(['e5', 'e6', 'e7']);
    expect(await windowed({ afterSeq: 6 })).toEqual(['e7']);
    expect(await windowed({ afterTimestamp: 50 })).toEqual(['e6', 'e7']);
    expect(await windowed({ numRecentEvents: 9 })).toEqual(['e5', 'e6', 'e7']);
    const bad = [
      { appName: 'app' },
      { appName: 'app', sessionId: 's', keepLast: 1 },
      { appName: 'app', keepLast: -1 },
      { appName: 'app', olderThan: Date.now() },
    ];
    for (const request of bad)
      await expect(service.pruneEvents(request)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('finds a window by time in a long session, also if times go back (contract 10)', async () => {
    const service = createService();
    for (const [sessionId, jitter] of [
      ['steady', 0],
      ['jumping', 40],
    ] as const) {
      const key = { ...ref, sessionId };
      await service.createSession(key);
      const times = Array.from({ length: 700 }, (_, i) => 1_000 + i * 10 - ((i * 7) % 5) * jitter);
      await Promise.all(
        times.map((time, i) => service.appendEvent({ session: key, event: eventWithText(`e${i}`, time) })),
      );
      const all = (await service.getSession(key))!.events;
      for (const afterTimestamp of [0, 1_000, 3_333, 5_000, 7_990, 9_000]) {
        for (const numRecentEvents of [undefined, 3, 150]) {
          const expected = all.filter(({ timestamp }) => timestamp >= afterTimestamp);
          const { events } = (await service.getSession({ ...key, afterTimestamp, numRecentEvents }))!;
          expect(events.map(({ seq }) => seq)).toEqual(expected.slice(-(numRecentEvents ?? 700)).map(({ seq }) => seq));
        }
      }
    }
  });

  it('waits, interrupts and watches across services that share only the server (contracts 13, 40)', async () => {
    const keyPrefix = nextPrefix();
    const [service, other] = [createService({ keyPrefix, pollMs: 50 }), createService({ keyPrefix, pollMs: 50 })];
    await service.createSession(ref);
    const times = { waitMs: 60_000, ttlMs: 60_000 };
    const endCodes: string[] = [];
    const onEnd = (error: TholeError): void => void endCodes.push(error.code);
    const first = await service.leasing!.lease(ref, leaseRequest('i1', { ...times, onEnd }));
    const watching = new AbortController();
    const seen: string[] = [];
    const watched = (async () => {
      for await (const event of other.watching!.watch(ref, 0, watching.signal)) seen.push(event.id);
    })();
    const second = other.leasing!.lease(ref, leaseRequest('i2', { ...times, policy: 'interrupt' }));
    await until(() => endCodes.includes('RUN_INTERRUPTED'));
    await service.appendEvent({ session: ref, event: eventWithText('last words', 1), fence: first.fence });
    await first.release();
    const lease = await second;
    await expect(
      service.appendEvent({ session: ref, event: eventWithText('late', 1), fence: first.fence }),
    ).rejects.toMatchObject({ code: 'LEASE_LOST' });
    await other.appendEvent({ session: ref, event: eventWithText('newer', 1), fence: lease.fence });
    await until(() => seen.length === 2);
    watching.abort();
    await watched;
    expect([seen, endCodes]).toEqual([['last words', 'newer'], ['RUN_INTERRUPTED']]);
    await lease.release();
    // A lease that is never released expires.
    await service.leasing!.lease(ref, leaseRequest('crashed', { ...times, ttlMs: 300 }));
    const after = await other.leasing!.lease(ref, leaseRequest('i4', times));
    await after.release();
    expect(await Array.fromAsync(service.leasing!.leases('app'))).toEqual([]);
  });

  it('grants the lease to the next waiting run after another run gave up (contract 13)', async () => {
    const service = createService({ pollMs: 50 });
    await service.createSession(ref);
    const held = await service.leasing!.lease(ref, leaseRequest('i1'));
    const leaving = new AbortController();
    const gone = service.leasing!.lease(ref, leaseRequest('gone', { signal: leaving.signal }));
    const next = service.leasing!.lease(ref, leaseRequest('i2'));
    leaving.abort();
    await expect(gone).rejects.toThrow();
    await held.release();
    await (await next).release();
  });

  it('resolves ping, and rejects invalid clients and options (contract 42)', async () => {
    await expect(createService().ping()).resolves.toBeUndefined();
    const bad: [unknown, unknown][] = [
      [undefined, {}],
      [{}, {}],
      [client, 5],
      [client, { timeoutMs: 0 }],
      [client, { prefix: 'x' }],
      [client, { wait: { replicas: 1, timeoutMs: 5_000 } }],
      [client, { wait: {} }],
      [client, { codec: {} }],
      [client, { sessionTtlMs: 0.5 }],
      [client, { pollMs: 0 }],
      [client, { keyPrefix: 7 }],
    ];
    for (const [given, options] of bad) {
      const make = (): unknown => new RedisSessionService(given as never, options as never);
      expect(make).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
    }
    expect(() => new RedisArtifactService(client, { sessionTtlMs: 1 } as never)).toThrow('sessionTtlMs');
  });
});
