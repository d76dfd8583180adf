import type { MemoryService } from '@thole/core';
import { turnId } from '@thole/core/kit';
import { InMemoryMemoryService } from '@thole/mem-services';
import { describe, expect, it } from 'vitest';
import { ask } from '../ask.ts';
import { demo } from '../demo.ts';

const ALL = '/apps/demo/users/ann/memory';
const said = (id: string, text: string): object => ({
  id,
  author: 'user',
  content: { role: 'user', parts: [{ text }] },
});

describe('PATCH /apps/{app}/users/{user}/memory', () => {
  it('adds the turns of a session to memory, each once (contract 31)', async () => {
    const { handler } = await demo({ memoryService: new InMemoryMemoryService() });
    await ask(handler, 'POST', '/apps/demo/users/ann/sessions', { sessionId: 't', events: [said('e', 'I like figs')] });
    expect((await ask(handler, 'PATCH', ALL, { session_id: 't' })).status).toBe(200);
    const { status, body } = await ask(handler, 'PATCH', ALL, { sessionId: 't' });
    expect([status, body]).toEqual([200, null]);
    const { memories } = (await ask(handler, 'GET', ALL)).body;
    expect(memories).toMatchObject([
      { id: turnId('t', 'e'), kind: 'turn', sessionId: 't', content: { parts: [{ text: 'I like figs' }] } },
    ]);
  });

  it('answers 400 without a memory service, and 404 for an unknown session', async () => {
    const without = await ask((await demo()).handler, 'PATCH', ALL, { sessionId: 's' });
    expect([without.status, without.body.code]).toEqual([400, 'MEMORY_NOT_CONFIGURED']);
    const { handler } = await demo({ memoryService: new InMemoryMemoryService() });
    expect((await ask(handler, 'PATCH', ALL, { sessionId: 'x' })).status).toBe(404);
    expect((await ask(handler, 'PATCH', '/apps/demo/users/bob/memory', { sessionId: 's' })).status).toBe(404);
    for (const body of [undefined, 'null', {}, { sessionId: null }, { sessionId: '' }, { sessionId: 7 }])
      expect((await ask(handler, 'PATCH', ALL, body)).status).toBe(400);
  });
});

describe('GET /apps/{app}/users/{user}/memory', () => {
  it('searches the memory of one user, best first, with scores', async () => {
    const { handler } = await demo({ memoryService: new InMemoryMemoryService() });
    const memories = ['I like figs', 'Figs and figs and figs', 'Trains to Rome'].map((text) => ({ text }));
    await ask(handler, 'POST', ALL, { memories });
    const found = (await ask(handler, 'GET', `${ALL}?query=figs`)).body.memories;
    expect(found).toHaveLength(2);
    expect(found[0].score).toBeGreaterThanOrEqual(found[1].score);
    expect((await ask(handler, 'GET', `${ALL}?query=figs&limit=1`)).body.memories).toHaveLength(1);
    expect((await ask(handler, 'GET', `${ALL}?query=figs&minScore=1`)).body.memories).toHaveLength(1);
    expect((await ask(handler, 'GET', `${ALL}?query=`)).body).toEqual({ memories: [] });
    expect((await ask(handler, 'GET', '/apps/demo/users/bob/memory?query=figs')).body).toEqual({ memories: [] });
  });

  it('lists memory in pages, newest last', async () => {
    const { handler } = await demo({ memoryService: new InMemoryMemoryService(), limits: { listItems: 2 } });
    await ask(handler, 'POST', ALL, { memories: ['a', 'b', 'c'].map((id) => ({ id, text: id })) });
    const first = (await ask(handler, 'GET', `${ALL}?limit=900`)).body;
    expect(first.memories.map((each: { id: string }) => each.id)).toEqual(['a', 'b']);
    const second = (await ask(handler, 'GET', `${ALL}?limit=2&cursor=${encodeURIComponent(first.next)}`)).body;
    expect(second.memories.map((each: { id: string }) => each.id)).toEqual(['c']);
    expect(second).not.toHaveProperty('next');
  });

  it('lists and finds entries that match all conditions', async () => {
    const { handler } = await demo({ memoryService: new InMemoryMemoryService() });
    const memories = [
      { id: 'turn', kind: 'turn', text: 'I like figs', author: 'user', sessionId: 's', timestamp: 10 },
      { id: 'past', kind: 'fact', text: 'Likes figs', evidence: ['turn'], validFrom: 10, validTo: 20, timestamp: 10 },
      { id: 'now', kind: 'fact', text: 'Hates figs', validFrom: 20, timestamp: 20 },
      { id: 'note', text: 'Buy figs', timestamp: 30 },
    ];
    await ask(handler, 'POST', ALL, { memories });
    const ids = async (query: string): Promise<string[]> =>
      (await ask(handler, 'GET', `${ALL}?${query}`)).body.memories.map((each: { id: string }) => each.id).sort();
    for (const [conditions, expected] of [
      ['kinds=fact', ['now', 'past']],
      ['kinds=fact,note', ['note', 'now', 'past']],
      ['validAt=15', ['past']],
      ['valid_at=20', ['now']],
      ['from=20&to=30', ['now']],
      ['author=user', ['turn']],
      ['sessionId=s&kinds=turn', ['turn']],
      ['sessionId=other', []],
    ] as const) {
      expect(await ids(conditions), conditions).toEqual(expected);
      expect(await ids(`query=figs&${conditions}`), conditions).toEqual(expected);
    }
  });

  it('returns the parts of a score with explain=true', async () => {
    const { handler } = await demo({ memoryService: new InMemoryMemoryService() });
    await ask(handler, 'POST', ALL, { memories: [{ text: 'I like figs' }] });
    const [plain] = (await ask(handler, 'GET', `${ALL}?query=figs`)).body.memories;
    expect(plain).not.toHaveProperty('explanation');
    const [explained] = (await ask(handler, 'GET', `${ALL}?query=figs&explain=true`)).body.memories;
    expect(Object.values(explained.explanation as { [signal: string]: number })).toContainEqual(expect.any(Number));
  });
});

describe('POST /apps/{app}/users/{user}/memory', () => {
  it('adds entries unchanged, as notes by default, and replaces entries with the same id', async () => {
    const { handler } = await demo({ memoryService: new InMemoryMemoryService() });
    const fact = {
      id: 'f',
      kind: 'fact',
      content: { parts: [{ text: 'Likes figs' }] },
      validFrom: 5,
      custom_metadata: { a_b: null },
    };
    const { body } = await ask(handler, 'POST', ALL, { memories: [fact, { text: 'Call back', author: null }] });
    expect(body.memories[0]).toMatchObject({ id: 'f', kind: 'fact', validFrom: 5, customMetadata: { a_b: null } });
    expect(body.memories[1]).toMatchObject({
      id: expect.any(String),
      kind: 'note',
      content: { parts: [{ text: 'Call back' }] },
    });
    await ask(handler, 'POST', ALL, { memories: [{ ...fact, content: { parts: [{ text: 'Hates figs' }] } }] });
    expect((await ask(handler, 'GET', ALL)).body.memories).toHaveLength(2);
  });

  it('rejects more than 20,000 entries, which would take gigabytes from a small body', async () => {
    const { handler } = await demo({ memoryService: new InMemoryMemoryService() });
    const { status, body } = await ask(handler, 'POST', ALL, { memories: Array.from({ length: 20_001 }, () => 'a') });
    expect([status, body.detail]).toEqual([400, 'body.memories must have at most 20000 items.']);
    expect((await ask(handler, 'GET', ALL)).body.memories).toEqual([]);
  });
});

describe('PATCH /apps/{app}/users/{user}/memory/{id}', () => {
  it('changes an entry, also if its id has slashes, and answers 404 for an unknown one', async () => {
    const { handler } = await demo({ memoryService: new InMemoryMemoryService() });
    const id = turnId('a/b', 'e');
    await ask(handler, 'POST', ALL, { memories: [{ id, kind: 'turn', text: 'old', author: 'user' }] });
    const { status, body } = await ask(handler, 'PATCH', `${ALL}/${encodeURIComponent(id)}`, {
      text: 'new',
      valid_to: 9,
    });
    expect([status, body.id, body.content, body.author, body.validTo]).toEqual([
      200,
      id,
      { parts: [{ text: 'new' }] },
      'user',
      9,
    ]);
    expect((await ask(handler, 'PATCH', `${ALL}/x`, { text: 'new' })).status).toBe(404);
  });
});

describe('DELETE /apps/{app}/users/{user}/memory/{id}', () => {
  it('deletes one entry with its evidence, unless keepEvidence is set, or all entries', async () => {
    const { handler } = await demo({ memoryService: new InMemoryMemoryService() });
    const idsLeft = async (): Promise<string[]> =>
      (await ask(handler, 'GET', ALL)).body.memories.map((each: { id: string }) => each.id);
    const fact = { kind: 'fact', text: 'Likes figs' };
    const memories = [
      { id: 'a', text: 'a' },
      { id: 'b', text: 'b' },
      { ...fact, id: 'f', evidence: ['a'] },
      { ...fact, id: 'g', evidence: ['b'] },
    ];
    await ask(handler, 'POST', ALL, { memories });
    expect((await ask(handler, 'DELETE', `${ALL}/f?keepEvidence=true`)).status).toBe(204);
    expect(await idsLeft()).toEqual(['a', 'b', 'g']);
    expect((await ask(handler, 'DELETE', `${ALL}/g`)).status).toBe(204);
    expect(await idsLeft()).toEqual(['a']);
    expect((await ask(handler, 'DELETE', `${ALL}/unknown`)).status).toBe(204);
    expect((await ask(handler, 'DELETE', ALL)).status).toBe(204);
    expect(await idsLeft()).toEqual([]);
  });
});

describe('/apps/{app}/users/{user}/memory', () => {
  it('adds the text of a note as a string', async () => {
    const { handler } = await demo({ memoryService: new InMemoryMemoryService() });
    const { body } = await ask(handler, 'POST', ALL, { memories: ['Call back', { text: 'Buy figs' }] });
    expect(body.memories).toMatchObject([
      { kind: 'note', content: { parts: [{ text: 'Call back' }] } },
      { kind: 'note', content: { parts: [{ text: 'Buy figs' }] } },
    ]);
  });

  it('returns one entry, and answers 404 for an unknown id and for another user', async () => {
    const { handler } = await demo({ memoryService: new InMemoryMemoryService() });
    const id = turnId('a/b', 'e');
    await ask(handler, 'POST', ALL, { memories: [{ id, kind: 'turn', text: 'I like figs', author: 'user' }] });
    const path = encodeURIComponent(id);
    const { status, body } = await ask(handler, 'GET', `${ALL}/${path}`);
    expect([status, body.id, body.kind, body.author]).toEqual([200, id, 'turn', 'user']);
    expect((await ask(handler, 'GET', `${ALL}/unknown`)).status).toBe(404);
    expect((await ask(handler, 'GET', `/apps/demo/users/bob/memory/${path}`)).status).toBe(404);
  });

  it('filters by topics that contain commas, with one parameter per topic', async () => {
    const { handler } = await demo({ memoryService: new InMemoryMemoryService() });
    const memories = [
      { id: 'a', text: 'a', topics: ['food, drinks'] },
      { id: 'b', text: 'b', topics: ['food'] },
      { id: 'c', text: 'c', topics: ['travel'] },
    ];
    await ask(handler, 'POST', ALL, { memories });
    const ids = async (query: string): Promise<string[]> =>
      (await ask(handler, 'GET', `${ALL}?${query}`)).body.memories.map((each: { id: string }) => each.id).sort();
    expect(await ids(`topic=${encodeURIComponent('food, drinks')}`)).toEqual(['a']);
    expect(await ids('topic=food&topic=travel')).toEqual(['b', 'c']);
    expect(await ids('topic=other')).toEqual([]);
  });

  it('returns other entries with the same content, and deletes several entries', async () => {
    const { handler } = await demo({ memoryService: new InMemoryMemoryService() });
    const memories = [
      { id: 'turn', kind: 'turn', text: 'My dog is called Rex.', author: 'user' },
      { id: 'fact', kind: 'fact', text: 'The dog of Ann is called Rex.', evidence: ['turn'] },
      { id: 'note', text: 'Rex is the dog of Ann.' },
      { id: 'other', text: 'The cat sleeps all day.' },
    ];
    await ask(handler, 'POST', ALL, { memories });
    const same = await ask(handler, 'GET', `${ALL}/fact/same`);
    expect(same.body.memories.map(({ id }: { id: string }) => id)).toEqual(['note']);
    expect((await ask(handler, 'GET', `${ALL}/unknown/same`)).status).toBe(404);
    expect((await ask(handler, 'POST', `${ALL}/forget`, { ids: ['fact', 'note', 'unknown'] })).body).toEqual({
      count: 3,
    });
    const left = (await ask(handler, 'GET', ALL)).body.memories;
    expect(left.map(({ id }: { id: string }) => id)).toEqual(['other']);
  });

  it('keeps evidence of several deleted facts with keepEvidence', async () => {
    const { handler } = await demo({ memoryService: new InMemoryMemoryService() });
    const fact = { kind: 'fact', text: 'Likes figs', evidence: ['a'] };
    await ask(handler, 'POST', ALL, {
      memories: [
        { id: 'a', text: 'a' },
        { ...fact, id: 'f' },
      ],
    });
    const { body } = await ask(handler, 'POST', `${ALL}/forget`, { ids: ['f'], keep_evidence: true });
    expect(body).toEqual({ count: 1 });
    expect((await ask(handler, 'GET', `${ALL}/a`)).status).toBe(200);
  });

  it('uses the memory of a team or an agent on every route', async () => {
    const { handler } = await demo({ memoryService: new InMemoryMemoryService() });
    const bobsMemory = '/apps/demo/users/bob/memory';
    const scope = 'team=front+desk&agent=porter';
    await ask(handler, 'POST', `${ALL}?${scope}`, {
      memories: [
        { id: 'a', text: 'Figs are out' },
        { id: 'b', text: 'b' },
      ],
    });
    const ids = async (path: string): Promise<string[]> =>
      (await ask(handler, 'GET', path)).body.memories.map((each: { id: string }) => each.id);
    expect(await ids(ALL)).toEqual([]);
    expect(await ids(`${bobsMemory}?team=front+desk`)).toEqual([]);
    expect(await ids(`${bobsMemory}?${scope}`)).toEqual(['a', 'b']);
    expect(await ids(`${bobsMemory}?${scope}&query=figs`)).toEqual(['a']);
    expect((await ask(handler, 'GET', `${bobsMemory}/a?${scope}`)).body.scope).toEqual({
      team: 'front desk',
      agent: 'porter',
    });
    expect((await ask(handler, 'GET', `${bobsMemory}/a`)).status).toBe(404);
    expect((await ask(handler, 'PATCH', `${bobsMemory}/a?${scope}`, { text: 'Figs are back' })).status).toBe(200);
    expect((await ask(handler, 'GET', `${bobsMemory}/a/same?${scope}`)).body).toEqual({ memories: [] });
    expect((await ask(handler, 'POST', `${bobsMemory}/forget?${scope}`, { ids: ['b'] })).body).toEqual({ count: 1 });
    await ask(handler, 'DELETE', `${bobsMemory}/unknown?${scope}`);
    expect(await ids(`${ALL}?${scope}`)).toEqual(['a']);
    await ask(handler, 'DELETE', ALL);
    expect(await ids(`${ALL}?${scope}`)).toEqual(['a']);
    await ask(handler, 'DELETE', `${ALL}?${scope}`);
    expect(await ids(`${ALL}?${scope}`)).toEqual([]);
  });

  it('ignores a scope in a body, so that authorizeScope cannot be bypassed', async () => {
    const memoryService = new InMemoryMemoryService();
    const { handler } = await demo({ memoryService, authorize: () => true });
    const scope = { team: 'front desk' };
    await ask(handler, 'POST', ALL, { scope, memories: [{ id: 'a', text: 'a', scope }] });
    await ask(handler, 'PATCH', `${ALL}/a`, { text: 'b', scope });
    expect((await memoryService.listMemories({ appName: 'demo', userId: 'ann', scope })).memories).toEqual([]);
    expect((await ask(handler, 'GET', `${ALL}/a`)).body.content).toEqual({ parts: [{ text: 'b' }] });
  });
});

describe('authorizeScope', () => {
  const requests: readonly [method: string, path: string, body?: object][] = [
    ['GET', `${ALL}?`],
    ['GET', `${ALL}?query=a&`],
    ['POST', `${ALL}?`, { memories: ['a'] }],
    ['POST', `${ALL}/forget?`, { ids: ['a'] }],
    ['GET', `${ALL}/a/same?`],
    ['GET', `${ALL}/a?`],
    ['PATCH', `${ALL}/a?`, { text: 'a' }],
    ['DELETE', `${ALL}/a?`],
    ['DELETE', `${ALL}?`],
  ];

  it.each(requests)('is required with authorize: %s %s', async (method, path, body) => {
    const memoryService = new InMemoryMemoryService();
    const { handler } = await demo({ memoryService, authorize: () => true });
    const { status, body: answer } = await ask(handler, method, `${path}team=spa`, body);
    expect([status, answer.code]).toEqual([403, 'FORBIDDEN']);
    const own = await ask(handler, method, path.slice(0, -1), body);
    expect(own.status).not.toBe(403);
  });

  it.each(requests)('decides about the scope after authorize: %s %s', async (method, path, body) => {
    const calls: unknown[] = [];
    const { handler } = await demo({
      memoryService: new InMemoryMemoryService(),
      authorize: (_, { appName, userId }) => (calls.push({ appName, userId }), true),
      authorizeScope: (_, identity) => (calls.push(identity), identity.scope.team === 'spa'),
    });
    const identity = { appName: 'demo', userId: 'ann' };
    expect((await ask(handler, method, `${path}team=spa`, body)).status).not.toBe(403);
    expect(calls.splice(0)).toEqual([identity, { ...identity, scope: { team: 'spa' } }]);
    expect((await ask(handler, method, `${path}team=bar&agent=a`, body)).status).toBe(403);
    expect(calls.splice(0)).toEqual([identity, { ...identity, scope: { team: 'bar', agent: 'a' } }]);
    await ask(handler, method, path.slice(0, -1), body);
    expect(calls).toEqual([identity]);
  });

  it('may answer with a Response, and works without authorize', async () => {
    const { handler } = await demo({
      memoryService: new InMemoryMemoryService(),
      authorizeScope: () => new Response('no', { status: 402 }),
    });
    expect((await ask(handler, 'GET', `${ALL}?team=spa`)).status).toBe(402);
    expect((await ask(handler, 'GET', ALL)).status).toBe(200);
  });

  it('must be a function', async () => {
    await expect(demo({ authorizeScope: true as never })).rejects.toThrow('authorizeScope must be a function');
  });
});

describe('memory routes', () => {
  it('answers 400 if the memory service has no such method', async () => {
    const memoryService: MemoryService = {
      addSessionToMemory: async () => {},
      searchMemory: async () => ({ memories: [] }),
    };
    const { handler } = await demo({ memoryService });
    expect((await ask(handler, 'GET', `${ALL}?query=figs`)).status).toBe(200);
    const responses = [
      await ask(handler, 'GET', ALL),
      await ask(handler, 'POST', ALL, { memories: [{ text: 'a' }] }),
      await ask(handler, 'PATCH', `${ALL}/a`, { text: 'a' }),
      await ask(handler, 'GET', `${ALL}/a`),
      await ask(handler, 'GET', `${ALL}/a/same`),
      await ask(handler, 'POST', `${ALL}/forget`, { ids: ['a'] }),
      await ask(handler, 'DELETE', `${ALL}/a`),
      await ask(handler, 'DELETE', ALL),
    ];
    for (const { status, body } of responses) expect([status, body.code]).toEqual([400, 'MEMORY_NOT_CONFIGURED']);
  });

  it.each([
    ['POST', ALL, undefined],
    ['POST', ALL, '{"memories":{}}'],
    ['POST', ALL, '{"memories":[{}]}'],
    ['POST', ALL, '{"memories":[7]}'],
    ['POST', ALL, '{"memories":[{"text":"a","content":{"parts":[{"text":"a"}]}}]}'],
    ['POST', ALL, '{"memories":[{"content":{"parts":[]}}]}'],
    ['POST', ALL, '{"memories":[{"content":{"role":"system","parts":[{"text":"a"}]}}]}'],
    ['POST', ALL, '{"memories":[{"text":"a","kind":"rumour"}]}'],
    ['POST', ALL, '{"memories":[{"text":"a","timestamp":"now"}]}'],
    ['POST', ALL, '{"memories":[{"text":"a","id":{"$ne":1}}]}'],
    ['POST', ALL, '{"memories":[{"text":"a","evidence":[1]}]}'],
    ['PATCH', `${ALL}/a`, '{"text":1}'],
    ['POST', `${ALL}/forget`, '{}'],
    ['POST', `${ALL}/forget`, '{"ids":"a"}'],
    ['POST', `${ALL}/forget`, '{"ids":["a"],"keepEvidence":"yes"}'],
    ['GET', `${ALL}?team=`, undefined],
    ['GET', `${ALL}/a?agent=${'x'.repeat(600)}`, undefined],
    ['DELETE', `${ALL}/%00`, undefined],
    ['GET', `${ALL}?limit=0`, undefined],
    ['GET', `${ALL}?limit=x`, undefined],
    ['GET', `${ALL}?cursor=forged`, undefined],
    ['GET', `${ALL}?query=a&minScore=x`, undefined],
    ['GET', `${ALL}?kinds=rumour`, undefined],
    ['GET', `${ALL}?kinds=`, undefined],
    ['GET', `${ALL}?kinds=fact,,note`, undefined],
    ['GET', `${ALL}?validAt=now`, undefined],
    ['GET', `${ALL}?sessionId=`, undefined],
    ['GET', `${ALL}?query=a&explain=perhaps`, undefined],
  ])('answers 400: %s %s %s', async (method, path, body) => {
    const { handler } = await demo({ memoryService: new InMemoryMemoryService() });
    expect((await ask(handler, method, path, body)).status).toBe(400);
  });
});
