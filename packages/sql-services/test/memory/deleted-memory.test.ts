import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEvent } from '@thole/core';
import type { MemoryEntry } from '@thole/core';
import { DatabaseMemoryService, DatabaseSessionService, SqlMemoryStore } from '@thole/sql-services';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'memory-erased-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const alice = { appName: 'hotel', userId: 'alice' };
const bob = { appName: 'hotel', userId: 'bob' };
let count = 0;

function place(): { path: string; dbUrl: string } {
  const path = join(folder, `${count++}.db`);
  return { path, dbUrl: `sqlite:///${path}` };
}

function note(id: string, text: string, more: Partial<MemoryEntry> = {}): MemoryEntry {
  return { id, kind: 'note', content: { parts: [{ text }] }, ...more };
}

/** All bytes of a database: of its file and of its write-ahead log. */
function bytesOf(path: string): string {
  return ['', '-wal', '-journal']
    .map((end) => (existsSync(path + end) ? readFileSync(path + end, 'latin1') : ''))
    .join('');
}

/** Rows of one user's tables that hold more than the id of what went. */
function rowsOf(path: string, userId: string): { entries: number; segments: number; tombstones: number } {
  const database = new DatabaseSync(path);
  const rows = (what: string): number => {
    const sql = `SELECT COUNT(*) AS rows FROM ${what} x JOIN thole_memory_scopes s ON s.row_id = x.scope_row WHERE s.user_id = ?`;
    return Number(database.prepare(sql).get(userId)!['rows']);
  };
  const entries = rows(
    '(SELECT * FROM thole_memory_entries WHERE COALESCE(kind, session_key, entry_time, entry) IS NOT NULL)',
  );
  const counted = {
    entries,
    segments: rows('thole_memory_segments'),
    tombstones: rows('thole_memory_entries') - entries,
  };
  database.close();
  return counted;
}

describe('what is forgotten in a SQLite file', () => {
  it('is nowhere in the file or its log any more, however long the text, whichever way it was removed, while others hold the file open (contract 31)', async () => {
    const { path, dbUrl } = place();
    const [store, other] = [new SqlMemoryStore({ dbUrl }), new SqlMemoryStore({ dbUrl })];
    onTestFinished(async () => void (await Promise.all([store.close(), other.close()])));
    await other.put(bob, [note('b', 'PUBLIC')], 'ifAbsent');
    const long = `${'x'.repeat(5_000)} SECRET ${'y'.repeat(20_000)} SECRET`;
    const ways = [{ ids: ['short', 'long', 'metadata'] }, { sessionId: 's' }, 'everything'] as const;
    for (const [i, way] of ways.entries()) {
      const entries = [
        note('short', 'SECRET'),
        note('long', long),
        note('metadata', '-', { customMetadata: { a: 'SECRET' } }),
      ];
      for (const each of entries) await store.put(alice, [{ ...each, sessionId: 's' }], 'replace');
      const { removals, changes } = await store.since(alice, 0, 100);
      const segment = {
        analyzer: 'words',
        upTo: changes.at(-1)!.seq,
        bytes: new TextEncoder().encode('SECRET'.repeat(9_999)),
      };
      expect(await store.abilities.segmented.saveSegment(alice, segment, { ifRemovals: removals })).toBe(true);
      expect(bytesOf(path).includes('SECRET')).toBe(true);
      expect(await store.remove(alice, way, 0)).toBe(3);
      expect(bytesOf(path).includes('SECRET'), `way ${i}`).toBe(false);
    }
    expect(bytesOf(path).includes('PUBLIC')).toBe(true);
    expect((await other.list(bob, { limit: 10 })).memories).toHaveLength(1);
  });

  it('is in no saved piece of the index any more, neither in one that is saved later (contract 31)', async () => {
    const { path, dbUrl } = place();
    const store = new SqlMemoryStore({ dbUrl });
    const service = new DatabaseMemoryService(dbUrl);
    onTestFinished(async () => void (await Promise.all([service.close(), store.close()])));
    const many = (from: number): MemoryEntry[] =>
      Array.from({ length: 700 }, (_, i) => note(`n${from + i}`, `pizza ${from + i}`, { timestamp: i }));
    const secret = note('secret', 'Zyxgarblion', { timestamp: 1 });
    const isSaved = async (): Promise<boolean> => (await store.abilities.segmented.loadSegments(alice)).length > 0;
    const isThere = (): boolean => /zyxgarblion/i.test(bytesOf(path));
    await service.addMemory({ ...alice, memories: [...many(0), secret] });
    expect((await service.searchMemory({ ...alice, query: 'zyxgarblion' })).memories).toHaveLength(1);
    await expect.poll(isSaved).toBe(true);
    expect(isThere()).toBe(true);
    expect(await service.deleteMemory({ ...alice, ids: ['secret'] })).toBe(1);
    expect([await isSaved(), isThere()]).toEqual([false, false]);
    await service.addMemory({ ...alice, memories: many(700) });
    expect((await service.searchMemory({ ...alice, query: 'zyxgarblion' })).memories).toEqual([]);
    await expect.poll(isSaved).toBe(true);
    expect(isThere()).toBe(false);
  });

  it('is in no byte after updateMemory replaced it, neither in a saved index segment (contract 31)', async () => {
    const { path, dbUrl } = place();
    const store = new SqlMemoryStore({ dbUrl });
    const service = new DatabaseMemoryService(dbUrl);
    onTestFinished(async () => void (await Promise.all([service.close(), store.close()])));
    const isSaved = async (): Promise<boolean> => (await store.abilities.segmented.loadSegments(alice)).length > 0;
    const isThere = (): boolean => /zyxgarblion/i.test(bytesOf(path));
    const many = Array.from({ length: 700 }, (_, i) => note(`n${i}`, `pizza ${i}`, { timestamp: i }));
    await service.addMemory({ ...alice, memories: [...many, note('secret', 'Zyxgarblion', { timestamp: 1 })] });
    await service.searchMemory({ ...alice, query: 'zyxgarblion' });
    await expect.poll(isSaved).toBe(true);
    expect(isThere()).toBe(true);
    await service.updateMemory({ ...alice, id: 'secret', change: { content: { parts: [{ text: 'Nothing.' }] } } });
    expect(isThere()).toBe(false);
  });

  it('leaves no row of a deleted user but the ids of what went, and does not come back by the next ingestion (contract 12, 31)', async () => {
    const { path, dbUrl } = place();
    const service = new DatabaseMemoryService(dbUrl);
    const sessions = new DatabaseSessionService(dbUrl);
    onTestFinished(async () => void (await Promise.all([service.close(), sessions.close()])));
    for (const user of [alice, bob]) {
      await sessions.createSession({ ...user, sessionId: 's' });
      for (let i = 0; i < 20; i++) {
        const content = { role: 'user' as const, parts: [{ text: `SECRET of ${user.userId} ${i}` }] };
        await sessions.appendEvent({
          session: { ...user, sessionId: 's' },
          event: createEvent({ author: 'user', content }),
        });
      }
      await service.addSessionToMemory((await sessions.getSession({ ...user, sessionId: 's' }))!);
      await service.addMemory({ ...user, memories: [note('n', `SECRET of ${user.userId}`)] });
    }
    const session = (await sessions.getSession({ ...alice, sessionId: 's' }))!;
    expect(rowsOf(path, 'alice')).toEqual({ entries: 21, segments: expect.any(Number), tombstones: 0 });
    await sessions.deleteUserData(alice);
    expect(await service.deleteUserMemory(alice)).toBe(21);
    await service.addSessionToMemory(session);
    expect(rowsOf(path, 'alice')).toEqual({ entries: 0, segments: 0, tombstones: 21 });
    expect(rowsOf(path, 'bob').entries).toBe(21);
    expect((await service.searchMemory({ ...alice, query: 'secret' })).memories).toEqual([]);
    expect((await service.searchMemory({ ...bob, query: 'secret' })).memories).not.toEqual([]);
    expect(new DatabaseSync(path).prepare('SELECT COUNT(*) AS n FROM thole_events').get()!['n']).toBe(20);
  });

  it('is encoded before, in entries and segments, where there is a codec', async () => {
    const { path, dbUrl } = place();
    const turned = (text: string): string =>
      Array.from(text, (c) => String.fromCodePoint(c.codePointAt(0)! ^ 1)).join('');
    const codec = { encode: turned, decode: (stored: string | Uint8Array) => turned(String(stored)) };
    const store = new SqlMemoryStore({ dbUrl, codec });
    onTestFinished(() => store.close());
    const given = note('n', 'SECRET', { author: 'SECRET' });
    await store.put(alice, [given], 'ifAbsent');
    const bytes = new TextEncoder().encode('SECRET');
    await store.abilities.segmented.saveSegment(alice, { analyzer: 'words', upTo: 1, bytes }, { ifRemovals: 0 });
    expect(/SECRET|U0VDUkVU/.test(bytesOf(path))).toBe(false);
    expect((await store.get(alice, ['n']))[0]!.entry).toEqual(given);
    expect(await store.abilities.segmented.loadSegments(alice)).toEqual([{ analyzer: 'words', upTo: 1, bytes }]);
    const without = new SqlMemoryStore({ dbUrl });
    onTestFinished(() => without.close());
    await expect(without.get(alice, ['n'])).rejects.toMatchObject({ code: 'STORE_VERSION' });
  });
});
