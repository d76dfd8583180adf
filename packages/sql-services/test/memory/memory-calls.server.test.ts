import type { MemoryEntry } from '@thole/core';
import { DatabaseMemoryService, SqlMemoryStore } from '@thole/sql-services';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { describeWith } from '../../../../test/servers/index.ts';
import { recordMariaDb, recordPostgres } from '../support/recording-pool.ts';
import { serverTables } from '../support/server-tables.ts';

const user = { appName: 'hotel', userId: 'alice' };

function note(id: string, text: string = id): MemoryEntry & { id: string } {
  return { id, kind: 'note', content: { parts: [{ text }] }, timestamp: 10 };
}

for (const kind of ['postgres', 'mariadb'] as const) {
  describeWith(kind, `DatabaseMemoryService (${kind})`, (dbUrl) => {
    const tablePrefix = `calls_${kind}_`;
    const tables = serverTables(kind, dbUrl, tablePrefix);
    afterAll(() => tables.close());

    it('searches with two statements, and only reads if a session is ingested again', async () => {
      await tables.empty();
      const { pool, roundTrips, close } = kind === 'postgres' ? recordPostgres(dbUrl) : recordMariaDb(dbUrl);
      onTestFinished(() => close());
      const memory = new DatabaseMemoryService({ db: pool, dialect: kind, tablePrefix, timeoutMs: 300_000 });
      await memory.addMemory({ ...user, memories: [note('a', 'Likes pizza.'), note('b', 'Likes kiwi.')] });
      const search = async (): Promise<unknown[]> =>
        (await memory.searchMemory({ ...user, query: 'pizza' })).memories.map(({ id }) => id);
      expect(await search()).toEqual(['a']);
      roundTrips.length = 0;
      expect(await search()).toEqual(['a']);
      expect(roundTrips.map(({ text }) => text.slice(0, 6))).toEqual(['SELECT', 'SELECT']);
      const event = { id: 'e', invocationId: 'i', author: 'user', timestamp: 1, content: { parts: [{ text: 'Hi.' }] } };
      const actions = { stateDelta: {}, artifactDelta: {}, requestedAuthConfigs: {}, requestedToolConfirmations: {} };
      const events = Array.from({ length: 300 }, (_, i) => ({ ...event, actions, id: `e${i}` }));
      await memory.addEventsToMemory({ ...user, sessionId: 's', events });
      roundTrips.length = 0;
      await memory.addEventsToMemory({ ...user, sessionId: 's', events });
      expect(roundTrips.map(({ text }) => text.slice(0, 6))).toEqual(['SELECT', 'SELECT']);
      await memory.close();
      expect(await search()).toEqual(['a']);
    });

    it('finds the few entries of a filter among thousands in few statements (contract 34)', async () => {
      await tables.empty();
      const { pool, roundTrips, close } = kind === 'postgres' ? recordPostgres(dbUrl) : recordMariaDb(dbUrl);
      onTestFinished(() => close());
      const store = new SqlMemoryStore({ db: pool, dialect: kind, tablePrefix, timeoutMs: 300_000 });
      const entries = Array.from({ length: 3_000 }, (_, i) => note(`n${i}`));
      for (const i of [700, 2_100]) entries[i]!.author = 'a';
      await store.put(user, entries, 'ifAbsent');
      roundTrips.length = 0;
      const { memories } = await store.list(user, { limit: 3, filter: { author: 'a' } });
      expect(memories.map(({ entry }) => entry.id)).toEqual(['n700', 'n2100']);
      expect(roundTrips.length).toBeLessThan(15);
      await store.close();
    });
  });
}

describeWith('postgres', 'DatabaseMemoryService with a Kysely instance', (connectionString) => {
  it('stores and finds entries, and does not close the instance', async () => {
    const kysely = new Kysely<never>({
      dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString, max: 2 }) }),
    });
    onTestFinished(() => kysely.destroy());
    const memory = new DatabaseMemoryService({
      db: kysely,
      dialect: 'postgres',
      tablePrefix: 'kysely_memory_',
      timeoutMs: 300_000,
    });
    await memory.deleteUserMemory(user);
    await memory.addMemory({ ...user, memories: [note('a', 'Likes pizza.')] });
    expect((await memory.searchMemory({ ...user, query: 'pizza' })).memories).toHaveLength(1);
    expect(await memory.deleteMemory({ ...user, ids: ['a'] })).toBe(1);
    await memory.close();
    expect((await memory.listMemories(user)).memories).toEqual([]);
  });
});
