import { systemRuntime, textOf } from '@thole/core';
import type { MemoryEntry } from '@thole/core';
import { DatabaseMemoryService } from '@thole/sql-services';
import { FixedRuntime } from '@thole/testing';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { describeWith } from '../../../../test/servers/index.ts';
import { serverTables } from '../support/server-tables.ts';

const alice = { appName: 'hotel', userId: 'alice' };
const runtime = { ...systemRuntime(), logger: new FixedRuntime().logger };

function note(id: string, text: string): MemoryEntry {
  return { id, kind: 'note', content: { parts: [{ text }] }, timestamp: 10 };
}

async function find(memory: DatabaseMemoryService, query: string): Promise<string[]> {
  const { memories } = await memory.searchMemory({ ...alice, query });
  return memories.map(({ content }) => textOf(content)).toSorted();
}

for (const kind of ['postgres', 'mariadb'] as const) {
  describeWith(kind, `DatabaseMemoryService (${kind})`, (dbUrl) => {
    const tablePrefix = `lost_${process.pid}_`;
    const tables = serverTables(kind, dbUrl, tablePrefix);
    afterAll(() => tables.close());

    it('finds the entries of a restored log, if it is shorter, as long or longer than before', async () => {
      const names = ['memory_scopes', 'memory_entries'].map((name) => `${tablePrefix}${name}`);
      const openService = (): DatabaseMemoryService => {
        const memory = new DatabaseMemoryService({ dbUrl, tablePrefix, runtime, timeoutMs: 300_000 });
        onTestFinished(() => memory.close());
        return memory;
      };
      const [memory, other] = [openService(), openService()];
      for (const count of [0, 1, 2, 4]) {
        await tables.empty();
        await memory.addMemory({ ...alice, memories: [note('a', 'Likes tea.'), note('profile', 'Is Ann.')] });
        for (const name of names) {
          await tables.query(`DROP TABLE IF EXISTS ${name}_saved`);
          await tables.query(`CREATE TABLE ${name}_saved AS SELECT * FROM ${name}`);
        }
        await memory.addMemory({ ...alice, memories: [note('lost', 'Likes coffee.')] });
        await memory.addMemory({ ...alice, memories: [note('profile', 'Is Ann Lee.')] });
        await memory.deleteMemory({ ...alice, ids: ['a'] });
        expect(await find(memory, 'tea coffee Lee')).toEqual(['Is Ann Lee.', 'Likes coffee.']);
        const overriding = kind === 'postgres' ? 'OVERRIDING SYSTEM VALUE ' : '';
        for (const name of names) {
          await tables.query(`DELETE FROM ${name}`);
          await tables.query(
            `INSERT INTO ${name} ${name.endsWith('scopes') ? overriding : ''}SELECT * FROM ${name}_saved`,
          );
        }
        for (let i = 0; i < count; i++) {
          await other.addMemory({ ...alice, memories: [note(`n${i}`, 'Green tea.')] });
          await other.addMemory({ ...alice, memories: [note('profile', 'Is Ann.')] });
        }
        expect(await find(memory, 'tea')).toHaveLength(1 + count);
        expect([await find(memory, 'coffee'), await find(memory, 'Lee')]).toEqual([[], []]);
      }
    });
  });
}
