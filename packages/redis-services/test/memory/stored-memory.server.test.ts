import { createEvent } from '@thole/core';
import type { MemoryEntry, Session } from '@thole/core';
import { RedisMemoryService, RedisMemoryStore, RedisSessionService } from '@thole/redis-services';
import type { RedisClient } from '@thole/redis-services';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { describeWith, startRedis, until } from '../../../../test/servers/index.ts';
import { outcomeOf } from '../support/outcomes.ts';
import { clientTo } from '../support/redis-clients.ts';

const alice = { appName: 'hotel', userId: 'alice' };
const bob = { appName: 'hotel', userId: 'bob' };

function note(id: string, timestamp: number, more: Partial<MemoryEntry> = {}): MemoryEntry {
  return { id, kind: 'note', content: { parts: [{ text: `SECRET ${id}` }] }, timestamp, ...more };
}

describeWith('redis', 'Keys of memory in Redis', (url) => {
  const client = clientTo(url);
  let count = 0;
  afterAll(() => client.quit());
  const nextPrefix = (): string => `memory-left/${process.pid}/${count++}/`;

  it('contain only ids after a user’s memory was deleted (contracts 12, 31)', async () => {
    const keyPrefix = nextPrefix();
    const service = new RedisMemoryService(client, { keyPrefix });
    const store = new RedisMemoryStore(client, { keyPrefix });
    const content = { role: 'user' as const, parts: [{ text: 'SECRET' }] };
    const events = Array.from({ length: 30 }, (_, i) =>
      createEvent({ id: `e${i}`, author: 'user', content, timestamp: i + 1 }),
    );
    const session = (user: typeof alice): Session => ({
      ...user,
      ...{ id: 's', state: {}, events, lastUpdateTime: 1, lastSeq: 30, incarnation: 'i' },
    });
    for (const user of [alice, bob]) {
      await service.addSessionToMemory(session(user));
      await service.addMemory({ ...user, memories: [note('f', 5, { kind: 'fact' })] });
      const segment = { analyzer: 'words', upTo: 31, bytes: new TextEncoder().encode('SECRET') };
      await store.abilities.segmented.saveSegment(user, segment, { ifRemovals: 0 });
    }
    expect(await client.hlen(`${keyPrefix}{hotel|alice}:me`)).toBe(31);
    expect(await service.deleteUserMemory(alice)).toBe(31);
    await service.addSessionToMemory(session(alice));
    const keys = async (user: string): Promise<string[]> =>
      (await client.keys(`${keyPrefix}{hotel|${user}}:m*`)).map((key) => key.split(':').at(-1)!).toSorted();
    expect(await keys('alice')).toEqual(['m', 'ml', 'mw']);
    expect((await client.hvals(`${keyPrefix}{hotel|alice}:mw`)).join()).not.toContain('SECRET');
    expect(await keys('bob')).toEqual(['m', 'me', 'mf', 'mg', 'ml', 'mw', 'mx']);
    expect(await client.zcard(`${keyPrefix}{hotel|alice}:ml`)).toBe(31);
    expect((await service.listMemories(alice)).memories).toEqual([]);
    expect((await service.listMemories(bob)).memories).toHaveLength(31);
  });

  it(
    'do not contain old entries of any user after the app was pruned (contracts 30, 31)',
    { timeout: 600_000 },
    async () => {
      const service = new RedisMemoryService(client, { keyPrefix: nextPrefix(), timeoutMs: 300_000 });
      const users = Array.from({ length: 205 }, (_, i) => ({ appName: 'hotel', userId: `ü:${i}` }));
      const other = { ...alice, appName: 'airline' };
      const memories = [note('old', 10), note('edge', 20), note('new', 30)];
      await Promise.all([...users, other].map((user) => service.addMemory({ ...user, memories })));
      const many = Array.from({ length: 1_203 }, (_, i) => note(`n${i}`, i));
      await service.addMemory({ ...users[7]!, memories: many });
      expect(await service.pruneMemories({ appName: 'hotel', olderThan: 20, kinds: ['fact'] })).toBe(0);
      expect(await service.pruneMemories({ appName: 'hotel', olderThan: 20 })).toBe(205 + 20);
      const remaining = async (user: typeof alice): Promise<string[]> =>
        (await service.listMemories({ ...user, limit: 2_000 })).memories.map(({ id }) => id);
      for (const user of [users[0]!, users[204]!]) expect(await remaining(user)).toEqual(['edge', 'new']);
      expect(await remaining(other)).toEqual(['old', 'edge', 'new']);
      expect(await service.pruneMemories({ ...users[7]!, olderThan: 1_200 })).toBe(1_180 + 2);
      expect(await remaining(users[7]!)).toEqual(['n1200', 'n1201', 'n1202']);
      for (const request of [{}, { appName: 'hotel', olderThan: NaN }, { olderThan: 1, kinds: 'x' }]) {
        await expect(service.pruneMemories(request as never)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
      }
    },
  );

  it('do not change after the time limit of a call has passed (contract 7)', { timeout: 300_000 }, async () => {
    const server = await startRedis({ config: ['appendonly yes', 'appendfsync always'] });
    const ownClient = clientTo(server.url);
    onTestFinished(async () => {
      ownClient.disconnect();
      await server.remove();
    });
    const timeoutMs = 1_000;
    const store = new RedisMemoryStore(ownClient, { timeoutMs });
    const patient = new RedisMemoryStore(ownClient, { timeoutMs: 60_000 });
    const untilAnswered = (): Promise<void> => until(async () => (await outcomeOf(store.ping(), timeoutMs)) === 'done');
    await patient.put(alice, [note('before', 1)], 'ifAbsent');
    await untilAnswered();
    await server.pause();
    const writes = [
      store.put(alice, [note('during', 1)], 'ifAbsent'),
      store.put(alice, [note('during too', 1)], 'replace'),
      store.remove(alice, 'everything', 0),
      store.abilities.segmented.saveSegment(
        alice,
        { analyzer: 'a', upTo: 1, bytes: Uint8Array.of(1) },
        { ifRemovals: 0 },
      ),
    ].map((call) => outcomeOf(call, timeoutMs));
    const reads = [
      store.since(alice, 0, 10),
      store.get(alice, ['before']),
      store.list(alice, { limit: 10 }),
      store.abilities.segmented.loadSegments(alice),
      store.ping(),
    ].map((call) => outcomeOf(call, timeoutMs));
    for (const outcome of await Promise.all(writes)) expect(outcome).toMatch(/^STORE_(OUTCOME_UNKNOWN|UNAVAILABLE)$/);
    expect(new Set(await Promise.all(reads))).toEqual(new Set(['STORE_UNAVAILABLE']));
    await server.resume();
    await untilAnswered();
    expect((await patient.since(alice, 0, 10)).changes).toMatchObject([{ seq: 1, entry: note('before', 1) }]);
    await server.stop();
    expect(await outcomeOf(store.put(alice, [note('x', 1)], 'replace'), timeoutMs)).toMatch(
      /^STORE_(OUTCOME_UNKNOWN|UNAVAILABLE)$/,
    );
    expect(await outcomeOf(store.list(alice, { limit: 1 }), timeoutMs)).toBe('STORE_UNAVAILABLE');
    await server.restart();
    await expect
      .poll(
        () =>
          store.list(alice, { limit: 5 }).then(
            ({ memories }) => memories.length,
            () => -1,
          ),
        { timeout: 60_000 },
      )
      .toBe(1);
  });

  it('contain no text with a codec, only ids, times, kinds and sessions', async () => {
    const keyPrefix = nextPrefix();
    const reverse = (text: string): string => Array.from(text).toReversed().join('');
    const codec = { encode: reverse, decode: (stored: string | Uint8Array) => reverse(String(stored)) };
    const store = new RedisMemoryStore(client, { keyPrefix, codec });
    const entry = note('n', 10, { author: 'SECRET', sessionId: 's' });
    await store.put(alice, [entry], 'ifAbsent');
    const bytes = new TextEncoder().encode('SECRET');
    await store.abilities.segmented.saveSegment(alice, { analyzer: 'words', upTo: 1, bytes }, { ifRemovals: 0 });
    const stored = JSON.stringify([
      await client.hgetall(`${keyPrefix}{hotel|alice}:me`),
      await client.hgetall(`${keyPrefix}{hotel|alice}:mg`),
    ]);
    expect(stored).not.toMatch(/SECRET|U0VDUkVU/);
    expect(await store.get(alice, ['n'])).toEqual([{ seq: 1, entry }]);
    expect(await store.abilities.segmented.loadSegments(alice)).toEqual([{ analyzer: 'words', upTo: 1, bytes }]);
    const without = new RedisMemoryStore(client, { keyPrefix });
    await expect(without.get(alice, ['n'])).rejects.toMatchObject({ code: 'STORE_VERSION' });
  });

  it('cause STORE_VERSION if another version wrote them', async () => {
    const keyPrefix = nextPrefix();
    const store = new RedisMemoryStore(client, { keyPrefix });
    await store.put(alice, [note('n', 10)], 'ifAbsent');
    await store.abilities.segmented.saveSegment(
      alice,
      { analyzer: 'a', upTo: 1, bytes: Uint8Array.of(1) },
      { ifRemovals: 0 },
    );
    await client.hset(`${keyPrefix}{hotel|alice}:m`, 'v', '2');
    await client.hset(`${keyPrefix}{hotel|alice}:mg`, 'v', '2');
    const { segmented } = store.abilities;
    for (const call of [
      () => store.put(alice, [note('n', 10)], 'replace'),
      () => store.since(alice, 0, 10),
      () => store.get(alice, ['n']),
      () => store.list(alice, { limit: 10 }),
      () => store.remove(alice, 'everything', 0),
      () => segmented.saveSegment(alice, { analyzer: 'a', upTo: 1, bytes: Uint8Array.of(1) }, { ifRemovals: 0 }),
      () => segmented.loadSegments(alice),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'STORE_VERSION' });
    }
  });

  it('are separate from those of sessions with the same prefix (contract 42)', async () => {
    const keyPrefix = nextPrefix();
    const sessions = new RedisSessionService(client, { keyPrefix });
    const memory = new RedisMemoryService(client, { keyPrefix, topK: 3, indexBytes: 0 });
    await sessions.createSession({ ...alice, sessionId: 's', state: { 'user:a': 1, 'app:b': 1 } });
    await memory.addMemory({ ...alice, memories: [note('n', 10)] });
    await memory.deleteUserMemory(alice);
    expect((await sessions.getSession({ ...alice, sessionId: 's' }))!.state).toEqual({ 'user:a': 1, 'app:b': 1 });
    await memory.addMemory({ ...alice, memories: [note('n', 10)] });
    await sessions.deleteUserData(alice);
    expect((await memory.listMemories(alice)).memories).toHaveLength(1);
  });

  it('are not read or written with invalid options (contract 42)', () => {
    for (const options of [{ topK: 0 }, { sessionTtlMs: 1 }, { codec: 7 }, { timeoutMs: 0 }, 7]) {
      expect(() => new RedisMemoryService(client, options as never)).toThrow(
        expect.objectContaining({ code: 'INVALID_INPUT' }),
      );
    }
  });
});

describeWith('redis', 'RedisMemoryStore', (url) => {
  it('finds the few entries of a filter among thousands in few calls (contract 34)', async () => {
    const client = clientTo(url);
    onTestFinished(() => client.disconnect());
    let calls = 0;
    const counting = new Proxy(client, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (name === 'evalsha') calls++;
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
    const store = new RedisMemoryStore(counting as RedisClient, { keyPrefix: `few-calls/${process.pid}/` });
    const entries = Array.from({ length: 3_000 }, (_, i) => note(`n${i}`, i, i % 1_400 === 700 ? { author: 'a' } : {}));
    await store.put(alice, entries, 'ifAbsent');
    calls = 0;
    const { memories } = await store.list(alice, { limit: 3, filter: { author: 'a' } });
    expect(memories.map(({ entry }) => entry.id)).toEqual(['n700', 'n2100']);
    expect(calls).toBeLessThan(15);
  });

  it('reads a bounded number of entries per call when it lists a long session', async () => {
    const server = await startRedis();
    const client = clientTo(server.url);
    onTestFinished(async () => {
      client.disconnect();
      await server.remove();
    });
    const store = new RedisMemoryStore(client);
    const entries = Array.from({ length: 8_000 }, (_, i) =>
      note(`n${i}`, i, { sessionId: i % 4 === 3 ? 'short' : 'long' }),
    );
    await store.put(alice, entries, 'ifAbsent');
    await store.put(alice, [note('n8', 8, { sessionId: 'long' })], 'replace');
    const commandsBefore = await commandsOf(client);
    for (const [sessionId, count] of [
      ['long', 6_000],
      ['short', 2_000],
    ] as const) {
      const ids: string[] = [];
      for (let cursor: string | undefined; ;) {
        const page = await store.list(alice, { limit: 500, cursor, filter: { sessionId } });
        ids.push(...page.memories.map(({ entry }) => entry.id));
        if (page.next === undefined) break;
        cursor = page.next;
      }
      expect(ids).toHaveLength(count);
      expect(ids.at(-1)).toBe(sessionId === 'long' ? 'n8' : 'n7999');
    }
    expect((await commandsOf(client)) - commandsBefore).toBeLessThan(35_000);
  });
});

/** Returns the number of commands that the server has run, including commands of scripts. */
async function commandsOf(client: ReturnType<typeof clientTo>): Promise<number> {
  const stats = await client.info('commandstats');
  return [...stats.matchAll(/calls=(\d+)/g)].reduce((sum, [, calls]) => sum + Number(calls), 0);
}
