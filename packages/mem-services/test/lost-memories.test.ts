import { textOf } from '@thole/core';
import type { MemoryChanges, MemoryEntry, MemoryScope, MemoryStore } from '@thole/core';
import { InMemoryMemoryStore, InMemoryVectorStore, VectorMemoryService } from '@thole/mem-services';
import { StoredMemoryService } from '@thole/recall';
import type { MemoryIndex, MemoryRanking } from '@thole/recall';
import { FixedRuntime, HashEmbedder } from '@thole/testing';
import { describe, expect, it, vi } from 'vitest';

const alice = { appName: 'hotel', userId: 'alice' };

/** A store whose data a test can replace, as a restored backup does. */
class ReplaceableStore implements MemoryStore {
  readonly specVersion = 1;
  data = new InMemoryMemoryStore();
  /** Number of calls of `since`. */
  reads = 0;

  get abilities(): MemoryStore['abilities'] {
    return this.data.abilities;
  }
  put: MemoryStore['put'] = (...p) => this.data.put(...p);
  get: MemoryStore['get'] = (...p) => this.data.get(...p);
  list: MemoryStore['list'] = (...p) => this.data.list(...p);
  remove: MemoryStore['remove'] = (...p) => this.data.remove(...p);
  since(scope: MemoryScope, seq: number, limit: number): Promise<MemoryChanges> {
    this.reads++;
    return this.data.since(scope, seq, limit);
  }
}

function note(id: string, text: string, more: Partial<MemoryEntry> = {}): MemoryEntry {
  return { id, kind: 'note', content: { parts: [{ text }] }, timestamp: 10, ...more };
}

async function find(memory: StoredMemoryService, query: string): Promise<string[]> {
  const { memories } = await memory.searchMemory({ ...alice, query });
  return memories.map(({ content }) => textOf(content));
}

describe('StoredMemoryService', () => {
  it('finds new entries after the store lost all entries', async () => {
    const [store, runtime] = [new ReplaceableStore(), new FixedRuntime()];
    const memory = new StoredMemoryService(store, { runtime });
    await memory.addMemory({ ...alice, memories: [note('a', 'Likes tea.'), note('b', 'Likes tea and cake.')] });
    expect(await find(memory, 'tea')).toHaveLength(2);
    for (const count of [1, 2, 5]) {
      store.data = new InMemoryMemoryStore();
      const memories = Array.from({ length: count }, (_, i) => note(`new${i}`, 'Green tea.'));
      await new StoredMemoryService(store).addMemory({ ...alice, memories });
      expect(await find(memory, 'tea')).toHaveLength(count);
      expect(await find(memory, 'cake')).toEqual([]);
    }
    expect(runtime.logs).toHaveLength(3);
    expect(runtime.logs[0]).toMatchObject({
      level: 'warn',
      message: expect.stringContaining('has lost memory entries'),
    });
  });

  it('finds entries by filter and by time of expiry after the store lost entries', async () => {
    const store = new ReplaceableStore();
    const memory = new StoredMemoryService(store, { runtime: new FixedRuntime() });
    await memory.addMemory({ ...alice, memories: [note('a', 'Likes tea.', { author: 'ann', expiresAt: 1 })] });
    expect(await find(memory, 'tea')).toEqual([]);
    store.data = new InMemoryMemoryStore();
    await store.put(alice, [note('a', 'Likes tea.', { author: 'ben' })], 'replace');
    expect(await find(memory, 'tea')).toEqual(['Likes tea.']);
    const search = async (author: string): Promise<number> =>
      (await memory.searchMemory({ ...alice, query: 'tea', filter: { author } })).memories.length;
    expect([await search('ann'), await search('ben')]).toEqual([0, 1]);
  });

  it('reads the log once per search', async () => {
    const store = new ReplaceableStore();
    const memory = new StoredMemoryService(store);
    await memory.addMemory({ ...alice, memories: [note('a', 'Likes tea.')] });
    for (let i = 1; i <= 3; i++) {
      await find(memory, 'tea');
      expect(store.reads).toBe(i);
    }
  });

  it('logs no loss when all entries are written again or deleted', async () => {
    const runtime = new FixedRuntime();
    const memory = new StoredMemoryService(new ReplaceableStore(), { runtime });
    const notes = (text: string): MemoryEntry[] => Array.from({ length: 70 }, (_, i) => note(`n${i}`, text));
    for (const text of ['Likes tea.', 'Drinks tea.']) {
      await memory.addMemory({ ...alice, memories: notes(text) });
      expect(new Set(await find(memory, 'tea'))).toEqual(new Set([text]));
    }
    await memory.deleteUserMemory(alice);
    expect(await find(memory, 'tea')).toEqual([]);
    expect(runtime.logs).toEqual([]);
  });

  it('does not save an index that may contain lost entries', async () => {
    const [store, ranked, isRestarted] = [
      new ReplaceableStore(),
      Promise.withResolvers<void>(),
      Promise.withResolvers<void>(),
    ];
    const index: MemoryIndex = {
      ...{ bytes: 0, put: () => {}, remove: () => {} },
      async rank() {
        ranked.resolve();
        await isRestarted.promise;
        return [];
      },
      *save() {
        return [['column']];
      },
    };
    const ranking: MemoryRanking = {
      savedAs: 'test',
      createIndex: () => index,
      *loadIndex() {
        return index;
      },
    };
    const memory = new StoredMemoryService(store, { ranking, runtime: new FixedRuntime() });
    const memories = Array.from({ length: 500 }, (_, i) => note(`n${i}`, 'Likes tea.'));
    await memory.addMemory({ ...alice, memories });
    const first = find(memory, 'tea');
    await ranked.promise;
    store.data = new InMemoryMemoryStore();
    await store.put(alice, [note('new', 'Green tea.')], 'replace');
    const since = store.since.bind(store);
    // The first search ends after the second search has found the loss, and before it reads the log again.
    store.since = async (...p) => {
      if (p[1] === 0) {
        isRestarted.resolve();
        await first;
        await new Promise((resolve) => setImmediate(resolve));
        expect(await store.abilities.segmented!.loadSegments(alice)).toEqual([]);
      }
      return since(...p);
    };
    await find(memory, 'tea');
    expect.assertions(1);
  });

  it('ends a search of a store whose log never contains the last changes', async () => {
    const store = new ReplaceableStore();
    const since = store.since.bind(store);
    store.since = async (...p) => ({ ...(await since(...p)), previous: { seq: 1, id: 'other' } });
    const memory = new StoredMemoryService(store, { runtime: new FixedRuntime() });
    await memory.addMemory({ ...alice, memories: [note('a', 'Likes tea.')] });
    expect(await find(memory, 'tea')).toEqual(['Likes tea.']);
  });
});

describe('VectorMemoryService', () => {
  it('does not embed entries again when the newest entries were deleted', async () => {
    const embedder = new HashEmbedder();
    // Without `has`, each entry that is checked is embedded again.
    const store = Object.assign(new InMemoryVectorStore(), { has: undefined });
    const memory = new VectorMemoryService({ embedder, store, runtime: new FixedRuntime() });
    const newest = Array.from({ length: 70 }, (_, i) => note(`n${i}`, 'Likes tea.', { sessionId: 'newest' }));
    await memory.addMemory({ ...alice, memories: [note('old', 'Likes cake.'), ...newest] });
    const embed = vi.spyOn(embedder, 'embed');
    await memory.deleteSessionMemory({ ...alice, sessionId: 'newest' });
    expect(await find(memory, 'cake')).toEqual(['Likes cake.']);
    expect(embed.mock.calls.map(([, { task }]) => task)).toEqual(['query']);
  });

  it('embeds entries again whose vectors or texts were lost, and only these', async () => {
    const [entries, vectors, embedder] = [new ReplaceableStore(), new InMemoryVectorStore(), new HashEmbedder()];
    const memory = new VectorMemoryService({ embedder, entries, store: vectors, runtime: new FixedRuntime() });
    await memory.addMemory({ ...alice, memories: [note('same', 'Likes tea.'), note('vector', 'Likes cake.')] });
    await memory.addMemory({ ...alice, memories: [note('text', 'Likes milk.'), note('lost', 'Likes fish.')] });
    entries.data = new InMemoryMemoryStore();
    await entries.put(alice, [note('same', 'Likes tea.'), note('vector', 'Likes cake.')], 'replace');
    await entries.put(alice, [note('text', 'Likes wine.'), note('new', 'Likes rice.')], 'replace');
    await vectors.delete(alice, ['vector']);
    const embedded: string[] = [];
    const embed = embedder.embed.bind(embedder);
    embedder.embed = (texts, p) => {
      if (p.task === 'document') embedded.push(...texts);
      return embed(texts, p);
    };
    for (const food of ['tea', 'cake', 'wine', 'rice'])
      expect((await find(memory, `Likes ${food}.`))[0]).toContain(food);
    expect(embedded.toSorted()).toEqual(['Likes rice.', 'Likes wine.']);
    const model = `${embedder.model}@${embedder.dimensions}`;
    const stored = await vectors.has(alice, { model, ids: ['same', 'vector', 'text', 'lost', 'new'] });
    expect([...stored].toSorted()).toEqual(['new', 'same', 'text', 'vector']);
  });
});
