import { createEvent } from '@thole/core';
import { noMarks } from '@thole/core/kit';
import { RedisSessionService, RedisSessionStore } from '@thole/redis-services';
import type { RedisClient } from '@thole/redis-services';
import { afterAll, expect, it } from 'vitest';
import { describeWith } from '../../../../test/servers/index.ts';
import { leaseRequest, ref } from '../support/outcomes.ts';
import { clientTo } from '../support/redis-clients.ts';

const marks = { unfinished: 'i', wakeAt: 5, openInterrupts: 1 };

describeWith('redis', 'Waiting sessions in Redis', (url) => {
  const client = clientTo(url);
  let count = 0;
  afterAll(() => client.quit());
  const nextPrefix = (): string => `waiting/${process.pid}/${count++}/`;

  it('fit on one page of 4,500 sessions, also of one user (contract 11)', async () => {
    const store = new RedisSessionStore(client, { keyPrefix: nextPrefix(), timeoutMs: 60_000 });
    const empty = { initialState: {}, state: {}, appState: {}, userState: {}, appVersion: 0, userVersion: 0 };
    const times = { createTime: 1, lastUpdateTime: 1 };
    const sessions = Array.from({ length: 4_500 }, (_, i) => ({ ...ref, sessionId: `s${i}` }));
    await Promise.all(
      sessions.map((key) =>
        store.insert({ key, incarnation: 'x', ...empty, ...times, events: [], lastSeq: 0, marks, v: 1 }),
      ),
    );
    for (const userId of [undefined, 'u']) {
      const page = await store.waiting({ appName: 'app', userId, kind: 'interrupts', limit: 5_000 });
      expect([page.sessions.length, page.next]).toEqual([4_500, undefined]);
    }
  });

  it('leave no key when they are deleted (contracts 11, 12)', async () => {
    const keyPrefix = nextPrefix();
    const service = new RedisSessionService(client, { keyPrefix });
    for (const sessionId of ['s', 's2']) {
      await service.createSession({ ...ref, sessionId });
      await service.appendEvent({ session: { ...ref, sessionId }, event: createEvent({ author: 'user' }), marks });
    }
    const lists = ['{app}:wu', '{app}:wd', '{app}:wi', '{app|u}:v'].map((name) => `${keyPrefix}${name}`);
    expect(await client.exists(...lists)).toBe(4);
    await service.deleteSession(ref);
    expect(await client.exists(...lists)).toBe(4);
    await service.deleteUserData(ref);
    expect((await client.keys(`${keyPrefix}*`)).filter((key) => !key.includes(':1:'))).toEqual([]);
  });

  it('have no time to live, which begins again with the last mark (contract 14)', async () => {
    const keyPrefix = nextPrefix();
    const service = new RedisSessionService(client, { keyPrefix, sessionTtlMs: 60_000 });
    const keys = ['s', 'e', 'k'].map((kind) => `${keyPrefix}{app|u}:${kind}:s`);
    const ttls = (): Promise<boolean[]> => Promise.all(keys.map(async (key) => (await client.pttl(key)) > 0));
    await service.createSession({ ...ref, state: { a: 1 } });
    const append = (changes: object): Promise<unknown> =>
      service.appendEvent({ session: ref, event: createEvent({ author: 'user' }), ...changes });
    await append({});
    expect(await ttls()).toEqual([true, true, true]);
    await append({ marks });
    expect(await ttls()).toEqual([false, false, false]);
    await append({});
    await append({ marks: { unfinished: null, openInterrupts: 0 } });
    expect(await ttls()).toEqual([false, false, false]);
    expect(await client.zcard(`${keyPrefix}{app}:x`)).toBe(0);
    await append({ marks: { wakeAt: null } });
    await append({ event: createEvent({ author: 'user', timestamp: 1 }) });
    expect(await ttls()).toEqual([true, true, true]);
    expect(await client.zcard(`${keyPrefix}{app}:x`)).toBe(1);
    const lease = await service.leasing!.lease(ref, leaseRequest('i'));
    await lease.release({ marks: { wakeAt: 5 } });
    expect(await ttls()).toEqual([false, false, false]);
    expect(await client.zcard(`${keyPrefix}{app|u}:x`)).toBe(0);
  });

  it('need no further calls in a turn (contract 11)', async () => {
    let calls = 0;
    const counting = new Proxy(client, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (name === 'evalsha' || name === 'eval') calls++;
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
    const service = new RedisSessionService(counting as RedisClient, { keyPrefix: nextPrefix() });
    const turn = async (first: object, last: object): Promise<number> => {
      const lease = await service.leasing!.lease(ref, leaseRequest('i'));
      const { fence } = lease;
      const before = calls;
      await service.appendEvent({ session: ref, event: createEvent({ author: 'user' }), fence, ...first });
      await service.appendEvent({ session: ref, event: createEvent({ author: 'agent' }), fence });
      await lease.release(last);
      return calls - before;
    };
    await service.createSession(ref);
    // The first turn also sends scripts that the server does not know.
    await turn({ marks }, { marks: noMarks });
    expect(await turn({}, {})).toBe(3);
    expect(await turn({ marks: { unfinished: 'i' } }, { marks: noMarks })).toBe(3);
  });
});
