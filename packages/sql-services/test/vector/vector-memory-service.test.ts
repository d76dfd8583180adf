import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Runtime } from '@thole/core';
import { VectorMemoryService } from '@thole/mem-services';
import { SqliteVecStore, SqlMemoryStore } from '@thole/sql-services';
import { HashEmbedder, memoryAbilities, memoryServiceCases, register } from '@thole/testing';
import { afterAll, describe, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'sqlite-vector-memory-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;

interface Made {
  readonly dbUrl: string;
  close(): Promise<void>;
}
const made = new WeakMap<object, Made>();

function serviceOn(dbUrl: string, embedder: HashEmbedder, runtime?: Runtime): VectorMemoryService {
  const store = new SqliteVecStore({ dbUrl, runtime });
  const entries = new SqlMemoryStore({ dbUrl, runtime });
  const service = new VectorMemoryService({ embedder, store, entries, runtime });
  made.set(service, {
    dbUrl,
    async close() {
      await store.close();
      await entries.close();
    },
  });
  return service;
}

const nextUrl = (): string => `sqlite:///${join(folder, `${count++}.db`)}`;

register({ describe, it }, memoryServiceCases, {
  name: 'VectorMemoryService (SqliteVecStore, SqlMemoryStore)',
  claims: [...memoryAbilities, 'cosine', 'shared'],
  create: (runtime) => serviceOn(nextUrl(), new HashEmbedder(), runtime),
  reopen: (service, runtime) => serviceOn(made.get(service)!.dbUrl, new HashEmbedder(), runtime),
  destroy: (service) => made.get(service)!.close(),
});

it('lets go of what is too old in the memory of every user of an app, vectors too (contracts 30, 31)', async () => {
  const dbUrl = nextUrl();
  const service = serviceOn(dbUrl, new HashEmbedder());
  const users = ['ada', 'bob', 'cat'].map((userId) => ({ appName: 'hotel', userId }));
  const note = (id: string, timestamp: number) => ({
    ...{ id, kind: 'note' as const, timestamp },
    content: { parts: [{ text: id }] },
  });
  const other = { appName: 'cafe', userId: 'ada' };
  for (const user of [...users, other])
    await service.addMemory({ ...user, memories: [note('old', 10), note('new', 30)] });
  expect(await service.pruneMemories({ appName: 'hotel', olderThan: 20 })).toBe(3);
  const vectors = new SqliteVecStore({ dbUrl });
  const { model, dimensions } = new HashEmbedder();
  for (const user of [...users, other]) {
    const kept = user === other ? ['old', 'new'] : ['new'];
    expect((await service.listMemories(user)).memories.map(({ id }) => id)).toEqual(kept);
    const asked = { model: `${model}@${dimensions}`, ids: ['old', 'new'] };
    expect(await vectors.has(user, asked)).toEqual(kept);
  }
  await vectors.close();
  await made.get(service)!.close();
});

it('makes no vector again in a process that comes later, and finds by those of the one before', async () => {
  const dbUrl = nextUrl();
  const user = { appName: 'hotel', userId: 'ada' };
  const [first, second] = [new HashEmbedder(), new HashEmbedder()];
  const before = serviceOn(dbUrl, first);
  const texts = ['a pool', 'a bar', 'a roof'];
  await before.addMemory({
    ...user,
    memories: texts.map((text) => ({ kind: 'note' as const, content: { parts: [{ text }] } })),
  });
  await made.get(before)!.close();
  const after = serviceOn(dbUrl, second);
  const { memories, vectorsMissing } = await after.searchMemory({ ...user, query: 'a bar', limit: 1 });
  expect([memories[0]!.content.parts![0]!.text, memories[0]!.score, vectorsMissing]).toEqual([
    'a bar',
    expect.closeTo(1, 5),
    undefined,
  ]);
  expect(second.requests.map(({ task }) => task)).toEqual(['query']);
  await made.get(after)!.close();
});
