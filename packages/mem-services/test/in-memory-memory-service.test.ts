import { createEvent, textOf } from '@thole/core';
import type { MemoryScope, NewMemory, StoredMemory } from '@thole/core';
import { memoryAbilities, memoryServiceCases, register } from '@thole/testing';
import { StoredMemoryService } from '@thole/recall';
import { InMemoryMemoryService, InMemoryMemoryStore, InMemorySessionService } from '@thole/mem-services';
import { describe, expect, it } from 'vitest';

register({ describe, it }, memoryServiceCases, {
  name: 'InMemoryMemoryService',
  claims: [...memoryAbilities, 'words'],
  create: (runtime) => new InMemoryMemoryService({ runtime }),
});

describe('StoredMemoryService.addSessionToMemory', () => {
  const ref = { appName: 'hotel', userId: 'alice', sessionId: 's1' };
  const messageOf = (invocationId: string, text: string) =>
    createEvent({ invocationId, author: 'user', content: { role: 'user', parts: [{ text }] } });
  const textsIn = async (memory: StoredMemoryService): Promise<string[]> =>
    (await memory.listMemories(ref)).memories.map(({ content }) => textOf(content));

  it('skips rewound events', async () => {
    const sessions = new InMemorySessionService();
    const session = await sessions.createSession(ref);
    for (const event of [messageOf('i1', 'tea'), messageOf('i2', 'milk')])
      await sessions.appendEvent({ session, event });
    const actions = { rewindBeforeInvocationId: 'i2' };
    await sessions.appendEvent({ session, event: createEvent({ invocationId: 'i3', author: 'user', actions }) });
    await sessions.appendEvent({ session, event: messageOf('i4', 'honey') });
    const memory = new StoredMemoryService(new InMemoryMemoryStore());
    await memory.addSessionToMemory((await sessions.getSession(ref))!);
    expect(await textsIn(memory)).toEqual(['tea', 'honey']);
  });

  it('skips events that were copied from another session', async () => {
    const sessions = new InMemorySessionService();
    const forkedFrom = { sessionId: 's0', incarnation: 'first', copiedEvents: 2 };
    const events = [messageOf('i1', 'tea'), messageOf('i2', 'milk')];
    const session = await sessions.insertSession({ ...ref, initialState: {}, events, forkedFrom });
    await sessions.appendEvent({ session, event: messageOf('i3', 'honey') });
    const memory = new StoredMemoryService(new InMemoryMemoryStore());
    await memory.addSessionToMemory((await sessions.getSession(ref))!);
    expect(await textsIn(memory)).toEqual(['honey']);
  });
});

describe('StoredMemoryService.addMemory', () => {
  const user = { appName: 'hotel', userId: 'alice' };
  const note = (text: string): NewMemory => ({ id: 'n', kind: 'note', content: { parts: [{ text }] } });

  it('keeps the order of concurrent addMemory and updateMemory calls for one entry', async () => {
    const memory = new InMemoryMemoryService();
    await memory.addMemory({ ...user, memories: [note('old')] });
    const update = (topics: string[]): Promise<unknown> =>
      memory.updateMemory({ ...user, id: 'n', change: { topics } });
    await Promise.all([update(['first']), memory.addMemory({ ...user, memories: [note('new')] }), update(['last'])]);
    const stored = await memory.getMemory({ ...user, id: 'n' });
    expect([textOf(stored!.content), stored!.topics]).toEqual(['new', ['last']]);
  });
});

describe('StoredMemoryService with an invalid request', () => {
  const user = { appName: 'hotel', userId: 'alice' };
  const methods = [
    ...(['searchMemory', 'addMemory', 'getMemory', 'findSameMemories', 'updateMemory', 'listMemories'] as const),
    ...(['deleteMemory', 'deleteSessionMemory', 'deleteUserMemory', 'pruneMemories'] as const),
    ...(['addSessionToMemory', 'addEventsToMemory'] as const),
  ];

  it.each(methods)('rejects %s without an object with INVALID_INPUT (contract 42)', async (name) => {
    const memory = new InMemoryMemoryService();
    for (const request of [undefined, null, 'alice', 7] as never[])
      await expect((async () => memory[name](request))()).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('rejects a keepEvidence that is not a boolean with INVALID_INPUT, and deletes nothing', async () => {
    const memory = new InMemoryMemoryService();
    const { id } = (await memory.addMemory({ ...user, memory: 'tea' }))[0]!;
    const call = memory.deleteMemory({ ...user, ids: [id], keepEvidence: 'no' as never });
    await expect(call).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect((await memory.listMemories(user)).memories).toHaveLength(1);
  });
});

describe('StoredMemoryService over a store that fails during a deletion', () => {
  const user = { appName: 'hotel', userId: 'alice' };
  const fact = (id: string, evidence: string[]): NewMemory => ({ ...entry(id), kind: 'fact', evidence });
  const entry = (id: string): NewMemory => ({ id, kind: 'turn', content: { parts: [{ text: id }] }, sessionId: 's1' });
  const all = [
    entry('t1'),
    entry('t2'),
    fact('a', ['t1']),
    fact('b', ['t1']),
    fact('c', ['b']),
    fact('d', ['c', 't2']),
  ];

  for (const [name, forget, left] of [
    [
      'a fact',
      (memory: StoredMemoryService) => memory.deleteMemory({ ...user, ids: ['a'] }),
      [
        ['t2', undefined],
        ['d', ['t2']],
      ],
    ],
    ['a session', (memory: StoredMemoryService) => memory.deleteSessionMemory({ ...user, sessionId: 's1' }), []],
  ] as const) {
    it(`deletes ${name} completely when the call is repeated, after any failure (contract 31)`, async () => {
      for (let failAt = 1; ; failAt++) {
        let calls = 0;
        const store = new InMemoryMemoryStore();
        const failing = new Proxy(store, {
          get(target, method: keyof InMemoryMemoryStore) {
            const member: unknown = target[method];
            if (typeof member !== 'function') return member;
            return async (...args: unknown[]): Promise<unknown> => {
              if (++calls === failAt) throw new Error('The store is down.');
              return Reflect.apply(member, target, args);
            };
          },
        });
        const memory = new StoredMemoryService(store);
        await memory.addMemory({ ...user, memories: all });
        const failed = await forget(new StoredMemoryService(failing)).then(
          () => false,
          () => true,
        );
        if (failed) await forget(memory);
        const { memories } = await memory.listMemories(user);
        expect(
          memories.map(({ id, evidence }) => [id, evidence]),
          `after a failure at call ${failAt}`,
        ).toEqual(left);
        if (!failed) break;
      }
    });
  }
});

describe('StoredMemoryService over a store that returns entries in any order', () => {
  const user = { appName: 'hotel', userId: 'alice' };
  const texts = ['a boat', 'a boat and a rope', 'a boat, a rope and a sail'];
  const memories = texts.map((text, i): NewMemory => ({ id: `m${i}`, kind: 'fact', content: { parts: [{ text }] } }));
  const found = async (answer: (all: StoredMemory[]) => StoredMemory[]): Promise<string[]> => {
    class Answering extends InMemoryMemoryStore {
      override async get(scope: MemoryScope, ids: readonly string[]): Promise<StoredMemory[]> {
        return answer(await super.get(scope, ids));
      }
    }
    const service = new StoredMemoryService(new Answering());
    await service.addMemory({ ...user, memories });
    const { memories: best } = await service.searchMemory({ ...user, query: 'boat rope sail' });
    return best.map(({ id }) => id);
  };

  it('returns results by score', async () => {
    expect(await found((all) => all)).toEqual(['m2', 'm0', 'm1']);
    expect(await found((all) => all.toReversed())).toEqual(['m2', 'm0', 'm1']);
  });

  it('leaves out only entries that were deleted after the index was read', async () => {
    const without = (gone: string): Promise<string[]> => found((all) => all.filter(({ entry }) => entry.id !== gone));
    expect(await without('m2')).toEqual(['m0', 'm1']);
    expect(await without('m0')).toEqual(['m2', 'm1']);
    expect(await without('m1')).toEqual(['m2', 'm0']);
  });
});

describe(`InMemoryMemoryService with match 'substring'`, () => {
  it('finds entries that contain the complete query, ignoring case, newest first', async () => {
    const memory = new InMemoryMemoryService({ match: 'substring' });
    const texts = ['A Pizza oven', 'two pizzas', 'pizza  oven', 'an oven for pizza'];
    const memories = texts.map((text, i) => ({ kind: 'note' as const, content: { parts: [{ text }] }, timestamp: i }));
    const user = { appName: 'hotel', userId: 'alice' };
    await memory.addMemory({ ...user, memories });
    const found = async (query: string, limit?: number): Promise<unknown[]> =>
      (await memory.searchMemory({ ...user, query, limit })).memories.map((one) => [
        one.content.parts![0]!.text,
        one.score,
      ]);
    expect(await found('PIZZA OVEN')).toEqual([['A Pizza oven', 1]]);
    expect(await found('pizza', 2)).toEqual([
      ['an oven for pizza', 1],
      ['pizza  oven', 1],
    ]);
    expect(await found('pizza?')).toEqual([]);
    expect(await found('izz')).toHaveLength(4);
  });

  it('throws for an unknown match', () => {
    expect(() => new InMemoryMemoryService({ match: 'vibes' as never })).toThrow(
      `match must be 'words' or 'substring'`,
    );
  });
});
