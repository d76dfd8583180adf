import { textOf } from '@thole/core';
import type { MemoryEntry, MemoryService } from '@thole/core';
import { InMemoryMemoryService, InMemoryMemoryStore, VectorMemoryService } from '@thole/mem-services';
import { StoredMemoryService } from '@thole/recall';
import type { Rerank } from '@thole/recall';
import { FixedRuntime, HashEmbedder } from '@thole/testing';
import { describe, expect, it } from 'vitest';

const alice = { appName: 'hotel', userId: 'alice' };

async function fill<S extends MemoryService>(memory: S): Promise<S> {
  for (const memoryText of ['The pool is open.', 'The pool bar is closed.', 'The pool has a slide.'])
    await memory.addMemory!({ ...alice, memory: memoryText });
  return memory;
}

async function found(memory: MemoryService, query = 'pool'): Promise<string[]> {
  return (await memory.searchMemory({ ...alice, query })).memories.map(({ content }) => textOf(content));
}

const factories: [string, (p: { rerank?: Rerank; runtime?: FixedRuntime; minRelevance?: number }) => MemoryService][] =
  [
    ['InMemoryMemoryService', (p) => new InMemoryMemoryService(p)],
    ['VectorMemoryService', (p) => new VectorMemoryService({ embedder: new HashEmbedder(), ...p })],
  ];

describe.each(factories)('rerank of %s', (_, make) => {
  it('receives the query and the hits, and may reorder and drop them', async () => {
    const calls: [string, number][] = [];
    const rerank: Rerank = (query, hits) => {
      calls.push([query, hits.length]);
      return hits.toReversed().slice(0, 2);
    };
    const plain = await found(await fill(make({ runtime: new FixedRuntime() })));
    expect(await found(await fill(make({ rerank, runtime: new FixedRuntime() })))).toEqual(
      plain.toReversed().slice(0, 2),
    );
    expect(calls).toEqual([['pool', 3]]);
  });

  it('may answer later, and cannot add, repeat or change entries', async () => {
    const rerank: Rerank = async (_query, hits) => {
      for (const hit of hits) hit.content.parts = [{ text: 'changed' }];
      return [hits[1]!, hits[1]!, { ...hits[0]!, id: 'made-up' }];
    };
    const plain = await found(await fill(make({ runtime: new FixedRuntime() })));
    expect(await found(await fill(make({ rerank, runtime: new FixedRuntime() })))).toEqual([plain[1]]);
  });

  it.each([
    ['throws', (): never => raise()],
    ['rejects', async (): Promise<never> => raise()],
    ['returns no array', (): never => 'best' as never],
    [
      'returns only values that are not hits',
      (_: string, hits: readonly MemoryEntry[]) => hits.map(({ id }) => id) as never,
    ],
    [
      'returns only entries with other ids',
      () => [{ id: 'made-up', kind: 'note' as const, content: { parts: [] } }, null as never],
    ],
  ])('leaves the order unchanged and logs if it %s', async (_what, rerank) => {
    const runtime = new FixedRuntime();
    const plain = await found(await fill(make({ runtime: new FixedRuntime() })));
    expect(await found(await fill(make({ rerank, runtime })))).toEqual(plain);
    expect(runtime.logs.map(({ level, message }) => [level, message])).toEqual([
      ['warn', expect.stringContaining('reranker failed')],
    ]);
  });

  it('is aborted with the search', async () => {
    const rerank: Rerank = (_query, _hits, signal) =>
      new Promise((_, reject) => signal!.addEventListener('abort', () => reject(new Error('stopped'))));
    const memory = await fill(make({ rerank }));
    const controller = new AbortController();
    const searching = memory.searchMemory({ ...alice, query: 'pool', signal: controller.signal });
    setImmediate(() => controller.abort(new Error('enough')));
    await expect(searching).rejects.toThrow('enough');
  });

  it('is not called if nothing was found, and must be a function', async () => {
    const memory = make({ rerank: raise, runtime: new FixedRuntime() });
    expect(await found(memory)).toEqual([]);
    expect(() => make({ rerank: 7 as never })).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  });
});

describe('InMemoryMemoryService', () => {
  it('accepts the options of the database services (contract 41)', async () => {
    const all = { topK: 2, minScore: 0, minRelevance: 0, indexBytes: 0, runtime: new FixedRuntime() };
    expect(await found(await fill(new InMemoryMemoryService(all)))).toHaveLength(2);
    const strict = new InMemoryMemoryService({ minRelevance: 0.9 });
    expect(await found(await fill(strict), 'pool elephants')).toEqual([]);
    expect(await found(strict, 'pool')).toHaveLength(3);
  });

  it('throws for match together with ranking', () => {
    const ranking = { createIndex: () => raise() };
    expect(() => new InMemoryMemoryService({ match: 'words', ranking })).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT' }),
    );
  });

  it('returns hits with relevance 1 for match: substring', async () => {
    const memory = await fill(new InMemoryMemoryService({ match: 'substring', minRelevance: 1 }));
    expect(await found(memory, 'pool bar')).toEqual(['The pool bar is closed.']);
  });
});

describe('pruneMemories', () => {
  const note = (id: string, expiresAt?: number): MemoryEntry => ({
    id,
    kind: 'note',
    content: { parts: [{ text: id }] },
    expiresAt,
  });

  it('deletes expired entries of all users and scopes of an app, and no others', async () => {
    const runtime = new FixedRuntime();
    const store = new InMemoryMemoryStore();
    const memory = new StoredMemoryService(store, { runtime });
    const scope = { team: 'reception' };
    const bob = { ...alice, userId: 'bob' };
    const soon = runtime.now() + 60;
    for (const p of [alice, bob, { ...alice, scope }])
      await memory.addMemory({ ...p, memories: [note('a', soon), note('b', soon + 60), note('c')] });
    expect(await memory.pruneMemories({ appName: 'hotel' })).toBe(0);
    await runtime.advance(60_000);
    expect(await memory.pruneMemories({ appName: 'hotel' })).toBe(3);
    expect(await store.get(alice, ['a'])).toEqual([]);
    expect((await store.get(alice, ['b', 'c'])).length).toBe(2);
    await runtime.advance(60_000);
    expect(await memory.pruneMemories({ ...alice })).toBe(1);
    expect(await memory.pruneMemories({ appName: 'airline' })).toBe(0);
    expect(await memory.pruneMemories({ appName: 'hotel', olderThan: runtime.now() + 1 })).toBe(5);
  });

  it('rejects a time in milliseconds with INVALID_INPUT, and deletes nothing (contract 41)', async () => {
    const memory = new InMemoryMemoryService();
    await memory.addMemory({ ...alice, memories: [{ ...note('a'), timestamp: Date.now() / 1000 }] });
    await expect(memory.pruneMemories({ ...alice, olderThan: Date.now() })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('in seconds since the epoch') as unknown,
    });
    expect((await memory.listMemories(alice)).memories.length).toBe(1);
  });
});

function raise(): never {
  throw new Error('The pool is empty.');
}

describe.each<[string, () => MemoryService]>([
  ['words', () => new InMemoryMemoryService()],
  ['substring', () => new InMemoryMemoryService({ match: 'substring' })],
  ['vectors', () => new VectorMemoryService({ embedder: new HashEmbedder() })],
  ['words and vectors', () => new VectorMemoryService({ embedder: new HashEmbedder(), ranking: 'hybrid' })],
])('Replaced facts in a search by %s', (_, make) => {
  const fact = (id: string, text: string, supersededBy?: string): MemoryEntry => ({
    ...{ id, kind: 'fact', content: { parts: [{ text }] }, supersededBy },
    ...(supersededBy !== undefined && { validTo: 9 }),
    timestamp: id === 'third' ? 1 : 9,
  });

  it('follow the facts that replaced them, and scores do not increase', async () => {
    const memory = make();
    const memories = [
      fact('first', 'lives in Rome', 'second'),
      fact('second', 'lives in Rome and Oslo', 'third'),
      fact('other', 'he lives in Rome'),
      fact('third', 'nowadays lives in Rome or in some other nice places'),
    ];
    await memory.addMemory!({ ...alice, memories });
    const found = await memory.searchMemory({ ...alice, query: 'lives in Rome' });
    const ids = found.memories.map(({ id }) => id);
    expect(ids.slice(ids.indexOf('third'))).toEqual(['third', 'second', 'first']);
    expect(ids).toHaveLength(4);
    const scores = found.memories.map(({ score }) => score!);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  });

  it('are all found if they replace each other in a circle', async () => {
    const memory = make();
    await memory.addMemory!({ ...alice, memories: [fact('a', 'likes tea', 'b'), fact('b', 'likes tea', 'a')] });
    const found = await memory.searchMemory({ ...alice, query: 'likes tea' });
    expect(found.memories.map(({ id }) => id).toSorted()).toEqual(['a', 'b']);
  });
});
