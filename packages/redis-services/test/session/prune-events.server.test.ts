import { createEvent } from '@thole/core';
import type { Event, StateMap } from '@thole/core';
import { applyDelta } from '@thole/core/kit';
import { RedisSessionService, RedisSessionStore } from '@thole/redis-services';
import type { TextCodec } from '@thole/redis-services';
import type { Redis } from 'ioredis';
import { afterAll, expect, it } from 'vitest';
import { describeWith } from '../../../../test/servers/index.ts';
import { ref } from '../support/outcomes.ts';
import { clientTo } from '../support/redis-clients.ts';

const codec: TextCodec = {
  encode: (text) => Buffer.from(text).reverse(),
  decode: (stored) =>
    Buffer.from(stored as Uint8Array)
      .reverse()
      .toString(),
};

describeWith('redis', 'pruneEvents in Redis', (url) => {
  const client = clientTo(url);
  let count = 0;
  afterAll(() => client.quit());
  const options = (): { keyPrefix: string; timeoutMs: number } => ({
    keyPrefix: `prune/${process.pid}/${count++}/`,
    timeoutMs: 60_000,
  });
  const stateEvent = (id: string, stateDelta: StateMap, more: Partial<Event> = {}): Event =>
    createEvent({ id, author: 'agent', invocationId: id, actions: { stateDelta }, ...more });

  it('keeps the invocation of an open call and all events after it (contract 14)', async () => {
    const service = new RedisSessionService(client, options());
    await service.createSession(ref);
    const call = { functionCall: { id: 'c', name: 'book', args: {} } };
    const answer = { functionResponse: { id: 'c', name: 'book', response: { ok: true } } };
    const append = (event: Event, openInterrupts: number): Promise<Event> =>
      service.appendEvent({ session: ref, event, marks: { openInterrupts } });
    await append(createEvent({ id: 'e1', invocationId: 'i1', author: 'user' }), 0);
    await append(createEvent({ id: 'e2', invocationId: 'i2', author: 'user' }), 0);
    const parts = { content: { role: 'model' as const, parts: [call] }, longRunningToolIds: ['c'] };
    await append(createEvent({ id: 'e3', invocationId: 'i2', author: 'agent', ...parts }), 1);
    await append(createEvent({ id: 'e4', invocationId: 'i3', author: 'user' }), 1);
    const ids = async (): Promise<string[]> => (await service.getSession(ref))!.events.map(({ id }) => id);
    expect([await service.pruneEvents({ ...ref, keepLast: 0 }), await ids()]).toEqual([1, ['e2', 'e3', 'e4']]);
    const content = { role: 'user' as const, parts: [answer] };
    await append(createEvent({ id: 'e5', invocationId: 'i2', author: 'user', content }), 0);
    expect([await service.pruneEvents({ ...ref, keepLast: 1 }), await ids()]).toEqual([3, ['e5']]);
  });

  it('keeps the seq of the remaining events when the session is copied to another store (contract 8)', async () => {
    const [source, target] = [options(), options()];
    const service = new RedisSessionService(client, source);
    await service.createSession(ref);
    for (let n = 1; n <= 5; n++) await service.appendEvent({ session: ref, event: stateEvent(`e${n}`, { n }) });
    await service.pruneEvents({ ...ref, keepLast: 2 });
    const stored = (await new RedisSessionStore(client, source).load(ref, {}))!;
    await new RedisSessionStore(client, target).insert(stored);
    const copy = new RedisSessionService(client, target);
    expect(await copy.getSession(ref)).toEqual(await service.getSession(ref));
    expect((await copy.appendEvent({ session: ref, event: stateEvent('e5', {}) })).seq).toBe(5);
    expect((await copy.appendEvent({ session: ref, event: stateEvent('e6', {}) })).seq).toBe(6);
    expect(await copy.pruneEvents({ ...ref, keepLast: 1 })).toBe(2);
    expect((await copy.getSession({ ...ref, afterSeq: 4 }))!.events.map(({ seq }) => seq)).toEqual([6]);
  });

  for (const change of ['prune and append', 'delete and create'] as const) {
    it(`does not mix with a read that is in progress: ${change} (contracts 6, 27)`, async () => {
      const other = options();
      const service = new RedisSessionService(client, other);
      const reader = clientTo(url);
      const append = (id: string): Promise<unknown> => service.appendEvent({ session: ref, event: stateEvent(id, {}) });
      let changes = 0;
      sendPipelinesSlowly(reader, async (command) => {
        if (command !== 'lrange' || changes++ > 0) return;
        if (change === 'prune and append') await service.pruneEvents({ ...ref, keepLast: 1 });
        else await service.deleteSession(ref).then(() => service.createSession({ ...ref, state: { second: 1 } }));
        for (const id of ['e4', 'e5']) await append(id);
      });
      await service.createSession({ ...ref, state: { first: 1 } });
      for (const id of ['e1', 'e2', 'e3']) await append(id);
      const { events, state } = (await new RedisSessionService(reader, other).getSession(ref))!;
      const expected = change === 'prune and append' ? ['e3 3', 'e4 4', 'e5 5'] : ['e4 1', 'e5 2'];
      expect(events.map(({ id, seq }) => `${id} ${seq}`)).toEqual(expected);
      expect(Object.keys(state)).toEqual([change === 'prune and append' ? 'first' : 'second']);
      expect(changes).toBe(1);
      await reader.quit();
    });
  }

  it('leaves out events that are added during a read (contract 6)', async () => {
    const other = options();
    const service = new RedisSessionService(client, other);
    const reader = clientTo(url);
    sendPipelinesSlowly(reader, async (command) => {
      if (command === 'lrange') await service.appendEvent({ session: ref, event: stateEvent('e2', { x: 2 }) });
    });
    await service.createSession(ref);
    await service.appendEvent({ session: ref, event: stateEvent('e1', { x: 1 }) });
    const { events, state } = (await new RedisSessionService(reader, other).getSession(ref))!;
    expect([events.map(({ id }) => id), state['x']]).toEqual([['e1'], 1]);
    await reader.quit();
  });

  for (const [variant, more] of [
    ['without a codec', {}],
    ['with a codec', { codec }],
  ] as const) {
    it(`adds the changes of deleted events to the initial state, ${variant} (contract 27)`, async () => {
      const store = new RedisSessionStore(client, { ...options(), ...more });
      const key = ref;
      const state = { kept: 1, removed: 1, 'changed ü': 1 };
      const empty = { appState: {}, userState: {}, appVersion: 0, userVersion: 0, marks: idle };
      const times = { createTime: 1, lastUpdateTime: 1 };
      await store.insert({
        key,
        incarnation: 'x',
        initialState: state,
        state,
        ...empty,
        ...times,
        events: [],
        lastSeq: 0,
        v: 1,
      });
      const append = (id: string, session: StateMap): Promise<unknown> =>
        store.append(key, stateEvent(id, { ...session, 'user:x': 1, 'temp:y': 1 }), { session, user: { x: 1 } });
      await append('e1', { 'changed ü': 2, removed: null });
      await append('e2', { 'changed ü': 3 });
      const initialState = async (): Promise<unknown> => (await store.load(key, {}))!.initialState;
      expect([await store.pruneEvents({ ...key, keepLast: 2 }), await initialState()]).toEqual([0, state]);
      expect(await store.pruneEvents({ ...key, keepLast: 1 })).toBe(1);
      expect(await initialState()).toEqual({ kept: 1, 'changed ü': 2 });
      expect(await store.pruneEvents({ ...key, keepLast: 0 })).toBe(1);
      expect(await initialState()).toEqual({ kept: 1, 'changed ü': 3 });
    });
  }

  it('keeps initial state, events and state consistent while events are appended (contracts 6, 27)', async () => {
    const service = new RedisSessionService(client, options());
    const store = new RedisSessionStore(client, { keyPrefix: `prune/${process.pid}/${count - 1}/` });
    await service.createSession(ref);
    const append = (n: number): Promise<unknown> =>
      service.appendEvent({ session: ref, event: stateEvent(`e${n}`, { [`k${n % 7}`]: n }) });
    await Promise.all(Array.from({ length: 2_300 }, (_, n) => append(n)));
    let isAppending = true;
    const appending = (async () => {
      for (let n = 2_300; n < 2_400; n++) await append(n);
      isAppending = false;
    })();
    let deleted = 0;
    while (isAppending) {
      const prunings = [1, 2].map(() => service.pruneEvents({ ...ref, keepLast: 20 }));
      for (const each of await Promise.all(prunings)) deleted += each;
      const { initialState, events, state, lastSeq } = (await store.load(ref, {}))!;
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => lastSeq - events.length + 1 + i));
      const computed = { ...initialState };
      for (const event of events) applyDelta(computed, event.actions.stateDelta);
      expect(computed).toEqual(state);
    }
    await appending;
    deleted += await service.pruneEvents({ ...ref, keepLast: 20 });
    expect(deleted).toBe(2_380);
  });

  it('prunes all of 1,002 sessions while some of them get events or are deleted', async () => {
    const { appName, userId } = ref;
    const sessions = Array.from({ length: 1_002 }, (_, i) => ({ appName, userId, sessionId: `s${1_000 + i}` }));
    let isPruning = false;
    // Reading the first event appends events to other sessions. They move to the end of the ordered list.
    const decode = async (stored: string | Uint8Array): Promise<string> => {
      if (isPruning) {
        isPruning = false;
        await service.deleteSession(sessions[30]!);
        const changed = sessions.slice(1, 20);
        await Promise.all(changed.map((session) => service.appendEvent({ session, event: stateEvent('new', {}) })));
      }
      return codec.decode(stored);
    };
    const service = new RedisSessionService(client, { ...options(), codec: { encode: codec.encode, decode } });
    for (const [i, each] of sessions.entries()) {
      const events = [stateEvent('old', {}, { timestamp: i + 1 })];
      await service.insertSession({ ...each, events });
    }
    isPruning = true;
    await service.pruneEvents({ appName, olderThan: 10_000 });
    expect(isPruning).toBe(false);
    const read = await Promise.all(sessions.map((each) => service.getSession(each)));
    expect(read.filter((each) => each?.events.some(({ id }) => id === 'old'))).toEqual([]);
  });

  it('deletes a rewind together with the 1,200 events that it removes (contract 27)', async () => {
    const service = new RedisSessionService(client, options());
    await service.createSession(ref);
    const rewound = Array.from({ length: 1_200 }, (_, n) => stateEvent(`e${n}`, {}, { invocationId: 'i1' }));
    const actions = { rewindBeforeInvocationId: 'i1' };
    const marker = createEvent({ id: 'marker', author: 'user', invocationId: 'r', actions });
    const last = stateEvent('last', {}, { invocationId: 'i2' });
    for (const event of [...rewound, marker, last]) await service.appendEvent({ session: ref, event });
    expect(await service.pruneEvents({ ...ref, keepLast: 2 })).toBe(0);
    expect(await service.pruneEvents({ ...ref, keepLast: 1 })).toBe(1_201);
    expect((await service.getSession(ref))!.events.map(({ id }) => id)).toEqual(['last']);
  });
});

const idle = { unfinished: null, wakeAt: null, openInterrupts: 0 };

/** Makes a client send the commands of its pipelines one after another. Calls `before` before each. */
function sendPipelinesSlowly(client: Redis, before: (command: string) => Promise<void>): void {
  const send = client as unknown as { [command: string]: (...args: unknown[]) => Promise<unknown> };
  const pipeline = (): object => {
    const commands: [string, unknown[]][] = [];
    const exec = async (): Promise<[unknown, unknown][]> => {
      const results: [unknown, unknown][] = [];
      for (const [name, args] of commands) {
        await before(name);
        results.push(
          await send[name]!(...args).then(
            (reply): [unknown, unknown] => [null, reply],
            (error: unknown): [unknown, unknown] => [error, undefined],
          ),
        );
      }
      return results;
    };
    return new Proxy(
      {},
      {
        get: (_, name, all) =>
          name === 'exec' ? exec : (...args: unknown[]) => (commands.push([String(name), args]), all),
      },
    );
  };
  Object.assign(client, { pipeline });
}
