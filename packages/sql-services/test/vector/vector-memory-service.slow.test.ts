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

interface OpenService {
  readonly dbUrl: string;
  close(): Promise<void>;
}
const services = new WeakMap<object, OpenService>();

function openService(dbUrl: string, embedder: HashEmbedder, runtime?: Runtime): VectorMemoryService {
  const store = new SqliteVecStore({ dbUrl, runtime });
  const entries = new SqlMemoryStore({ dbUrl, runtime });
  const service = new VectorMemoryService({ embedder, store, entries, runtime });
  services.set(service, {
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
  create: (runtime) => openService(nextUrl(), new HashEmbedder(), runtime),
  reopen: (service, runtime) => openService(services.get(service)!.dbUrl, new HashEmbedder(), runtime),
  destroy: (service) => services.get(service)!.close(),
});

it('VectorMemoryService prunes entries and vectors of all users of an app (contracts 30, 31)', async () => {
  const dbUrl = nextUrl();
  const service = openService(dbUrl, new HashEmbedder());
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
    const expected = user === other ? ['old', 'new'] : ['new'];
    expect((await service.listMemories(user)).memories.map(({ id }) => id)).toEqual(expected);
    const rows = { model: `${model}@${dimensions}`, ids: ['old', 'new'] };
    expect(await vectors.has(user, rows)).toEqual(expected);
  }
  await vectors.close();
  await services.get(service)!.close();
});

it('VectorMemoryService searches with the stored vectors of an earlier process', async () => {
  const dbUrl = nextUrl();
  const user = { appName: 'hotel', userId: 'ada' };
  const [first, second] = [new HashEmbedder(), new HashEmbedder()];
  const before = openService(dbUrl, first);
  const texts = ['a pool', 'a bar', 'a roof'];
  await before.addMemory({
    ...user,
    memories: texts.map((text) => ({ kind: 'note' as const, content: { parts: [{ text }] } })),
  });
  await services.get(before)!.close();
  const after = openService(dbUrl, second);
  const { memories, vectorsMissing } = await after.searchMemory({ ...user, query: 'a bar', limit: 1 });
  expect([memories[0]!.content.parts![0]!.text, memories[0]!.score, vectorsMissing]).toEqual([
    'a bar',
    expect.closeTo(1, 5),
    undefined,
  ]);
  expect(second.requests.map(({ task }) => task)).toEqual(['query']);
  await services.get(after)!.close();
});
