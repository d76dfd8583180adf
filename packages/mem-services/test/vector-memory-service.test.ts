import { TholeError } from '@thole/core';
import type { Embedder, Session } from '@thole/core';
import {
  FixedRuntime,
  embedderCases,
  HashEmbedder,
  memoryAbilities,
  memoryServiceCases,
  register,
} from '@thole/testing';
import { VectorMemoryService } from '@thole/mem-services';
import { describe, expect, it } from 'vitest';

register({ describe, it }, embedderCases, { name: 'HashEmbedder', create: () => new HashEmbedder() });

register({ describe, it }, memoryServiceCases, {
  name: 'VectorMemoryService',
  claims: [...memoryAbilities, 'cosine'],
  create: (runtime) => new VectorMemoryService({ embedder: new HashEmbedder(), runtime }),
});

const user = { appName: 'hotel', userId: 'alice' };

function sessionOf(...texts: string[]): Session {
  const events = texts.map((text, i) => ({
    id: `e${i}`,
    invocationId: 'i1',
    author: 'user',
    timestamp: i,
    content: { role: 'user' as const, parts: [{ text }] },
    actions: { stateDelta: {}, artifactDelta: {}, requestedAuthConfigs: {}, requestedToolConfirmations: {} },
  }));
  return { ...user, id: 's1', state: {}, events, lastUpdateTime: 0, lastSeq: texts.length, incarnation: 'i' };
}

async function found(memory: VectorMemoryService, query: string, more: object = {}): Promise<string[]> {
  const { memories } = await memory.searchMemory({ ...user, query, ...more });
  return memories.map((entry) => entry.content.parts![0]!.text!);
}

/** A `HashEmbedder` that a test changes. */
function changing(change: Partial<Embedder> = {}): HashEmbedder {
  return Object.assign(new HashEmbedder({ maxBatch: 2 }), change);
}

describe('VectorMemoryService', () => {
  it('embeds each entry once, when it is ingested, in batches that the embedder takes', async () => {
    const embedder = changing();
    const memory = new VectorMemoryService({ embedder });
    await memory.addSessionToMemory(sessionOf('a pool', 'a bar', 'a roof'));
    expect(embedder.requests).toEqual([
      { texts: ['a pool', 'a bar'], task: 'document' },
      { texts: ['a roof'], task: 'document' },
    ]);
    await memory.addSessionToMemory(sessionOf('a pool', 'a bar', 'a roof', 'a garden'));
    await found(memory, 'roof');
    expect(embedder.requests.slice(2)).toEqual([
      { texts: ['a garden'], task: 'document' },
      { texts: ['roof'], task: 'query' },
    ]);
  });

  it('embeds nothing twice when two calls come at once', async () => {
    const embedder = changing();
    const memory = new VectorMemoryService({ embedder });
    await Promise.all([
      memory.addSessionToMemory(sessionOf('a pool', 'a bar')),
      memory.addSessionToMemory(sessionOf('a pool', 'a bar')),
    ]);
    await Promise.all([found(memory, 'bar'), found(memory, 'bar')]);
    expect(embedder.requests.filter(({ task }) => task === 'document')).toHaveLength(1);
  });

  it('answers five by default, another topK where one is given', async () => {
    const session = sessionOf(...Array.from({ length: 8 }, (_, i) => `pool ${i}`));
    for (const [topK, expected] of [
      [undefined, 5],
      [3, 3],
    ] as const) {
      const memory = new VectorMemoryService({ embedder: changing(), topK });
      await memory.addSessionToMemory(session);
      expect(await found(memory, 'pool')).toHaveLength(expected);
    }
  });

  it('takes its own minScore as the floor of searches that name none', async () => {
    const memory = new VectorMemoryService({ embedder: changing(), minScore: 0.9 });
    await memory.addSessionToMemory(sessionOf('a pool on the roof', 'a garden'));
    expect(await found(memory, 'a pool on the roof')).toEqual(['a pool on the roof']);
    expect(await found(memory, 'a pool on the roof', { minScore: -1 })).toHaveLength(2);
  });

  it.each([
    ['throws', async () => Promise.reject(new Error('down'))],
    ['answers too few vectors', async () => []],
    ['answers vectors of another length', async (texts: readonly string[]) => texts.map(() => new Float32Array(3))],
    ['answers no list', async () => undefined as unknown as Float32Array[]],
    ['answers holes', async (texts: readonly string[]) => texts.map(() => undefined as unknown as Float32Array)],
  ])(
    'keeps the entry and throws EMBEDDER_FAILED when the embedder %s, and makes the vector later',
    async (_, embed) => {
      const embedder = changing();
      const works = embedder.embed.bind(embedder);
      embedder.embed = embed;
      const memory = new VectorMemoryService({ embedder });
      await expect(memory.addSessionToMemory(sessionOf('a pool'))).rejects.toSatisfy((error) =>
        TholeError.is(error, 'EMBEDDER_FAILED'),
      );
      expect((await memory.listMemories(user)).memories).toHaveLength(1);
      await expect(found(memory, 'pool')).rejects.toSatisfy((error) => TholeError.is(error, 'EMBEDDER_FAILED'));
      embedder.embed = works;
      expect(await found(memory, 'pool')).toEqual(['a pool']);
    },
  );

  it('goes on finding what has a vector while new entries get none, and logs how many', async () => {
    const embedder = changing();
    const works = embedder.embed.bind(embedder);
    const runtime = new FixedRuntime();
    const memory = new VectorMemoryService({ embedder, runtime });
    await memory.addSessionToMemory(sessionOf('a pool'));
    embedder.embed = (texts, p) => (p.task === 'document' ? Promise.reject(new Error('too long')) : works(texts, p));
    await expect(memory.addSessionToMemory(sessionOf('a pool', 'a bar'))).rejects.toThrow('failed');
    expect(await found(memory, 'bar')).toEqual(['a pool']);
    expect(runtime.logs).toEqual([
      expect.objectContaining({ level: 'warn', fields: { code: 'EMBEDDER_FAILED', entries: 1 } }),
    ]);
  });

  it('never finds what has a zero vector or one that is not of numbers, and scores nothing as NaN (contract 32)', async () => {
    const embedder = changing();
    const works = embedder.embed.bind(embedder);
    embedder.embed = async (texts, p) => {
      const vectors = await works(texts, p);
      return vectors.map((vector, i) =>
        texts[i] === 'zero' ? vector.fill(0) : texts[i] === 'odd' ? vector.fill(NaN) : vector,
      );
    };
    const memory = new VectorMemoryService({ embedder });
    await memory.addSessionToMemory(sessionOf('zero', 'odd', 'a pool'));
    const { memories } = await memory.searchMemory({ ...user, query: 'pool' });
    expect(memories.map((entry) => entry.score! > 0 && entry.content.parts![0]!.text)).toEqual(['a pool']);
    expect(await found(memory, 'zero')).toEqual([]);
    expect(await found(memory, 'odd')).toEqual([]);
  });

  it('makes vectors anew when the model has changed, and compares none of two models', async () => {
    const embedder = changing();
    const memory = new VectorMemoryService({ embedder });
    await memory.addSessionToMemory(sessionOf('a pool', 'a bar', 'a roof'));
    Object.assign(embedder, { model: 'hash-2', dimensions: 512 });
    embedder.requests.length = 0;
    expect((await found(memory, 'a bar'))[0]).toBe('a bar');
    await found(memory, 'a bar');
    expect(embedder.requests.map(({ task, texts }) => [task, texts.length])).toEqual([
      ['document', 2],
      ['document', 1],
      ['query', 1],
      ['query', 1],
    ]);
  });

  it('embeds an entry again only when its text changes', async () => {
    const embedder = changing();
    const memory = new VectorMemoryService({ embedder });
    await memory.addMemory({
      ...user,
      memories: [{ id: 'n1', kind: 'note', content: { parts: [{ text: 'a pool' }] } }],
    });
    await memory.updateMemory({ ...user, id: 'n1', change: { author: 'me' } });
    expect(embedder.requests).toHaveLength(1);
    await memory.updateMemory({ ...user, id: 'n1', change: { content: { parts: [{ text: 'a roof' }] } } });
    expect(embedder.requests.map(({ texts }) => texts)).toEqual([['a pool'], ['a roof']]);
    expect(await found(memory, 'a roof', { minScore: 0.99 })).toEqual(['a roof']);
  });

  it('stops embedding with the signal, throws its reason, and keeps the entry', async () => {
    const over = new AbortController();
    const embedder = changing();
    const works = embedder.embed.bind(embedder);
    const memory = new VectorMemoryService({ embedder });
    embedder.embed = () => {
      over.abort(new Error('enough'));
      return new Promise(() => {});
    };
    await expect(memory.addSessionToMemory(sessionOf('a pool'), { signal: over.signal })).rejects.toThrow('enough');
    embedder.embed = works;
    expect((await memory.listMemories(user)).memories).toHaveLength(1);
  });

  it('refuses what is no embedder', () => {
    expect(() => new VectorMemoryService({ embedder: {} as Embedder })).toThrow('embedder must be an Embedder');
  });
});
