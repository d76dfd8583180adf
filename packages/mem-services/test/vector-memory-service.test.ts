import { TholeError } from '@thole/core';
import type { Embedder, Runtime, Session, VectorStore } from '@thole/core';
import {
  FixedRuntime,
  embedderCases,
  HashEmbedder,
  memoryAbilities,
  memoryServiceCases,
  register,
} from '@thole/testing';
import { InMemoryMemoryStore, InMemoryVectorStore, VectorMemoryService } from '@thole/mem-services';
import { describe, expect, it } from 'vitest';

register({ describe, it }, embedderCases, { name: 'HashEmbedder', create: () => new HashEmbedder() });

// Several services share these stores, like a database.
const storesOf = new WeakMap<object, { store: InMemoryVectorStore; entries: InMemoryMemoryStore }>();
function openService(runtime: Runtime, previous?: object): VectorMemoryService {
  const stores = (previous && storesOf.get(previous)) ?? {
    store: new InMemoryVectorStore(),
    entries: new InMemoryMemoryStore(),
  };
  const service = new VectorMemoryService({ embedder: new HashEmbedder(), runtime, ...stores });
  storesOf.set(service, stores);
  return service;
}

register({ describe, it }, memoryServiceCases, {
  name: 'VectorMemoryService (stores of the caller)',
  claims: [...memoryAbilities, 'cosine', 'shared'],
  create: (runtime) => openService(runtime),
  reopen: (service, runtime) => openService(runtime, service),
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

/** Returns a `HashEmbedder` with changed members. */
function embedderWith(change: Partial<Embedder> = {}): HashEmbedder {
  return Object.assign(new HashEmbedder({ maxBatch: 2 }), change);
}

/** Returns an embedder with large batches that fails for texts with the given beginning. */
function rejecting(start: string): HashEmbedder {
  const embedder = new HashEmbedder({ maxBatch: 2048, dimensions: 16 });
  const originalEmbed = embedder.embed.bind(embedder);
  embedder.embed = async (texts, p) => {
    const vectors = await originalEmbed(texts, p);
    if (texts.some((text) => text.startsWith(start)))
      throw new TholeError('EMBEDDER_FAILED', 'A text is too long.', { retryable: false });
    return vectors;
  };
  return embedder;
}

describe('VectorMemoryService', () => {
  it('embeds each entry once, at ingestion, in batches of maxBatch', async () => {
    const embedder = embedderWith();
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

  it('embeds no text twice for two concurrent calls', async () => {
    const embedder = embedderWith();
    const memory = new VectorMemoryService({ embedder });
    await Promise.all([
      memory.addSessionToMemory(sessionOf('a pool', 'a bar')),
      memory.addSessionToMemory(sessionOf('a pool', 'a bar')),
    ]);
    await Promise.all([found(memory, 'bar'), found(memory, 'bar')]);
    expect(embedder.requests.filter(({ task }) => task === 'document')).toHaveLength(1);
  });

  it('returns topK results, 5 by default', async () => {
    const session = sessionOf(...Array.from({ length: 8 }, (_, i) => `pool ${i}`));
    for (const [topK, expected] of [
      [undefined, 5],
      [3, 3],
    ] as const) {
      const memory = new VectorMemoryService({ embedder: embedderWith(), topK });
      await memory.addSessionToMemory(session);
      expect(await found(memory, 'pool')).toHaveLength(expected);
    }
  });

  it('applies its minScore to searches without a minScore', async () => {
    const memory = new VectorMemoryService({ embedder: embedderWith(), minScore: 0.9 });
    await memory.addSessionToMemory(sessionOf('a pool on the roof', 'a garden'));
    expect(await found(memory, 'a pool on the roof')).toEqual(['a pool on the roof']);
    expect(await found(memory, 'a pool on the roof', { minScore: -1 })).toHaveLength(2);
  });

  it.each([
    ['throws', async () => Promise.reject(new Error('down'))],
    ['returns too few vectors', async () => []],
    ['returns vectors of another length', async (texts: readonly string[]) => texts.map(() => new Float32Array(3))],
    ['does not return a list', async () => undefined as unknown as Float32Array[]],
    [
      'returns undefined vectors',
      async (texts: readonly string[]) => texts.map(() => undefined as unknown as Float32Array),
    ],
  ])('keeps the entry, finds it by words and computes its vector later if the embedder %s', async (_, embed) => {
    const embedder = embedderWith();
    const originalEmbed = embedder.embed.bind(embedder);
    embedder.embed = embed;
    const runtime = new FixedRuntime();
    const memory = new VectorMemoryService({ embedder, runtime, maxAttempts: 1 });
    await memory.addSessionToMemory(sessionOf('a pool', 'a bar'));
    const { memories, vectorsMissing } = await memory.searchMemory({ ...user, query: 'Where is the pool?' });
    expect(memories[0]).toMatchObject({ content: { parts: [{ text: 'a pool' }] }, score: 1 });
    expect(vectorsMissing).toBe(2);
    expect(runtime.logs.every(({ level, fields }) => level === 'warn' && fields?.['code'] === 'EMBEDDER_FAILED')).toBe(
      true,
    );
    embedder.embed = originalEmbed;
    await runtime.advance(20_000);
    const later = await memory.searchMemory({ ...user, query: 'pool', minScore: 0.1 });
    expect(later).toEqual({ memories: [expect.objectContaining({ eventId: 'e0' })] });
    expect(later.memories[0]!.score).toBeLessThan(0.99);
  });

  it('calls a failed embedder again after a pause, at most maxAttempts times', async () => {
    const embedder = embedderWith();
    const originalEmbed = embedder.embed.bind(embedder);
    let calls = 0;
    embedder.embed = (texts, p) => (++calls < 3 ? Promise.reject(new Error('busy')) : originalEmbed(texts, p));
    const runtime = new FixedRuntime();
    const memory = new VectorMemoryService({ embedder, runtime });
    const adding = memory.addSessionToMemory(sessionOf('a pool'));
    await runtime.advance(2000);
    await adding;
    expect([calls, (await memory.searchMemory({ ...user, query: 'pool' })).vectorsMissing]).toEqual([3, undefined]);
  });

  it('tries failed entries again after some seconds or at the next ingestion', async () => {
    const embedder = embedderWith();
    const originalEmbed = embedder.embed.bind(embedder);
    const attempts: string[][] = [];
    embedder.embed = (texts, p) => {
      if (p.task === 'query') return originalEmbed(texts, p);
      attempts.push([...texts]);
      return Promise.reject(new Error('down'));
    };
    const runtime = new FixedRuntime();
    const memory = new VectorMemoryService({ embedder, runtime, maxAttempts: 1 });
    await memory.addSessionToMemory(sessionOf('a pool'));
    await found(memory, 'pool');
    expect(attempts).toEqual([['a pool']]);
    await runtime.advance(11_000);
    await found(memory, 'pool');
    expect(attempts).toHaveLength(2);
    await memory.addSessionToMemory(sessionOf('a pool', 'a bar'));
    expect(attempts.slice(2).flat()).toContain('a bar');
  });

  it('computes the vectors of all other texts if the embedder rejects one', async () => {
    const embedder = new HashEmbedder({ maxBatch: 8 });
    const originalEmbed = embedder.embed.bind(embedder);
    embedder.embed = (texts, p) =>
      texts.includes('a bad one') ? Promise.reject(new Error('too long')) : originalEmbed(texts, p);
    const runtime = new FixedRuntime();
    const memory = new VectorMemoryService({ embedder, runtime, maxAttempts: 1 });
    await memory.addSessionToMemory(sessionOf('a pool', 'a bar', 'a roof', 'a bad one', 'a door', 'a bed'));
    const { memories, vectorsMissing } = await memory.searchMemory({ ...user, query: 'one', limit: 10 });
    expect([memories.length, memories[0]!.content.parts![0]!.text, vectorsMissing]).toEqual([6, 'a bad one', 1]);
  });

  it('embeds all other texts of a large batch if the embedder rejects one', async () => {
    const memory = new VectorMemoryService({ embedder: rejecting('too long'), runtime: new FixedRuntime() });
    await memory.addSessionToMemory(sessionOf('too long', ...Array.from({ length: 600 }, (_, i) => `pool ${i}`)));
    expect((await memory.searchMemory({ ...user, query: 'pool' })).vectorsMissing).toBe(1);
  });

  it('computes the vectors of new texts after the embedder has rejected many', async () => {
    const embedder = rejecting('too long');
    const memory = new VectorMemoryService({ embedder, runtime: new FixedRuntime() });
    const rejected = Array.from({ length: 20 }, (_, i) => `too long ${i}`);
    for (let i = 1; i <= rejected.length; i++) await memory.addSessionToMemory(sessionOf(...rejected.slice(0, i)));
    const calls = embedder.requests.length;
    await memory.addSessionToMemory(sessionOf(...rejected, 'a pool'));
    expect((await memory.searchMemory({ ...user, query: 'pool' })).vectorsMissing).toBe(20);
    // The new text, the query, and the texts that were rejected fewer than three times.
    expect(embedder.requests.length - calls).toBeLessThan(8);
  });

  it('stops calling the embedder after several failures in a row', async () => {
    const embedder = new HashEmbedder({ maxBatch: 4 });
    let calls = 0;
    embedder.embed = () => Promise.reject(new Error(`down ${++calls}`));
    const runtime = new FixedRuntime();
    const memory = new VectorMemoryService({ embedder, runtime, maxAttempts: 1, maxConcurrentBatches: 1 });
    await memory.addSessionToMemory(sessionOf(...Array.from({ length: 100 }, (_, i) => `pool ${i}`)));
    expect(calls).toBe(8);
    expect(runtime.logs).toHaveLength(1);
    const { memories, vectorsMissing } = await memory.searchMemory({ ...user, query: 'pool' });
    expect([memories.length, vectorsMissing]).toEqual([5, 100]);
  });

  it.each([
    new TholeError('MODEL_UNAVAILABLE', 'Down.'),
    new TholeError('MODEL_AUTH', 'The key is wrong.'),
    new TholeError('MODEL_RATE_LIMITED', 'The quota is used up.', { retryable: false }),
  ])('stops calling the embedder at once after $code', async (error) => {
    const embedder = new HashEmbedder({ maxBatch: 4 });
    let calls = 0;
    embedder.embed = () => Promise.reject((calls++, error));
    const runtime = new FixedRuntime();
    const memory = new VectorMemoryService({ embedder, runtime, maxAttempts: 1, maxConcurrentBatches: 1 });
    await memory.addSessionToMemory(sessionOf(...Array.from({ length: 100 }, (_, i) => `pool ${i}`)));
    expect([calls, runtime.logs.length]).toEqual([1, 1]);
  });

  it('never has more concurrent batches than maxConcurrentBatches', async () => {
    const embedder = embedderWith();
    const originalEmbed = embedder.embed.bind(embedder);
    let [now, most] = [0, 0];
    embedder.embed = async (texts, p) => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setImmediate(resolve));
      now--;
      return originalEmbed(texts, p);
    };
    const memory = new VectorMemoryService({ embedder, maxConcurrentBatches: 3 });
    const texts = Array.from({ length: 40 }, (_, i) => `pool ${i}`);
    await Promise.all([
      memory.addSessionToMemory(sessionOf(...texts)),
      memory.addSessionToMemory({ ...sessionOf(...texts.map((text) => `${text}!`)), userId: 'bob' }),
    ]);
    expect([most, embedder.requests.length]).toEqual([3, 40]);
  });

  it('caches vectors by text, and empties the cache after a deletion', async () => {
    const embedder = embedderWith();
    const memory = new VectorMemoryService({ embedder });
    await memory.addSessionToMemory(sessionOf('a pool'));
    await memory.addSessionToMemory({ ...sessionOf('a pool'), userId: 'bob' });
    await found(memory, 'pool');
    await found(memory, 'pool');
    expect(embedder.requests.map(({ texts }) => texts)).toEqual([['a pool'], ['pool']]);
    await memory.deleteUserMemory({ ...user, userId: 'bob' });
    await found(memory, 'pool');
    expect(embedder.requests).toHaveLength(3);
    const uncached = new VectorMemoryService({ embedder, cacheBytes: 0 });
    await found(uncached, 'pool');
    await found(uncached, 'pool');
    expect(embedder.requests).toHaveLength(5);
  });

  it('never finds entries whose vector is zero or contains NaN (contract 32)', async () => {
    const embedder = embedderWith();
    const originalEmbed = embedder.embed.bind(embedder);
    embedder.embed = async (texts, p) => {
      const vectors = await originalEmbed(texts, p);
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

  it('finds an entry after a service with another model changed its text and changed it back', async () => {
    const stores = { store: new InMemoryVectorStore(), entries: new InMemoryMemoryStore() };
    const memory = new VectorMemoryService({ embedder: embedderWith(), ...stores });
    const other = new VectorMemoryService({ embedder: embedderWith({ model: 'hash-2' }), ...stores });
    await memory.addSessionToMemory(sessionOf('a pool', 'a roof'));
    expect(await found(memory, 'a pool')).toEqual(['a pool', 'a roof']);
    for (const text of ['a bar', 'a pool'])
      await other.updateMemory({
        ...user,
        id: '["s1","e0"]',
        change: { content: { role: 'user', parts: [{ text }] } },
      });
    expect(await found(memory, 'a pool')).toEqual(['a pool', 'a roof']);
    expect((await memory.searchMemory({ ...user, query: 'a pool' })).vectorsMissing).toBeUndefined();
  });

  it('computes vectors again after a change of the model, and compares only one model', async () => {
    const embedder = embedderWith();
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
    ]);
  });

  it('uses vectors of the new model that another process has computed', async () => {
    const stores = { store: new InMemoryVectorStore(), entries: new InMemoryMemoryStore() };
    const embedders = [embedderWith(), embedderWith()];
    const [first, second] = embedders.map((embedder) => new VectorMemoryService({ embedder, ...stores }));
    await first!.addSessionToMemory(sessionOf('a pool', 'a bar'));
    expect((await found(second!, 'bar'))[0]).toBe('a bar');
    for (const embedder of embedders) Object.assign(embedder, { model: 'hash-2' });
    for (const memory of [first!, second!]) expect((await found(memory, 'pool'))[0]).toBe('a pool');
    expect(embedders.map(({ requests }) => requests.filter(({ task }) => task === 'document').length)).toEqual([2, 0]);
  });

  it('keeps the vectors of processes with other models that share its stores', async () => {
    const stores = { store: new InMemoryVectorStore(), entries: new InMemoryMemoryStore() };
    const embedders = [embedderWith(), embedderWith({ model: 'hash-2', dimensions: 512 })];
    const open = (): VectorMemoryService[] =>
      embedders.map((embedder) => new VectorMemoryService({ embedder, ...stores }));
    const ids = new Set<string>();
    for (const [i, memory] of open().entries()) {
      await memory.addSessionToMemory(sessionOf('a pool', 'a bar', `the roof ${i}`));
      for (const each of (await memory.listMemories(user)).memories) ids.add(each.id);
    }
    for (const memory of open()) {
      const { memories, vectorsMissing } = await memory.searchMemory({ ...user, query: 'bar' });
      expect([memories[0]!.eventId, vectorsMissing]).toEqual(['e1', undefined]);
    }
    for (const { requests } of embedders) requests.length = 0;
    for (const memory of [...open(), ...open()]) await memory.searchMemory({ ...user, query: 'bar' });
    expect(embedders.flatMap(({ requests }) => requests.map(({ task }) => task))).toEqual(Array(4).fill('query'));
    await open()[0]!.deleteUserMemory(user);
    for (const { model, dimensions } of embedders)
      expect(await stores.store.has(user, { model: `${model}@${dimensions}`, ids: [...ids] })).toEqual([]);
  });

  it('finds entries by words while vectors of a new model are missing', async () => {
    const embedder = embedderWith();
    const runtime = new FixedRuntime();
    const memory = new VectorMemoryService({ embedder, runtime, maxAttempts: 1 });
    await memory.addSessionToMemory(sessionOf('a pool', 'a bar', 'a roof'));
    const originalEmbed = embedder.embed.bind(embedder);
    embedder.embed = (texts, p) =>
      p.task === 'document' ? Promise.reject(new Error('down')) : originalEmbed(texts, p);
    Object.assign(embedder, { model: 'hash-2' });
    const { memories, vectorsMissing } = await memory.searchMemory({ ...user, query: 'the bar' });
    expect([memories[0]!.eventId, memories[0]!.score, vectorsMissing]).toEqual(['e1', 1, 3]);
  });

  it('embeds a limited number of entries per search after a change of the model', async () => {
    const embedder = embedderWith();
    const memory = new VectorMemoryService({ embedder });
    await memory.addSessionToMemory(sessionOf(...Array.from({ length: 50 }, (_, i) => `pool ${i}`)));
    Object.assign(embedder, { model: 'hash-2' });
    const missing = async (): Promise<number | undefined> =>
      (await memory.searchMemory({ ...user, query: 'pool' })).vectorsMissing;
    expect([await missing(), await missing()]).toEqual([18, undefined]);
  });

  it('searches by words while an ingestion embeds more entries than a search would', async () => {
    const started = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const embedder = embedderWith();
    const embed = embedder.embed.bind(embedder);
    embedder.embed = async (texts, p) => {
      if (p.task === 'document' && texts.some((text) => text.startsWith('Note'))) {
        started.resolve();
        await gate.promise;
      }
      return embed(texts, p);
    };
    const memory = new VectorMemoryService({ embedder, maxConcurrentBatches: 20 });
    await memory.addMemory({ ...user, memory: 'Likes tea.' });
    const notes = Array.from({ length: 33 }, (_, i) => ({
      kind: 'note' as const,
      content: { parts: [{ text: `Note ${i}` }] },
    }));
    const ingestion = memory.addMemory({ ...user, memories: notes });
    await started.promise;
    const { memories, vectorsMissing } = await memory.searchMemory({ ...user, query: 'Note 7', limit: 1 });
    expect([memories[0]!.content.parts, vectorsMissing]).toEqual([[{ text: 'Note 7' }], 33]);
    expect(await found(memory, 'Likes tea.', { limit: 1 })).toEqual(['Likes tea.']);
    gate.resolve();
    await ingestion;
    expect((await memory.searchMemory({ ...user, query: 'Note 7' })).vectorsMissing).toBeUndefined();
  });

  it('deletes vectors with their entries, by every kind of deletion', async () => {
    const store = new InMemoryVectorStore();
    const embedder = embedderWith();
    const memory = new VectorMemoryService({ embedder, store });
    const countVectors = async (userId = 'alice'): Promise<number> => {
      const [vector] = await embedder.embed(['a'], { task: 'query' });
      const model = `${embedder.model}@${embedder.dimensions}`;
      return (await store.query({ ...user, userId }, { model, vector: vector!, limit: 100 })).length;
    };
    await memory.addSessionToMemory(sessionOf('a pool', 'a bar', 'a roof'));
    await memory.addSessionToMemory({ ...sessionOf('a bed', 'a door'), id: 's2' });
    await memory.addSessionToMemory({ ...sessionOf('a bed'), userId: 'bob' });
    expect([await countVectors(), await countVectors('bob')]).toEqual([5, 1]);
    const { memories } = await memory.listMemories(user);
    await memory.deleteMemory({ ...user, ids: [memories[0]!.id] });
    expect(await countVectors()).toBe(4);
    await memory.deleteSessionMemory({ ...user, sessionId: 's2' });
    expect(await countVectors()).toBe(2);
    await memory.deleteUserMemory(user);
    expect([await countVectors(), await countVectors('bob')]).toEqual([0, 1]);
  });

  it('stores no vector of an entry that is deleted while it is embedded', async () => {
    const store = new InMemoryVectorStore();
    const embedder = embedderWith();
    const originalEmbed = embedder.embed.bind(embedder);
    const memory = new VectorMemoryService({ embedder, store });
    embedder.embed = async (texts, p) => {
      if (texts.includes('a secret')) await memory.deleteUserMemory(user);
      return originalEmbed(texts, p);
    };
    await memory.addSessionToMemory(sessionOf('a secret'));
    const [vector] = await originalEmbed(['a secret'], { task: 'query' });
    expect(await store.query(user, { model: 'hash@1024', vector: vector!, limit: 5 })).toEqual([]);
    expect(await found(memory, 'a secret')).toEqual([]);
  });

  // Two services over the same stores behave like two processes.
  const createTwoProcesses = (
    at: 'embed' | 'upsert',
    change: (other: VectorMemoryService) => Promise<unknown>,
    otherEmbedder = embedderWith(),
  ) => {
    const [store, entries] = [new InMemoryVectorStore(), new InMemoryMemoryStore()];
    const slow = embedderWith();
    const other = new VectorMemoryService({ embedder: otherEmbedder, store, entries });
    let done: Promise<unknown> | undefined;
    const withChange = <A extends unknown[], R>(work: (...args: A) => Promise<R>, when: 'before' | 'after') => {
      return async (...args: A): Promise<R> => {
        if (when === 'before') await (done ??= change(other));
        const answer = await work(...args);
        if (when === 'after') await (done ??= change(other));
        return answer;
      };
    };
    const slowStore = Object.assign(Object.create(store) as VectorStore, {
      upsert: withChange(store.upsert.bind(store), 'after'),
      query: store.query.bind(store),
      delete: store.delete.bind(store),
      has: store.has.bind(store),
    });
    if (at === 'embed') slow.embed = withChange(slow.embed.bind(slow), 'before');
    const first = new VectorMemoryService({ embedder: slow, store: at === 'upsert' ? slowStore : store, entries });
    return { first, other, store };
  };

  const cosines = async (store: VectorStore, text: string): Promise<number[]> => {
    const [vector] = await new HashEmbedder().embed([text], { task: 'query' });
    const rows = await store.query(user, { model: 'hash@1024', vector: vector!, limit: 10 });
    return rows.map(({ score }) => Math.round(score * 1000) / 1000);
  };

  for (const at of ['embed', 'upsert'] as const) {
    it(`stores no vector of an entry that another process deletes during ${at} (contract 31)`, async () => {
      for (const forget of [
        (other: VectorMemoryService) => other.deleteUserMemory(user),
        (other: VectorMemoryService) => other.deleteSessionMemory({ ...user, sessionId: 's1' }),
        (other: VectorMemoryService) => other.deleteMemory({ ...user, ids: ['["s1","e0"]'] }),
      ]) {
        const { first, store } = createTwoProcesses(at, forget);
        await first.addSessionToMemory(sessionOf('a secret'));
        expect(await cosines(store, 'a secret')).toEqual([]);
        expect(await found(first, 'a secret')).toEqual([]);
      }
    });

    it(`stores no vector of a text that another process changes during ${at}`, async () => {
      const change = { content: { parts: [{ text: 'roof garden' }] } };
      const { first, other, store } = createTwoProcesses(at, (by) =>
        by.updateMemory({ ...user, id: '["s1","e0"]', change }),
      );
      await first.addSessionToMemory(sessionOf('a secret'));
      expect([await cosines(store, 'roof garden'), await cosines(store, 'a secret')]).toEqual([[1], [0]]);
      for (const memory of [first, other]) {
        const { memories, vectorsMissing } = await memory.searchMemory({ ...user, query: 'roof garden' });
        expect([memories[0]!.score, vectorsMissing]).toEqual([expect.closeTo(1, 5), undefined]);
      }
    });
  }

  it('keeps the vector that a process with another model stores for a changed text', async () => {
    for (const at of ['embed', 'upsert'] as const) {
      const reading: Promise<unknown>[] = [];
      const embedder = embedderWith({ model: 'hash-2' });
      const change = async (by: VectorMemoryService): Promise<void> => {
        const content = { parts: [{ text: 'roof garden' }] };
        await by.updateMemory({ ...user, id: '["s1","e0"]', change: { content } });
        // This process reads the change, and waits until its earlier embedding has ended.
        reading.push(first.searchMemory({ ...user, query: 'roof' }));
        await new Promise((resolve) => setTimeout(resolve));
      };
      const { first, other, store } = createTwoProcesses(at, change, embedder);
      await first.addSessionToMemory(sessionOf('a secret'));
      await Promise.all(reading);
      expect([await cosines(store, 'roof garden'), await cosines(store, 'a secret')]).toEqual([[1], [0]]);
      embedder.requests.length = 0;
      const { memories, vectorsMissing } = await other.searchMemory({ ...user, query: 'roof garden' });
      expect([memories[0]!.score, vectorsMissing]).toEqual([expect.closeTo(1, 5), undefined]);
      expect(await store.has(user, { model: 'hash-2@1024', ids: ['["s1","e0"]'] })).toHaveLength(1);
      expect(embedder.requests.map(({ task }) => task)).toEqual(['query']);
    }
  });

  it('removes a vector that another process stores during the deletion (contract 31)', async () => {
    const [store, entries] = [new InMemoryVectorStore(), new InMemoryMemoryStore()];
    const remove = entries.remove.bind(entries);
    const other = new VectorMemoryService({ embedder: embedderWith(), store, entries });
    const forgetting = Object.assign(Object.create(entries) as InMemoryMemoryStore, {
      remove: async (...args: Parameters<typeof remove>) => {
        await other.addEventsToMemory({ ...user, sessionId: 's1', events: sessionOf('a bar', 'a secret').events });
        return remove(...args);
      },
    });
    for (const method of ['put', 'since', 'get', 'list'] as const)
      Object.assign(forgetting, { [method]: entries[method].bind(entries) });
    const memory = new VectorMemoryService({ embedder: embedderWith(), store, entries: forgetting });
    await memory.addSessionToMemory(sessionOf('a bar'));
    expect(await memory.deleteSessionMemory({ ...user, sessionId: 's1' })).toBe(2);
    expect(await cosines(store, 'a secret')).toEqual([]);
  });

  it('evicts indexes over indexBytes, and computes no vector again to reload them', async () => {
    const embedder = embedderWith();
    const store = new InMemoryVectorStore();
    const has = store.has.bind(store);
    let checks = 0;
    store.has = async (...p) => {
      checks++;
      return has(...p);
    };
    const memory = new VectorMemoryService({ embedder, store, indexBytes: 0, cacheBytes: 0 });
    const users = ['ann', 'bob'].map((userId) => ({ ...user, userId }));
    for (const each of users) await memory.addSessionToMemory({ ...sessionOf('a pool', 'a bar'), ...each });
    checks = 0;
    for (const each of [...users, ...users]) {
      const { memories, vectorsMissing } = await memory.searchMemory({ ...each, query: 'a bar', limit: 1 });
      expect([memories[0]!.content.parts![0]!.text, vectorsMissing]).toEqual(['a bar', undefined]);
    }
    expect(embedder.requests.filter(({ task }) => task === 'document')).toHaveLength(users.length);
    expect(checks, 'each search builds an index again').toBe(4);
    await memory.deleteUserMemory(users[0]!);
    expect((await memory.searchMemory({ ...users[0]!, query: 'a bar' })).memories).toEqual([]);
  });

  it('computes no vector that the store has already', async () => {
    const stores = { store: new InMemoryVectorStore(), entries: new InMemoryMemoryStore() };
    const first = new VectorMemoryService({ embedder: embedderWith(), ...stores });
    await first.addSessionToMemory(sessionOf('a pool', 'a bar'));
    const embedder = embedderWith();
    const second = new VectorMemoryService({ embedder, ...stores });
    expect((await found(second, 'bar'))[0]).toBe('a bar');
    expect(embedder.requests.map(({ task }) => task)).toEqual(['query']);
  });

  it('returns limit results for a selective filter, also from a store without filters', async () => {
    const filtering = new InMemoryVectorStore();
    const store: VectorStore = {
      specVersion: 1,
      upsert: (...p) => filtering.upsert(...p),
      query: (scope, p) => filtering.query(scope, { ...p, accepts: undefined }),
      delete: (...p) => filtering.delete(...p),
    };
    for (const each of [store, filtering]) {
      const memory = new VectorMemoryService({ embedder: new HashEmbedder({ dimensions: 64 }), store: each });
      await memory.addSessionToMemory(sessionOf(...Array.from({ length: 500 }, (_, i) => `pool ${i}`)));
      await memory.addSessionToMemory({ ...sessionOf('no such thing', 'a roof over us'), id: 's2' });
      const memories = await found(memory, 'pool', { filter: { sessionId: 's2' } });
      expect(memories.toSorted()).toEqual(['a roof over us', 'no such thing']);
      await memory.deleteUserMemory(user);
    }
  });

  it('ranks by words and cosine with hybrid, and finds entries by words or by cosine', async () => {
    // An embedder that only detects if a text is about water.
    const waterEmbedder: Embedder = {
      specVersion: 1,
      model: 'water',
      dimensions: 2,
      maxBatch: 10,
      embed: async (texts) => texts.map((text) => Float32Array.of(/pool|swim|lake/i.test(text) ? 1 : 0.2, 1)),
    };
    const texts = ['Room 714 has a view.', 'The lake is near.', 'We dine at eight.'];
    const best = async (options: object, query: string, more: object = {}): Promise<string[]> => {
      const memory = new VectorMemoryService({ embedder: waterEmbedder, ...options });
      await memory.addSessionToMemory(sessionOf(...texts));
      return found(memory, query, { limit: 1, ...more });
    };
    expect(await best({ ranking: 'hybrid' }, 'May I swim?')).toEqual([texts[1]]);
    expect(await best({ ranking: 'hybrid' }, 'Swim from room 714?')).toEqual([texts[0]]);
    expect(await best({ ranking: 'vector' }, 'Swim from room 714?')).toEqual([texts[1]]);
    expect(await best({ ranking: 'hybrid', vectorWeight: 50 }, 'Swim from room 714?')).toEqual([texts[1]]);
    expect(await best({ ranking: 'hybrid' }, 'Swim from room 714?', { limit: 5, minScore: 0.9 })).toEqual([texts[0]]);
  });

  it('ranks by words and reports vectorsMissing with hybrid if the query cannot be embedded', async () => {
    const embedder = embedderWith();
    const memory = new VectorMemoryService({ embedder, ranking: 'hybrid', maxAttempts: 1 });
    await memory.addSessionToMemory(sessionOf('a pool', 'a bar'));
    embedder.embed = () => Promise.reject(new Error('down'));
    const { memories, vectorsMissing } = await memory.searchMemory({ ...user, query: 'bar' });
    expect([memories[0]!.eventId, vectorsMissing]).toEqual(['e1', 2]);
  });

  it('embeds an entry again only if its text changes', async () => {
    const embedder = embedderWith();
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

  it('stops embedding and throws the reason of an aborted signal, and keeps the entry', async () => {
    const controller = new AbortController();
    const embedder = embedderWith();
    const originalEmbed = embedder.embed.bind(embedder);
    const memory = new VectorMemoryService({ embedder });
    embedder.embed = () => {
      controller.abort(new Error('enough'));
      return new Promise(() => {});
    };
    await expect(memory.addSessionToMemory(sessionOf('a pool'), { signal: controller.signal })).rejects.toThrow(
      'enough',
    );
    embedder.embed = originalEmbed;
    expect((await memory.listMemories(user)).memories).toHaveLength(1);
  });

  it('throws for an invalid embedder or store, and for numbers out of range', () => {
    expect(() => new VectorMemoryService({ embedder: {} as Embedder })).toThrow('embedder must be an Embedder');
    for (const [options, message] of [
      [{ embedder: embedderWith({ model: '' }) }, 'embedder.model must'],
      [{ embedder: embedderWith({ model: 7 as never }) }, 'embedder.model must be'],
      [{ embedder: embedderWith({ dimensions: 0 }) }, 'embedder.dimensions must be'],
      [{ embedder: embedderWith({ maxBatch: undefined as never }) }, 'embedder.maxBatch must be'],
      [{ embedder: embedderWith({ maxBatch: Number.NaN }) }, 'embedder.maxBatch must be'],
      [{ store: {} }, 'store must be a VectorStore'],
      [{ entries: {} }, 'entries must be a MemoryStore'],
      [{ ranking: 'best' }, 'ranking must be'],
      [{ vectorWeight: -1 }, 'vectorWeight must be'],
      [{ maxConcurrentBatches: 0 }, 'maxConcurrentBatches must be'],
      [{ maxAttempts: 0 }, 'maxAttempts must be'],
      [{ cacheBytes: -1 }, 'cacheBytes must be'],
      [{ topk: 3 }, 'topk'],
    ] as const) {
      const make = (): VectorMemoryService =>
        new VectorMemoryService({ embedder: embedderWith(), ...(options as object) });
      expect(make).toThrow(message);
      expect(make).toSatisfy(() => {
        try {
          make();
          return false;
        } catch (error) {
          return TholeError.is(error, 'INVALID_INPUT');
        }
      });
    }
  });
});

describe('VectorMemoryService.close', () => {
  it('closes the stores that can be closed', async () => {
    const closed: string[] = [];
    const entries = Object.assign(new InMemoryMemoryStore(), { close: async () => void closed.push('entries') });
    const store = Object.assign(new InMemoryVectorStore(), { close: async () => void closed.push('store') });
    await new VectorMemoryService({ embedder: new HashEmbedder(), entries, store }).close();
    await new VectorMemoryService({ embedder: new HashEmbedder() }).close();
    expect(closed).toEqual(['entries', 'store']);
  });
});
