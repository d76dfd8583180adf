import { DatabaseSync } from 'node:sqlite';
import type { MemoryEntry } from '@thole/core';
import { StoredMemoryService } from '@thole/recall';
import { DatabaseMemoryService, SqlMemoryStore } from '@thole/sql-services';
import { FixedRuntime } from '@thole/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sqliteFiles } from '../support/sqlite-files.ts';

const files = sqliteFiles();
const alice = { appName: 'hotel', userId: 'alice' };

describe('DatabaseMemoryService.close', () => {
  it('saves the index of the last search, so that the next process reads no entry again', async () => {
    const { dbUrl } = files.next();
    const store = new SqlMemoryStore({ dbUrl });
    onTestFinished(() => store.close());
    const entries = Array.from({ length: 5_000 }, (_, i): MemoryEntry => {
      return { id: `n${i}`, kind: 'note', content: { parts: [{ text: `Guest ${i} likes tea.` }] }, timestamp: i };
    });
    await store.put(alice, entries, 'ifAbsent');
    const first = new DatabaseMemoryService(dbUrl);
    await first.searchMemory({ ...alice, query: 'guest 4999' });
    await first.close();

    let read = 0;
    const since = store.since.bind(store);
    store.since = async (...p) => {
      const page = await since(...p);
      read += page.changes.length;
      return page;
    };
    const { memories } = await new StoredMemoryService(store).searchMemory({ ...alice, query: 'guest 4999' });
    expect(memories[0]?.id).toBe('n4999');
    expect(read).toBe(0);
  });

  it('does not wait longer than 10 seconds for the save, and logs that the index is not saved', async () => {
    const { path, dbUrl } = files.next();
    const runtime = new FixedRuntime();
    const memory = new DatabaseMemoryService({ dbUrl, runtime });
    const memories = Array.from({ length: 500 }, (_, i): MemoryEntry => {
      return { id: `n${i}`, kind: 'note', content: { parts: [{ text: `Guest ${i} likes tea.` }] } };
    });
    await memory.addMemory({ ...alice, memories });
    const other = new DatabaseSync(path);
    onTestFinished(() => other.close());
    other.exec('BEGIN IMMEDIATE');
    await memory.searchMemory({ ...alice, query: 'tea' });
    let isClosed = false;
    const closed = memory.close().then(() => void (isClosed = true));
    await runtime.advance(9_000);
    expect(isClosed).toBe(false);
    await runtime.advance(2_000);
    await closed;
    expect(runtime.logs).toEqual([
      {
        level: 'warn',
        message: 'A memory index was not saved before its database was closed.',
        fields: { limitMs: 10_000 },
      },
    ]);
  });
});
