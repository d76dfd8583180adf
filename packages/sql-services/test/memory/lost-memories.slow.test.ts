import { DatabaseSync } from 'node:sqlite';
import { textOf } from '@thole/core';
import type { MemoryEntry } from '@thole/core';
import { StoredMemoryService } from '@thole/recall';
import { SqlMemoryStore } from '@thole/sql-services';
import { FixedRuntime } from '@thole/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sqliteFiles } from '../support/sqlite-files.ts';

const files = sqliteFiles();
const alice = { appName: 'hotel', userId: 'alice' };
const tables = ['thole_memory_scopes', 'thole_memory_entries', 'thole_memory_segments'];

function note(id: string, text: string): MemoryEntry {
  return { id, kind: 'note', content: { parts: [{ text }] }, timestamp: 10 };
}

async function find(memory: StoredMemoryService, query: string): Promise<string[]> {
  const { memories } = await memory.searchMemory({ ...alice, query });
  return memories.map(({ content }) => textOf(content));
}

/** Returns a store, and functions that save and restore its tables while the store is open. */
function openStore(): { store: SqlMemoryStore; save: () => void; restore: () => void; exec: (sql: string) => void } {
  const { path, dbUrl } = files.next();
  const store = new SqlMemoryStore({ dbUrl });
  const other = new DatabaseSync(path);
  onTestFinished(async () => {
    other.close();
    await store.close();
  });
  const copyAll = (copy: (table: string) => string): void =>
    other.exec(`BEGIN IMMEDIATE; ${tables.map(copy).join('; ')}; COMMIT`);
  return {
    store,
    save: () => copyAll((table) => `CREATE TABLE saved_${table} AS SELECT * FROM ${table}`),
    restore: () => copyAll((table) => `DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM saved_${table}`),
    exec: (sql) => other.exec(sql),
  };
}

describe('SqlMemoryStore', () => {
  it('lets a search find new entries after its tables were restored', async () => {
    for (const count of [0, 1, 2, 5]) {
      const { store, save, restore } = openStore();
      const memory = new StoredMemoryService(store, { runtime: new FixedRuntime() });
      await memory.addMemory({ ...alice, memories: [note('a', 'Likes tea.'), note('profile', 'Is Ann.')] });
      save();
      await memory.addMemory({ ...alice, memories: [note('lost', 'Likes coffee.')] });
      await memory.addMemory({ ...alice, memories: [note('profile', 'Is Ann Lee.')] });
      await memory.deleteMemory({ ...alice, ids: ['a'] });
      expect(await find(memory, 'tea coffee Lee')).toHaveLength(2);
      restore();
      const other = new StoredMemoryService(store);
      for (let i = 0; i < count; i++) {
        await other.addMemory({ ...alice, memories: [note(`new${i}`, 'Green tea.')] });
        await other.addMemory({ ...alice, memories: [note('profile', 'Is Ann.')] });
      }
      expect(await find(memory, 'tea')).toHaveLength(1 + count);
      expect([await find(memory, 'coffee'), await find(memory, 'Lee')]).toEqual([[], []]);
    }
  });

  it('does not let a saved index hide entries after the entries were restored', async () => {
    const { store, save, restore } = openStore();
    const memories = Array.from({ length: 600 }, (_, i) => note(`n${i}`, `Guest ${i} likes tea.`));
    await store.put(alice, memories, 'ifAbsent');
    save();
    await store.put(alice, [note('lost', 'Coffee.'), note('last', 'Cake.')], 'ifAbsent');
    const first = new StoredMemoryService(store);
    await find(first, 'tea');
    await expect.poll(() => store.abilities.segmented!.loadSegments(alice)).toHaveLength(1);
    const [segment] = await store.abilities.segmented!.loadSegments(alice);
    restore();
    await store.put(alice, [note('new', 'Milk.'), note('last', 'Cake.'), note('other', 'Wine.')], 'ifAbsent');
    // A process that was saving the index while the tables were restored.
    expect(await store.abilities.segmented!.saveSegment(alice, segment!, { ifRemovals: 0 })).toBe(true);
    const second = new StoredMemoryService(store, { runtime: new FixedRuntime() });
    expect((await find(second, 'milk wine coffee')).toSorted()).toEqual(['Milk.', 'Wine.']);
  });

  it('finds changes of entries from tables of version 4, which have no ids of writes', async () => {
    const { store, exec } = openStore();
    const memory = new StoredMemoryService(store, { runtime: new FixedRuntime() });
    await memory.addMemory({ ...alice, memories: [note('a', 'Likes tea.'), note('b', 'Likes milk.')] });
    exec('UPDATE thole_memory_entries SET write_id = NULL');
    expect(await find(memory, 'tea')).toHaveLength(1);
    await memory.addMemory({ ...alice, memories: [note('c', 'Green tea.'), note('b', 'Black tea.')] });
    expect(await find(memory, 'tea')).toHaveLength(3);
    exec(`DELETE FROM thole_memory_entries WHERE entry_id = '"c"'; UPDATE thole_memory_scopes SET last_seq = last_seq`);
    await memory.addMemory({ ...alice, memories: [note('d', 'White tea.')] });
    expect(await find(memory, 'white')).toEqual(['White tea.']);
  });
});
