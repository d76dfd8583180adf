import { createEvent, StoredSessionService, TholeError } from '@thole/core';
import type { Event, SessionService, SessionStore } from '@thole/core';
import { InMemorySessionService, InMemorySessionStore } from '@thole/mem-services';
import { leaseStoreCases, register, sessionServiceCases, sessionStoreCases } from '@thole/testing';
import { describe, expect, it } from 'vitest';

register({ describe, it }, sessionServiceCases, {
  name: 'InMemorySessionService',
  claims: ['lease', 'watch'],
  create: (runtime) => new InMemorySessionService({ runtime }),
});

register({ describe, it }, [...leaseStoreCases, ...sessionStoreCases], {
  name: 'InMemorySessionStore',
  claims: ['lease', 'watch', 'last-event'],
  create: (runtime) => new InMemorySessionStore(runtime),
});

const stores = new WeakMap<SessionService, InMemorySessionStore>();

register(
  { describe, it },
  sessionServiceCases.filter((each) => each.needs?.includes('durable')),
  {
    name: 'Two services over one InMemorySessionStore',
    claims: ['durable'],
    create(runtime) {
      const store = new InMemorySessionStore(runtime);
      const service = new StoredSessionService(store, { runtime });
      stores.set(service, store);
      return service;
    },
    reopen: (service, runtime) => new StoredSessionService(stores.get(service)!, { runtime }),
  },
);

const withActions = (actions: object): Event => ({ ...createEvent({ author: 'user' }), actions: actions as never });

describe('InMemorySessionService', () => {
  const ref = { appName: 'app', userId: 'u', sessionId: 's' };

  it('returns the same frozen events to every reader (contract 9)', async () => {
    const service = new InMemorySessionService();
    await service.createSession(ref);
    const stored = await service.appendEvent({ session: ref, event: createEvent({ author: 'user' }) });
    const [one, other] = [await service.getSession(ref), await service.getSession(ref)];
    expect([one!.events[0] === stored, other!.events[0] === stored, one!.events === other!.events]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('applies the limits of its options (contract 5)', async () => {
    const service = new InMemorySessionService({ limits: { stateValueBytes: 10, eventBytes: 1_000 } });
    await service.createSession(ref);
    await expect(service.updateState({ ...ref, stateDelta: { a: 'x'.repeat(9) } })).rejects.toMatchObject({
      code: 'VALUE_TOO_LARGE',
    });
    const content = { parts: [{ text: 'x'.repeat(1_000) }] };
    const event = createEvent({ author: 'user', content });
    await expect(service.appendEvent({ session: ref, event })).rejects.toMatchObject({ code: 'VALUE_TOO_LARGE' });
  });

  it('does not change the initial state, from which a rewind starts (contract 2)', async () => {
    const store = new InMemorySessionStore();
    const service = new StoredSessionService(store);
    await service.createSession({ ...ref, state: { a: 1, 'user:b': 2, 'app:c': 3, 'temp:d': 4, gone: null } });
    await service.updateState({ ...ref, stateDelta: { a: 2, e: 5 } });
    const stored = (await store.load(ref, {}))!;
    expect([stored.initialState, stored.state]).toEqual([{ a: 1 }, { a: 2, e: 5 }]);
  });

  it.each([
    ['createSession', 'The request'],
    ['getSession', 'The request'],
    ['deleteSession', 'The request'],
    ['updateState', 'The request'],
    ['appendEvent', 'The request'],
    ['listSessions', 'The request'],
    ['getUserState', 'The request'],
    ['deleteUserData', 'The request'],
  ] as const)(
    'throws INVALID_INPUT, not a TypeError, for %s without an argument (contract 42)',
    async (method, named) => {
      const call = (new InMemorySessionService()[method] as (p?: unknown) => Promise<unknown>)();
      await expect(call).rejects.toMatchObject({ code: 'INVALID_INPUT', message: expect.stringContaining(named) });
    },
  );

  it('throws for a config that is not an object (contract 42)', async () => {
    const service = new InMemorySessionService();
    const config = 5 as never;
    await expect(service.getSession({ ...ref, config })).rejects.toThrow('config must be an object, got a number');
  });

  const user = createEvent({ id: 'e', author: 'user' });
  const forkedFrom = { sessionId: 's', incarnation: 'i', copiedEvents: 2 };
  it.each<[string, object, string]>([
    ['events that are not a list', { events: {} }, 'events must be an array'],
    ['a partial event', { events: [{ ...user, partial: true }] }, 'events[0] must not be partial'],
    ['two events with one id', { events: [user, user] }, 'Two events have the id "e"'],
    ['more copied events than events', { events: [user], forkedFrom }, 'copiedEvents must be at most 1'],
    ['a state that is a list', { events: [], initialState: [] }, 'initialState must be an object'],
    ['an artifactDelta that is a list', { events: [withActions({ artifactDelta: [] })] }, 'artifactDelta must be an'],
  ])('rejects %s in insertSession, and creates no session', async (_, p, messagePart) => {
    const service = new InMemorySessionService();
    const inserting = service.insertSession({ ...ref, ...p } as never);
    const message = expect.stringContaining(messagePart);
    await expect(inserting).rejects.toMatchObject({ code: 'INVALID_INPUT', message });
    expect(await service.getSession(ref)).toBeUndefined();
  });

  it.each<[object | undefined, string]>([
    [undefined, 'The request must be an object with appName and kind'],
    [{ kind: 'late' }, "kind must be 'unfinished' or 'due' or 'interrupts'."],
    [{ kind: 'due', limit: 0 }, 'limit must be an integer'],
    [{ kind: 'due', before: 'now' }, 'before must be'],
    [{ kind: 'due', after: 7 }, 'after must be a string'],
  ])('rejects the request %j of listWaitingSessions', async (p, messagePart) => {
    const listing = new InMemorySessionService().listWaitingSessions((p && { appName: 'app', ...p }) as never);
    await expect(listing).rejects.toMatchObject({
      ...{ code: 'INVALID_INPUT', message: expect.stringContaining(messagePart) },
    });
  });

  it('throws STORE_OUTCOME_UNKNOWN if a new session cannot be read back, because it exists', async () => {
    const store = new InMemorySessionStore();
    const load = store.load.bind(store);
    const cause = new TholeError('STORE_UNAVAILABLE', 'The store is gone.');
    store.load = () => Promise.reject(cause);
    const service = new StoredSessionService(store);
    await expect(service.createSession(ref)).rejects.toMatchObject({ code: 'STORE_OUTCOME_UNKNOWN', cause });
    store.load = load;
    expect((await service.getSession(ref))?.id).toBe('s');
  });

  it('shares nothing with another instance (contract 42)', async () => {
    await new InMemorySessionService().createSession({ ...ref, state: { 'app:a': 1 } });
    expect(await new InMemorySessionService().getSession(ref)).toBeUndefined();
  });

  it('throws STORE_VERSION for a record of an unknown version', async () => {
    const store = new InMemorySessionStore();
    const service = new StoredSessionService({
      ...wrap(store),
      load: async (key, window) => ({ ...(await store.load(key, window))!, v: 2 as never }),
    });
    await expect(service.createSession(ref)).rejects.toMatchObject({ code: 'STORE_VERSION' });
  });

  it('throws STORE_OUTCOME_UNKNOWN after an abort, and then finds the event by its id (contract 7)', async () => {
    const store = new InMemorySessionStore();
    const controller = new AbortController();
    const service = new StoredSessionService({
      ...wrap(store),
      append: async (...p) => {
        const appended = await store.append(...p);
        controller.abort('enough');
        await Promise.resolve();
        return appended;
      },
    });
    await service.createSession(ref);
    const event = createEvent({ author: 'user' });
    const appending = service.appendEvent({ session: ref, event, signal: controller.signal });
    await expect(appending).rejects.toMatchObject({ code: 'STORE_OUTCOME_UNKNOWN', cause: 'enough', retryable: true });
    expect((await service.appendEvent({ session: ref, event })).seq).toBe(1);
    expect((await service.getSession(ref))!.lastSeq).toBe(1);
  });
});

function wrap(store: InMemorySessionStore): SessionStore {
  return {
    specVersion: 1,
    abilities: store.abilities,
    insert: (session) => store.insert(session),
    load: (key, window) => store.load(key, window),
    list: (query) => store.list(query),
    remove: (key, p) => store.remove(key, p),
    append: (key, event, delta, options) => store.append(key, event, delta, options),
    readState: (scope) => store.readState(scope),
    removeUser: (user) => store.removeUser(user),
  };
}
