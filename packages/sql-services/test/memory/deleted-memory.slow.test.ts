import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEvent } from '@thole/core';
import type { MemoryEntry } from '@thole/core';
import { DatabaseMemoryService, DatabaseSessionService, SqlMemoryStore } from '@thole/sql-services';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { isComplete } from '../../../../test/servers/long.ts';

const folder = mkdtempSync(join(tmpdir(), 'memory-erased-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const alice = { appName: 'hotel', userId: 'alice' };
const bob = { appName: 'hotel', userId: 'bob' };
let count = 0;

function newFile(): { path: string; dbUrl: string } {
  const path = join(folder, `${count++}.db`);
  return { path, dbUrl: `sqlite:///${path}` };
}

function note(id: string, text: string, more: Partial<MemoryEntry> = {}): MemoryEntry {
  return { id, kind: 'note', content: { parts: [{ text }] }, ...more };
}

/** Returns all bytes of a database: its file and its write-ahead log. */
function bytesOf(path: string): string {
  return ['', '-wal', '-journal']
    .map((end) => (existsSync(path + end) ? readFileSync(path + end, 'latin1') : ''))
    .join('');
}

/** Counts the rows of a user. A tombstone has an id only. */
function rowsOf(path: string, userId: string): { entries: number; segments: number; tombstones: number } {
  const database = new DatabaseSync(path);
  const count = (source: string): number => {
    const sql = `SELECT COUNT(*) AS rows FROM ${source} x JOIN thole_memory_scopes s ON s.row_id = x.scope_row WHERE s.user_id = ?`;
    return Number(database.prepare(sql).get(userId)!['rows']);
  };
  const entries = count(
    '(SELECT * FROM thole_memory_entries WHERE COALESCE(kind, session_key, entry_time, entry) IS NOT NULL)',
  );
  const counted = {
    entries,
    segments: count('thole_memory_segments'),
    tombstones: count('thole_memory_entries') - entries,
  };
  database.close();
  return counted;
}

describe('Deleted memory in a SQLite file', () => {
  it('is in no byte of the file and its log, also if other connections are open (contract 31)', async () => {
    const { path, dbUrl } = newFile();
    const [store, other] = [new SqlMemoryStore({ dbUrl }), new SqlMemoryStore({ dbUrl })];
    onTestFinished(async () => void (await Promise.all([store.close(), other.close()])));
    await other.put(bob, [note('b', 'PUBLIC')], 'ifAbsent');
    const long = `${'x'.repeat(5_000)} SECRET ${'y'.repeat(20_000)} SECRET`;
    const removals = [{ ids: ['short', 'long', 'metadata'] }, { sessionId: 's' }, 'everything'] as const;
    for (const [i, removal] of removals.entries()) {
      const entries = [
        note('short', 'SECRET'),
        note('long', long),
        note('metadata', '-', { customMetadata: { a: 'SECRET' } }),
      ];
      for (const each of entries) await store.put(alice, [{ ...each, sessionId: 's' }], 'replace');
      const { removals: ifRemovals, changes } = await store.since(alice, 0, 100);
      const segment = {
        analyzer: 'words',
        upTo: changes.at(-1)!.seq,
        bytes: new TextEncoder().encode('SECRET'.repeat(9_999)),
      };
      expect(await store.abilities.segmented.saveSegment(alice, segment, { ifRemovals })).toBe(true);
      expect(bytesOf(path).includes('SECRET')).toBe(true);
      expect(await store.remove(alice, removal, 0)).toBe(3);
      expect(bytesOf(path).includes('SECRET'), `removal ${i}`).toBe(false);
    }
    expect(bytesOf(path).includes('PUBLIC')).toBe(true);
    expect((await other.list(bob, { limit: 10 })).memories).toHaveLength(1);
  });

  it('is in no index segment that was or will be saved (contract 31)', async () => {
    const { path, dbUrl } = newFile();
    const store = new SqlMemoryStore({ dbUrl });
    const service = new DatabaseMemoryService(dbUrl);
    onTestFinished(async () => void (await Promise.all([service.close(), store.close()])));
    const many = (from: number): MemoryEntry[] =>
      Array.from({ length: 700 }, (_, i) => note(`n${from + i}`, `pizza ${from + i}`, { timestamp: i }));
    const secret = note('secret', 'Zyxgarblion', { timestamp: 1 });
    const isSaved = async (): Promise<boolean> => (await store.abilities.segmented.loadSegments(alice)).length > 0;
    const isInFile = (): boolean => /zyxgarblion/i.test(bytesOf(path));
    await service.addMemory({ ...alice, memories: [...many(0), secret] });
    expect((await service.searchMemory({ ...alice, query: 'zyxgarblion' })).memories).toHaveLength(1);
    await expect.poll(isSaved).toBe(true);
    expect(isInFile()).toBe(true);
    expect(await service.deleteMemory({ ...alice, ids: ['secret'] })).toBe(1);
    expect([await isSaved(), isInFile()]).toEqual([false, false]);
    await service.addMemory({ ...alice, memories: many(700) });
    expect((await service.searchMemory({ ...alice, query: 'zyxgarblion' })).memories).toEqual([]);
    await expect.poll(isSaved).toBe(true);
    expect(isInFile()).toBe(false);
  });

  it('is in no byte after updateMemory has replaced it (contract 31)', async () => {
    const { path, dbUrl } = newFile();
    const store = new SqlMemoryStore({ dbUrl });
    const service = new DatabaseMemoryService(dbUrl);
    onTestFinished(async () => void (await Promise.all([service.close(), store.close()])));
    const isSaved = async (): Promise<boolean> => (await store.abilities.segmented.loadSegments(alice)).length > 0;
    const isInFile = (): boolean => /zyxgarblion/i.test(bytesOf(path));
    const many = Array.from({ length: 700 }, (_, i) => note(`n${i}`, `pizza ${i}`, { timestamp: i }));
    await service.addMemory({ ...alice, memories: [...many, note('secret', 'Zyxgarblion', { timestamp: 1 })] });
    await service.searchMemory({ ...alice, query: 'zyxgarblion' });
    await expect.poll(isSaved).toBe(true);
    expect(isInFile()).toBe(true);
    await service.updateMemory({ ...alice, id: 'secret', change: { content: { parts: [{ text: 'Nothing.' }] } } });
    expect(isInFile()).toBe(false);
  });

  const replacements: [string, Partial<MemoryEntry>, Partial<MemoryEntry>][] = [
    ['metadata', { customMetadata: { phone: 'Zyxgarblion' } }, { customMetadata: {} }],
    ['topics', { topics: ['Zyxgarblion'] }, { topics: [] }],
    ['an author', { author: 'Zyxgarblion' }, { author: 'alice' }],
    ['a session', { sessionId: 'Zyxgarblion' }, { sessionId: 's' }],
  ];
  it.each(isComplete ? replacements : replacements.slice(0, 1))(
    'is in no byte after an update has replaced %s (contract 31)',
    async (_, secret, change) => {
      const { path, dbUrl } = newFile();
      const store = new SqlMemoryStore({ dbUrl });
      const service = new DatabaseMemoryService(dbUrl);
      onTestFinished(async () => void (await Promise.all([service.close(), store.close()])));
      const isInFile = (): boolean => /zyxgarblion/i.test(bytesOf(path));
      const many = Array.from({ length: 700 }, (_, i) => note(`n${i}`, `pizza ${i}`, { timestamp: i }));
      for (const replaces of [
        () => service.updateMemory({ ...alice, id: 'secret', change }),
        () => service.addMemory({ ...alice, memories: [note('secret', 'pizza', change)] }),
      ]) {
        await service.addMemory({ ...alice, memories: [...many, note('secret', 'pizza', secret)] });
        await service.searchMemory({ ...alice, query: 'pizza' });
        await expect
          .poll(async () => (await store.abilities.segmented.loadSegments(alice))[0]?.bytes.length ?? 0)
          .toBeGreaterThan(99);
        expect(isInFile()).toBe(true);
        await replaces();
        expect(isInFile()).toBe(false);
      }
    },
  );

  it('leaves only tombstones of a deleted user and is not ingested again (contracts 12, 31)', async () => {
    const { path, dbUrl } = newFile();
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

  it('is never in the file in plain text with a codec', async () => {
    const { path, dbUrl } = newFile();
    const flipBits = (text: string): string =>
      Array.from(text, (c) => String.fromCodePoint(c.codePointAt(0)! ^ 1)).join('');
    const codec = { encode: flipBits, decode: (stored: string | Uint8Array) => flipBits(String(stored)) };
    const store = new SqlMemoryStore({ dbUrl, codec });
    onTestFinished(() => store.close());
    const entry = note('n', 'SECRET', { author: 'SECRET' });
    await store.put(alice, [entry], 'ifAbsent');
    const bytes = new TextEncoder().encode('SECRET');
    await store.abilities.segmented.saveSegment(alice, { analyzer: 'words', upTo: 1, bytes }, { ifRemovals: 0 });
    expect(/SECRET|U0VDUkVU/.test(bytesOf(path))).toBe(false);
    expect((await store.get(alice, ['n']))[0]!.entry).toEqual(entry);
    expect(await store.abilities.segmented.loadSegments(alice)).toEqual([{ analyzer: 'words', upTo: 1, bytes }]);
    const withoutCodec = new SqlMemoryStore({ dbUrl });
    onTestFinished(() => withoutCodec.close());
    await expect(withoutCodec.get(alice, ['n'])).rejects.toMatchObject({ code: 'STORE_VERSION' });
  });
});
