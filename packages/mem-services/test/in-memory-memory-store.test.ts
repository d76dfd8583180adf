import type { MemoryEntry } from '@thole/core';
import { InMemoryMemoryStore } from '@thole/mem-services';
import { StoredMemoryService } from '@thole/recall';
import type { MemoryRanking } from '@thole/recall';
import { describe, expect, it } from 'vitest';

const user = { appName: 'hotel', userId: 'alice' };

function note(id: string, text: string = id, more: Partial<MemoryEntry> = {}): MemoryEntry {
  return { id, kind: 'note', content: { parts: [{ text }] }, timestamp: 10, ...more };
}

async function log(store: InMemoryMemoryStore, seq = 0, limit = 100): Promise<string[]> {
  const { changes } = await store.since(user, seq, limit);
  return changes.map((change) => `${change.seq} ${'removed' in change ? `-${change.removed}` : change.entry.id}`);
}

describe('InMemoryMemoryStore', () => {
  it('numbers writes and removals 1, 2, 3 …, and tells of each id once, at its last', async () => {
    const store = new InMemoryMemoryStore();
    expect(await store.put(user, [note('a'), note('b'), note('c')], 'ifAbsent')).toEqual({
      written: ['a', 'b', 'c'],
      seq: 3,
    });
    await store.put(user, [note('a')], 'replace');
    await store.remove(user, { ids: ['b', 'nobody'] }, 0);
    expect(await log(store)).toEqual(['3 c', '4 a', '5 -b']);
    expect(await log(store, 3)).toEqual(['4 a', '5 -b']);
    expect(await log(store, 5)).toEqual([]);
  });

  it('answers a long log in pieces and says when there is more', async () => {
    const store = new InMemoryMemoryStore();
    await store.put(user, [note('a'), note('b'), note('c')], 'ifAbsent');
    expect(await store.since(user, 0, 2)).toMatchObject({ more: true, changes: [{ seq: 1 }, { seq: 2 }] });
    expect(await store.since(user, 2, 2)).toMatchObject({ more: false, changes: [{ seq: 3 }] });
    expect(await store.since(user, 0, 3)).toMatchObject({ more: false });
  });

  it('skips by mode what is there, what was deleted, what is too old, and what is not there (contract 31)', async () => {
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

  it('shows no text of what was removed, and neither keeps nor freezes the object that came in', async () => {
    const store = new InMemoryMemoryStore();
    const came = note('a', 'a secret');
    await store.put(user, [came], 'ifAbsent');
    came.content.parts![0]!.text = 'changed';
    expect((await store.get(user, ['a']))[0]!.entry.content.parts).toEqual([{ text: 'a secret' }]);
    await store.remove(user, { ids: ['a'] }, 0);
    expect(await store.get(user, ['a'])).toEqual([]);
    expect(await store.list(user, { limit: 10 })).toEqual({ memories: [] });
    expect(JSON.stringify(await store.since(user, 0, 10))).not.toContain('secret');
  });

  it('stays small under writes to the same entries', async () => {
    const store = new InMemoryMemoryStore();
    for (let i = 0; i < 1_000; i++) await store.put(user, [note('a', `text ${i}`)], 'replace');
    expect(await log(store)).toEqual(['1000 a']);
  });

  it('counts deletions, each entry once', async () => {
    const store = new InMemoryMemoryStore();
    await store.put(user, [note('a'), note('b', 'b', { sessionId: 's' })], 'ifAbsent');
    expect(await store.remove(user, { sessionId: 's' }, 0)).toBe(1);
    expect(await store.remove(user, 'everything', 0)).toBe(1);
    expect(await store.remove(user, 'everything', 0)).toBe(0);
    expect((await store.since(user, 0, 10)).removals).toBe(2);
  });
});

describe('the derived index', () => {
  function counting(): MemoryRanking & { made: number; puts: number } {
    return {
      made: 0,
      puts: 0,
      createIndex() {
        this.made++;
        return { bytes: 10_000, put: () => void this.puts++, remove: () => {}, rank: async () => [] };
      },
    };
  }

  async function fill(store: InMemoryMemoryStore, users: number): Promise<void> {
    for (let i = 0; i < users; i++) await store.put({ appName: 'hotel', userId: `u${i}` }, [note('a')], 'ifAbsent');
  }

  it('reads only what is new in the log', async () => {
    const store = new InMemoryMemoryStore();
    const ranking = counting();
    const memory = new StoredMemoryService(store, { ranking });
    await store.put(user, [note('a'), note('b')], 'ifAbsent');
    for (let i = 0; i < 5; i++) await memory.searchMemory({ ...user, query: 'x' });
    expect([ranking.made, ranking.puts]).toEqual([1, 2]);
    await store.put(user, [note('c')], 'ifAbsent');
    await Promise.all([memory.searchMemory({ ...user, query: 'x' }), memory.searchMemory({ ...user, query: 'x' })]);
    expect([ranking.made, ranking.puts]).toEqual([1, 3]);
  });

  it('lets the least recently used go when the budget of bytes is full, and makes theirs again', async () => {
    const store = new InMemoryMemoryStore();
    const ranking = counting();
    const memory = new StoredMemoryService(store, { ranking, indexBytes: 25_000 });
    await fill(store, 3);
    const ask = (i: number): Promise<unknown> => memory.searchMemory({ appName: 'hotel', userId: `u${i}`, query: 'x' });
    for (const i of [0, 1, 0, 1]) await ask(i);
    expect(ranking.made).toBe(2);
    for (const i of [0, 2, 0]) await ask(i);
    expect(ranking.made).toBe(3);
    await ask(1);
    expect(ranking.made).toBe(4);
  });

  it('does not lose its place when the store fails in the middle', async () => {
    const store = new InMemoryMemoryStore();
    const ranking = counting();
    const memory = new StoredMemoryService(store, { ranking });
    await store.put(user, [note('a')], 'ifAbsent');
    const since = store.since.bind(store);
    store.since = () => Promise.reject(new Error('gone'));
    await expect(memory.searchMemory({ ...user, query: 'x' })).rejects.toThrow('gone');
    store.since = since;
    await memory.searchMemory({ ...user, query: 'x' });
    expect(ranking.puts).toBe(1);
  });

  it('refuses options that cannot be', () => {
    for (const options of [{ topK: 0 }, { topK: 1.5 }, { minScore: NaN }, { indexBytes: -1 }]) {
      expect(() => new StoredMemoryService(new InMemoryMemoryStore(), options)).toThrow(Object.keys(options)[0]);
    }
  });
});
