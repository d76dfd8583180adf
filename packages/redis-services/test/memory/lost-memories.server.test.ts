import { systemRuntime, textOf } from '@thole/core';
import type { MemoryEntry } from '@thole/core';
import { RedisMemoryService } from '@thole/redis-services';
import { FixedRuntime } from '@thole/testing';
import { afterAll, expect, it } from 'vitest';
import { describeWith } from '../../../../test/servers/index.ts';
import { clientTo } from '../support/redis-clients.ts';

const alice = { appName: 'hotel', userId: 'alice' };

function note(id: string, text: string): MemoryEntry {
  return { id, kind: 'note', content: { parts: [{ text }] }, timestamp: 10 };
}

async function find(memory: RedisMemoryService, query: string): Promise<string[]> {
  const { memories } = await memory.searchMemory({ ...alice, query });
  return memories.map(({ content }) => textOf(content)).toSorted();
}

describeWith('redis', 'RedisMemoryService', (url) => {
  const client = clientTo(url);
  let prefixes = 0;
  afterAll(() => client.quit());
  const runtime = { ...systemRuntime(), logger: new FixedRuntime().logger };
  const openService = (keyPrefix: string): RedisMemoryService =>
    new RedisMemoryService(client, { keyPrefix, runtime, timeoutMs: 300_000 });
  const nextPrefix = (): string => `memory-lost/${process.pid}/${prefixes++}/`;
  const keysOf = (keyPrefix: string): Promise<string[]> => client.keys(`${keyPrefix}*`);

  it('finds new entries after the server lost all keys, for new logs of each length', async () => {
    for (const count of [0, 1, 2, 3]) {
      const keyPrefix = nextPrefix();
      const memory = openService(keyPrefix);
      await memory.addMemory({ ...alice, memories: [note('a', 'Likes tea.'), note('b', 'Black tea.')] });
      expect(await find(memory, 'tea')).toHaveLength(2);
      await client.del(...(await keysOf(keyPrefix)));
      const other = new RedisMemoryService(client, { keyPrefix });
      const memories = Array.from({ length: count }, (_, i) => note(`n${i}`, 'Green tea.'));
      if (count > 0) await other.addMemory({ ...alice, memories });
      expect(await find(memory, 'tea')).toEqual(memories.map(() => 'Green tea.'));
    }
  });

  it('finds the entries of the log after the last writes were lost and others followed', async () => {
    for (const count of [0, 1, 2, 4]) {
      const keyPrefix = nextPrefix();
      const memory = openService(keyPrefix);
      const other = new RedisMemoryService(client, { keyPrefix });
      await memory.addMemory({ ...alice, memories: [note('a', 'Likes tea.'), note('profile', 'Is Ann.')] });
      const saved = await Promise.all(
        (await keysOf(keyPrefix)).map(async (key) => [key, await client.dumpBuffer(key)]),
      );
      await memory.addMemory({ ...alice, memories: [note('lost', 'Likes coffee.')] });
      await memory.addMemory({ ...alice, memories: [note('profile', 'Is Ann Lee.')] });
      await memory.deleteMemory({ ...alice, ids: ['a'] });
      expect(await find(memory, 'tea coffee Lee')).toEqual(['Is Ann Lee.', 'Likes coffee.']);
      await client.del(...(await keysOf(keyPrefix)));
      for (const [key, value] of saved) await client.restore(key as string, 0, value as Buffer);
      for (let i = 0; i < count; i++) {
        await other.addMemory({ ...alice, memories: [note(`n${i}`, 'Green tea.')] });
        await other.addMemory({ ...alice, memories: [note('profile', 'Is Ann.')] });
      }
      expect(await find(memory, 'tea')).toHaveLength(1 + count);
      expect([await find(memory, 'coffee'), await find(memory, 'Lee')]).toEqual([[], []]);
    }
  });
});
