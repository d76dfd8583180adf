import type { MemoryEntry, MemoryFilter, IndexSegment } from '@thole/core';
import { InMemoryMemoryStore } from '@thole/mem-services';
import { StoredMemoryService } from '@thole/recall';
import type { MemoryRanking } from '@thole/recall';
import { describe, expect, it } from 'vitest';

const user = { appName: 'hotel', userId: 'alice' };

function note(id: string, text: string = id, more: Partial<MemoryEntry> = {}): MemoryEntry {
  return { id, kind: 'note', content: { parts: [{ text }] }, timestamp: 10, ...more };
}

async function readLog(store: InMemoryMemoryStore, seq = 0, limit = 100): Promise<string[]> {
  const { changes } = await store.since(user, seq, limit);
  return changes.map((change) => `${change.seq} ${'removed' in change ? `-${change.removed}` : change.entry.id}`);
}

describe('InMemoryMemoryStore', () => {
  it('numbers writes and removals 1, 2, 3 …, and returns the latest record of each id', async () => {
    const store = new InMemoryMemoryStore();
    expect(await store.put(user, [note('a'), note('b'), note('c')], 'ifAbsent')).toEqual({
      written: ['a', 'b', 'c'],
      seq: 3,
    });
    await store.put(user, [note('a')], 'replace');
    await store.remove(user, { ids: ['b', 'none'] }, 0);
    expect(await readLog(store)).toEqual(['3 c', '4 a', '5 -b']);
    expect(await readLog(store, 3)).toEqual(['4 a', '5 -b']);
    expect(await readLog(store, 5)).toEqual([]);
  });

  it('returns a long log in pages and reports if there is more', async () => {
    const store = new InMemoryMemoryStore();
    await store.put(user, [note('a'), note('b'), note('c')], 'ifAbsent');
    expect(await store.since(user, 0, 2)).toMatchObject({ more: true, changes: [{ seq: 1 }, { seq: 2 }] });
    expect(await store.since(user, 2, 2)).toMatchObject({ more: false, changes: [{ seq: 3 }] });
    expect(await store.since(user, 0, 3)).toMatchObject({ more: false });
  });

  it('skips existing, deleted, old or missing entries by mode (contract 31)', async () => {
    const store = new InMemoryMemoryStore();
    await store.put(user, [note('a'), note('b')], 'ifAbsent');
    await store.remove(user, { ids: ['b'] }, 0);
    expect((await store.put(user, [note('a'), note('b'), note('c'), note('c')], 'ifAbsent')).written).toEqual(['c']);
    expect((await store.put(user, [note('a'), note('b'), note('d')], 'ifPresent')).written).toEqual(['a']);
    expect((await store.put(user, [note('b')], 'replace')).written).toEqual(['b']);
    await store.remove(user, 'everything', 20);
    const { timestamp: _, ...timeless } = note('z');
    const entries = [note('x', 'x', { timestamp: 20 }), note('y', 'y', { timestamp: 20.5 }), timeless];
    expect((await store.put(user, entries, 'ifAbsent')).written).toEqual(['y', 'z']);
  });

  it('returns no text of removed entries, and neither stores nor freezes the given object', async () => {
    const store = new InMemoryMemoryStore();
    const entry = note('a', 'a secret');
    await store.put(user, [entry], 'ifAbsent');
    entry.content.parts![0]!.text = 'changed';
    expect((await store.get(user, ['a']))[0]!.entry.content.parts).toEqual([{ text: 'a secret' }]);
    await store.remove(user, { ids: ['a'] }, 0);
    expect(await store.get(user, ['a'])).toEqual([]);
    expect(await store.list(user, { limit: 10 })).toEqual({ memories: [] });
    expect(JSON.stringify(await store.since(user, 0, 10))).not.toContain('secret');
  });

  it('keeps only the latest record of an entry that is written often', async () => {
    const store = new InMemoryMemoryStore();
    for (let i = 0; i < 1_000; i++) await store.put(user, [note('a', `text ${i}`)], 'replace');
    expect(await readLog(store)).toEqual(['1000 a']);
  });

  it('counts each deleted entry once', async () => {
    const store = new InMemoryMemoryStore();
    await store.put(user, [note('a'), note('b', 'b', { sessionId: 's' })], 'ifAbsent');
    expect(await store.remove(user, { sessionId: 's' }, 0)).toBe(1);
    expect(await store.remove(user, 'everything', 0)).toBe(1);
    expect(await store.remove(user, 'everything', 0)).toBe(0);
    expect((await store.since(user, 0, 10)).removals).toBe(2);
  });
});

describe('the index of StoredMemoryService', () => {
  function createRanking(): MemoryRanking & { created: number; puts: number } {
    return {
      created: 0,
      puts: 0,
      createIndex() {
        this.created++;
        return { bytes: 10_000, put: () => void this.puts++, remove: () => {}, rank: async () => [] };
      },
    };
  }

  async function fill(store: InMemoryMemoryStore, users: number): Promise<void> {
    for (let i = 0; i < users; i++) await store.put({ appName: 'hotel', userId: `u${i}` }, [note('a')], 'ifAbsent');
  }

  it('reads only new records of the log', async () => {
    const store = new InMemoryMemoryStore();
    const ranking = createRanking();
    const memory = new StoredMemoryService(store, { ranking });
    await store.put(user, [note('a'), note('b')], 'ifAbsent');
    for (let i = 0; i < 5; i++) await memory.searchMemory({ ...user, query: 'x' });
    expect([ranking.created, ranking.puts]).toEqual([1, 2]);
    await store.put(user, [note('c')], 'ifAbsent');
    await Promise.all([memory.searchMemory({ ...user, query: 'x' }), memory.searchMemory({ ...user, query: 'x' })]);
    expect([ranking.created, ranking.puts]).toEqual([1, 3]);
  });

  it('evicts the least recently used index when indexBytes is reached, and builds it again', async () => {
    const store = new InMemoryMemoryStore();
    const ranking = createRanking();
    const memory = new StoredMemoryService(store, { ranking, indexBytes: 25_000 });
    await fill(store, 3);
    const search = (i: number): Promise<unknown> =>
      memory.searchMemory({ appName: 'hotel', userId: `u${i}`, query: 'x' });
    for (const i of [0, 1, 0, 1]) await search(i);
    expect(ranking.created).toBe(2);
    for (const i of [0, 2, 0]) await search(i);
    expect(ranking.created).toBe(3);
    await search(1);
    expect(ranking.created).toBe(4);
  });

  it('continues at the same place of the log after the store has failed', async () => {
    const store = new InMemoryMemoryStore();
    const ranking = createRanking();
    const memory = new StoredMemoryService(store, { ranking });
    await store.put(user, [note('a')], 'ifAbsent');
    const since = store.since.bind(store);
    store.since = () => Promise.reject(new Error('gone'));
    await expect(memory.searchMemory({ ...user, query: 'x' })).rejects.toThrow('gone');
    store.since = since;
    await memory.searchMemory({ ...user, query: 'x' });
    expect(ranking.puts).toBe(1);
  });

  it('throws for options out of range', () => {
    for (const options of [{ topK: 0 }, { topK: 1.5 }, { minScore: NaN }, { indexBytes: -1 }]) {
      expect(() => new StoredMemoryService(new InMemoryMemoryStore(), options)).toThrow(Object.keys(options)[0]);
    }
  });
});

describe('the saved index of StoredMemoryService', () => {
  const many = Array.from({ length: 600 }, (_, i) =>
    note(`n${i}`, `Note ${i} about ${['chess', 'boats', 'tea'][i % 3]} and ${i % 7} friends.`, {
      timestamp: i,
      sessionId: `s${i % 20}`,
      author: i % 2 === 0 ? 'Ada' : 'Bob',
      customMetadata: { even: i % 2 === 0 },
    }),
  );

  /** Returns a store with a saved index, a search over it, and the count of log records that were read since the save. */
  async function createSavedIndex(): Promise<{ store: InMemoryMemoryStore; read: () => number; search: Search }> {
    const store = new InMemoryMemoryStore();
    await store.put(user, many, 'ifAbsent');
    const search: Search = async (p) =>
      (
        await new StoredMemoryService(store).searchMemory({
          ...user,
          query: 'chess with Ada',
          limit: 50,
          explain: true,
          ...p,
        })
      ).memories;
    await search();
    await segmentIn(store);
    let read = 0;
    const since = store.since.bind(store);
    store.since = async (...p) => {
      const answer = await since(...p);
      read += answer.changes.length;
      return answer;
    };
    return { store, read: () => read, search };
  }

  type Search = (p?: { query?: string; filter?: MemoryFilter }) => Promise<MemoryEntry[]>;

  const polling = { interval: 1, timeout: 20_000 };
  /** Waits for the segment that is saved after the search, in as many event loop turns as the machine needs. */
  const segmentIn = (store: InMemoryMemoryStore): Promise<void> =>
    expect.poll(() => store.abilities.segmented.loadSegments(user), polling).toHaveLength(1);
  const withoutSegments = (store: InMemoryMemoryStore): InMemoryMemoryStore =>
    Object.assign(Object.create(store) as InMemoryMemoryStore, {
      abilities: {},
      since: store.since.bind(store),
      get: store.get.bind(store),
    });

  it.each(['updateMemory', 'addMemory'] as const)(
    'contains no text that %s has replaced, and is saved again by the next search (contract 31)',
    async (method) => {
      const { store, search } = await createSavedIndex();
      const service = new StoredMemoryService(store);
      const write = async (text: string): Promise<void> => {
        const content = { parts: [{ text }] };
        if (method === 'addMemory')
          await service.addMemory({ ...user, memories: [{ id: 'n5', kind: 'note', content, timestamp: 5 }] });
        else await service.updateMemory({ ...user, id: 'n5', change: { content } });
      };
      const bytes = async (): Promise<string> =>
        (await store.abilities.segmented.loadSegments(user)).map((one) => new TextDecoder().decode(one.bytes)).join();
      await service.searchMemory({ ...user, query: 'chess' });
      await write('The xylophone is a secret.');
      await service.searchMemory({ ...user, query: 'chess' });
      await expect.poll(bytes, polling).toContain('xylophon');
      await write('There is none.');
      expect(await bytes()).not.toContain('xylophon');
      expect(await search({ query: 'xylophone' })).toEqual([]);
      await service.searchMemory({ ...user, query: 'chess' });
      await expect.poll(bytes, polling).toContain('chess');
      expect(await bytes()).not.toContain('xylophon');
    },
  );

  it('is loaded instead of the log, with the same results and scores', async () => {
    const { store, read, search } = await createSavedIndex();
    const found = await search();
    expect(read()).toBe(0);
    const unsaved = new StoredMemoryService(withoutSegments(store));
    const filter = { author: 'Ada', metadata: { even: true }, from: 100 };
    expect(found).toEqual(
      (await unsaved.searchMemory({ ...user, query: 'chess with Ada', limit: 50, explain: true })).memories,
    );
    expect(read()).toBe(600);
    expect(await search({ filter })).toEqual(
      (await unsaved.searchMemory({ ...user, query: 'chess with Ada', limit: 50, explain: true, filter })).memories,
    );
  });

  it('contains no text of an entry', async () => {
    const { store } = await createSavedIndex();
    const [segment] = await store.abilities.segmented.loadSegments(user);
    const bytes = new TextDecoder().decode(segment!.bytes);
    expect(bytes).toContain('chess');
    expect(bytes).not.toContain('about chess');
    expect(bytes).not.toContain('Note 3');
  });

  it('is updated with entries that were written later', async () => {
    const { store, read, search } = await createSavedIndex();
    await store.put(user, [note('new', 'A chess club.'), note('n0', 'No more of it.')], 'replace');
    const found = (await search({ query: 'chess club' })).map(({ id }) => id);
    expect(found[0]).toBe('new');
    expect(found).not.toContain('n0');
    expect(read()).toBe(2);
  });

  it('is removed by a deletion, and an older index is not saved afterwards (contract 31)', async () => {
    const { store, read, search } = await createSavedIndex();
    const [before] = await store.abilities.segmented.loadSegments(user);
    await store.remove(user, { ids: ['n0'] }, 0);
    expect(await store.abilities.segmented.loadSegments(user)).toEqual([]);
    expect(await store.abilities.segmented.saveSegment(user, before!, { ifRemovals: 0 })).toBe(false);
    expect((await search()).map(({ id }) => id)).not.toContain('n0');
    expect(read()).toBe(600);
    await segmentIn(store);
    const [after] = await store.abilities.segmented.loadSegments(user);
    expect(after!.upTo).toBe(601);
  });

  it.each([
    [
      'broken',
      (segment: IndexSegment): IndexSegment => ({
        ...segment,
        bytes: segment.bytes.map((byte, i) => (i === 99 ? byte ^ 1 : byte)),
      }),
    ],
    ['cut', (segment: IndexSegment): IndexSegment => ({ ...segment, bytes: segment.bytes.slice(0, 500) })],
    ['of another analyzer', (segment: IndexSegment): IndexSegment => ({ ...segment, analyzer: 'another' })],
  ])('is built again, with the same results, if it is %s', async (_, change) => {
    const { store, read, search } = await createSavedIndex();
    const found = await search();
    const { segmented } = store.abilities;
    const load = segmented.loadSegments;
    segmented.loadSegments = async (scope) => (await load(scope)).map(change);
    expect(await search()).toEqual(found);
    expect(read()).toBe(600);
  });

  it('is built again, with the same results, if the store cannot load or save it', async () => {
    const { store, read, search } = await createSavedIndex();
    const found = await search();
    store.abilities.segmented.loadSegments = () => Promise.reject(new Error('gone'));
    store.abilities.segmented.saveSegment = () => Promise.reject(new Error('gone'));
    expect(await search()).toEqual(found);
    expect(read()).toBe(600);
  });

  it('is stored per user (contract 30)', async () => {
    const { store } = await createSavedIndex();
    expect(await store.abilities.segmented.loadSegments({ ...user, userId: 'bob' })).toEqual([]);
    expect(await store.abilities.segmented.loadSegments({ ...user, appName: 'inn' })).toEqual([]);
  });
});
