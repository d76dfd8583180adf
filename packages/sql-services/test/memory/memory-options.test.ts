import { mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DatabaseArtifactService,
  DatabaseMemoryService,
  DatabaseSessionService,
  SqlMemoryStore,
} from '@thole/sql-services';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'memory-options-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const user = { appName: 'hotel', userId: 'alice' };
const memories = [{ id: 'n', kind: 'note' as const, content: { parts: [{ text: 'Pizza.' }] } }];

describe('DatabaseMemoryService', () => {
  it('shares a database with sessions and artifacts, with one prefix or several', async () => {
    const dbUrl = `sqlite:///${join(folder, 'all.db')}`;
    const services = [
      new DatabaseMemoryService(dbUrl),
      new DatabaseSessionService(dbUrl),
      new DatabaseArtifactService(dbUrl),
      new DatabaseMemoryService({ dbUrl, tablePrefix: 'other_' }),
    ] as const;
    const [memory, sessions, artifacts, other] = services;
    onTestFinished(async () => void (await Promise.all(services.map((each) => each.close()))));
    await Promise.all([
      memory.addMemory({ ...user, memories }),
      sessions.createSession({ ...user, sessionId: 's' }),
      artifacts.saveArtifact({ ...user, sessionId: 's', filename: 'f', artifact: { text: 'x' } }),
    ]);
    expect((await memory.searchMemory({ ...user, query: 'pizza' })).memories).toHaveLength(1);
    expect((await other.searchMemory({ ...user, query: 'pizza' })).memories).toEqual([]);
    await sessions.deleteUserData(user);
    expect((await memory.listMemories(user)).memories).toHaveLength(1);
  });

  it('passes topK, minScore, ranking and indexBytes to StoredMemoryService', async () => {
    const indexed: string[] = [];
    const ranking = {
      createIndex: () => ({
        bytes: 0,
        put: (entry: { id: string }) => void indexed.push(entry.id),
        remove: () => {},
        rank: async () => [],
      }),
    };
    const memory = new DatabaseMemoryService({
      dbUrl: 'sqlite://:memory:',
      topK: 3,
      minScore: 0.5,
      ranking,
      indexBytes: 0,
    });
    onTestFinished(() => memory.close());
    await memory.addMemory({ ...user, memories });
    await memory.searchMemory({ ...user, query: 'pizza' });
    expect(indexed).toEqual(['n']);
  });

  it('rejects unknown and invalid options, and other arguments (contract 42)', () => {
    const dbUrl = 'sqlite://:memory:';
    for (const options of [
      { dbUrl, topK: 0 },
      { dbUrl, sessionTtlMs: 1 },
      { dbUrl, codec: 7 },
      { dbUrl, timeoutMs: 0 },
      {},
      7,
      undefined,
    ]) {
      expect(() => new DatabaseMemoryService(options as never)).toThrow(
        expect.objectContaining({ code: 'INVALID_INPUT' }),
      );
    }
  });

  it('throws STORE_VERSION for unknown records, and STORE_UNAVAILABLE for changed counters', async () => {
    const path = join(folder, 'newer.db');
    const store = new SqlMemoryStore({ dbUrl: `sqlite:///${path}` });
    const entry = { ...memories[0]!, content: { parts: [{ text: 'Pizza.' }] } };
    await store.put(user, [entry], 'ifAbsent');
    await store.abilities.segmented.saveSegment(
      user,
      { analyzer: 'a', upTo: 1, bytes: Uint8Array.of(1) },
      { ifRemovals: 0 },
    );
    const database = new DatabaseSync(path);
    onTestFinished(() => database.close());
    const version = { code: 'STORE_VERSION' };
    database.exec('UPDATE thole_memory_scopes SET last_seq = 0');
    await expect(store.put(user, [{ ...entry, id: 'other' }], 'replace')).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    });
    database.exec('UPDATE thole_memory_scopes SET last_seq = 1');
    database.exec('UPDATE thole_memory_entries SET v = 2');
    const reads = [() => store.since(user, 0, 1), () => store.get(user, ['n']), () => store.list(user, { limit: 1 })];
    for (const read of reads) {
      await expect(read()).rejects.toMatchObject(version);
    }
    database.exec('UPDATE thole_memory_segments SET v = 2');
    await expect(store.abilities.segmented.loadSegments(user)).rejects.toMatchObject(version);
    database.exec('UPDATE thole_memory_scopes SET v = 2');
    for (const call of [
      () => store.since(user, 5, 1),
      () => store.put(user, [entry], 'replace'),
      () => store.remove(user, 'everything', 0),
    ]) {
      await expect(call()).rejects.toMatchObject(version);
    }
    await store.close();
    await expect(store.get(user, ['n'])).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });
});
