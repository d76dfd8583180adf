import type { MemoryService } from '@thole/core';
import { turnId } from '@thole/core/kit';
import { InMemoryMemoryService } from '@thole/mem-services';
import { expect, it } from 'vitest';
import { ask } from '../ask.ts';
import { demo } from '../demo.ts';

const ALL = '/apps/demo/users/ann/memory';
const said = (id: string, text: string): object => ({
  id,
  author: 'user',
  content: { role: 'user', parts: [{ text }] },
});

it('adds what was said in a session to memory, each turn once (contract 31)', async () => {
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

it('answers 400 without a memory service, and 404 for a session that is not there', async () => {
  const without = await ask((await demo()).handler, 'PATCH', ALL, { sessionId: 's' });
  expect([without.status, without.body.code]).toEqual([400, 'MEMORY_NOT_CONFIGURED']);
  const { handler } = await demo({ memoryService: new InMemoryMemoryService() });
  expect((await ask(handler, 'PATCH', ALL, { sessionId: 'x' })).status).toBe(404);
  expect((await ask(handler, 'PATCH', '/apps/demo/users/bob/memory', { sessionId: 's' })).status).toBe(404);
  for (const body of [undefined, 'null', {}, { sessionId: null }, { sessionId: '' }, { sessionId: 7 }])
    expect((await ask(handler, 'PATCH', ALL, body)).status).toBe(400);
});

it('searches one user’s memory, best first, each with its score', async () => {
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

it('lists memory by pages, newest last', async () => {
  const { handler } = await demo({ memoryService: new InMemoryMemoryService(), limits: { listItems: 2 } });
  await ask(handler, 'POST', ALL, { memories: ['a', 'b', 'c'].map((id) => ({ id, text: id })) });
  const first = (await ask(handler, 'GET', `${ALL}?limit=900`)).body;
  expect(first.memories.map((each: { id: string }) => each.id)).toEqual(['a', 'b']);
  const second = (await ask(handler, 'GET', `${ALL}?limit=2&cursor=${encodeURIComponent(first.next)}`)).body;
  expect(second.memories.map((each: { id: string }) => each.id)).toEqual(['c']);
  expect(second).not.toHaveProperty('next');
});

it('lists and finds only what meets every condition of the query', async () => {
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

it('tells what gave how much to a score where it is asked to', async () => {
  const { handler } = await demo({ memoryService: new InMemoryMemoryService() });
  await ask(handler, 'POST', ALL, { memories: [{ text: 'I like figs' }] });
  const [plain] = (await ask(handler, 'GET', `${ALL}?query=figs`)).body.memories;
  expect(plain).not.toHaveProperty('explanation');
  const [explained] = (await ask(handler, 'GET', `${ALL}?query=figs&explain=true`)).body.memories;
  expect(Object.values(explained.explanation as { [signal: string]: number })).toContainEqual(expect.any(Number));
});

it('keeps entries as they are, a note unless told otherwise, and takes a known id for a correction', async () => {
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

it('corrects an entry, also one whose id holds slashes, and answers 404 for an unknown one', async () => {
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

it('forgets one entry, what it rests on unless told to keep it, and everything', async () => {
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

it('answers 400 for what the memory service cannot do', async () => {
  const memoryService: MemoryService = {
    addSessionToMemory: async () => {},
    searchMemory: async () => ({ memories: [] }),
  };
  const { handler } = await demo({ memoryService });
  expect((await ask(handler, 'GET', `${ALL}?query=figs`)).status).toBe(200);
  const asked = [
    await ask(handler, 'GET', ALL),
    await ask(handler, 'POST', ALL, { memories: [{ text: 'a' }] }),
    await ask(handler, 'PATCH', `${ALL}/a`, { text: 'a' }),
    await ask(handler, 'DELETE', `${ALL}/a`),
    await ask(handler, 'DELETE', ALL),
  ];
  for (const { status, body } of asked) expect([status, body.code]).toEqual([400, 'MEMORY_NOT_CONFIGURED']);
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
])('refuses with 400: %s %s %s', async (method, path, body) => {
  const { handler } = await demo({ memoryService: new InMemoryMemoryService() });
  expect((await ask(handler, method, path, body)).status).toBe(400);
});
