import assert from 'node:assert/strict';
import { textOf } from '@thole/core';
import type { MemoryEntry, MemoryService } from '@thole/core';
import type { Case } from '../case.ts';
import { alice, entry, searchTexts, listTexts, listEntries, longAgo, expectInvalidInput } from './memory-fixture.ts';

/** Notes as strings, single entries, expiry and topics. */
export const memoryFieldCases: readonly Case<MemoryService>[] = [
  {
    id: 'add.text',
    sentence: 'adds a string as a note, which is found and listed',
    contracts: [34],
    needs: ['addMemory', 'listMemories'],
    async check(memory, { runtime }) {
      const [note, ...others] = await memory.addMemory!({ ...alice, memory: 'Prefers window seats.' });
      const { id, timestamp, ...rest } = note!;
      assert.deepEqual(others, []);
      assert.equal(typeof id, 'string');
      assert.equal(timestamp, runtime.now());
      assert.deepEqual(rest, { kind: 'note', content: { parts: [{ text: 'Prefers window seats.' }] } });
      assert.deepEqual(await listEntries(memory), [note]);
      assert.deepEqual(await searchTexts(memory, 'window seats'), ['Prefers window seats.']);
    },
  },
  {
    id: 'add.text-refused',
    sentence: 'rejects an empty note, a note of another type, and a note together with entries',
    contracts: [34],
    needs: ['addMemory', 'listMemories'],
    async check(memory) {
      for (const bad of ['', 7, null, {}] as never[])
        await expectInvalidInput(memory.addMemory!({ ...alice, memory: bad }));
      await expectInvalidInput(memory.addMemory!({ ...alice, memory: 'Pizza.', memories: [entry('Pasta.')] }));
      await expectInvalidInput(memory.addMemory!(alice));
      assert.deepEqual(await listTexts(memory), []);
    },
  },
  {
    id: 'get.one',
    sentence: 'returns an entry by id only to its own user, and undefined for an unknown or deleted id',
    contracts: [30, 34],
    needs: ['addMemory', 'getMemory', 'deleteMemory'],
    async check(memory) {
      const [added] = await memory.addMemory!({
        ...alice,
        memories: [entry('Pizza.', { id: 'n1', topics: ['food'] })],
      });
      assert.deepEqual(await memory.getMemory!({ ...alice, id: 'n1' }), added);
      assert.equal(await memory.getMemory!({ ...alice, userId: 'bob', id: 'n1' }), undefined);
      assert.equal(await memory.getMemory!({ ...alice, id: 'n2' }), undefined);
      await memory.deleteMemory!({ ...alice, ids: ['n1'] });
      assert.equal(await memory.getMemory!({ ...alice, id: 'n1' }), undefined);
      for (const bad of ['', 7, undefined] as never[])
        await expectInvalidInput(memory.getMemory!({ ...alice, id: bad }));
    },
  },
  {
    id: 'expiry.unseen',
    sentence: 'finds, lists, returns and changes an entry only until it expires',
    contracts: [32, 33, 34],
    needs: ['addMemory', 'getMemory', 'updateMemory', 'listMemories'],
    async check(memory, { runtime }) {
      const expiresAt = runtime.now() + 60;
      const memories = [
        entry('Pool code 1234.', { id: 'n1', expiresAt }),
        entry('Pool bar.', { id: 'n2' }),
        entry('Pool towels.', { id: 'n3', expiresAt: expiresAt + 60 }),
      ];
      await memory.addMemory!({ ...alice, memories });
      const visible = async (): Promise<unknown> => ({
        found: (await searchTexts(memory, 'pool')).sort(),
        filtered: (await searchTexts(memory, 'pool', { filter: { kinds: ['note'] } })).sort(),
        listed: (await listTexts(memory)).sort(),
        got: (await memory.getMemory!({ ...alice, id: 'n1' }))?.expiresAt,
      });
      const all = memories.map(({ content }) => textOf(content)).sort();
      assert.deepEqual(await visible(), { found: all, filtered: all, listed: all, got: expiresAt });
      await runtime.advance(60_000);
      const left = ['Pool bar.', 'Pool towels.'];
      assert.deepEqual(await visible(), { found: left, filtered: left, listed: left, got: undefined });
      assert.equal(await memory.updateMemory!({ ...alice, id: 'n1', change: { author: 'me' } }), undefined);
      await runtime.advance(60_000);
      assert.deepEqual(await listTexts(memory), ['Pool bar.']);
    },
  },
  {
    id: 'expiry.pages',
    sentence: 'does not count expired entries in pages and searches',
    contracts: [32, 34],
    needs: ['addMemory', 'listMemories'],
    async check(memory, { runtime }) {
      const expiresAt = runtime.now() + 60;
      const memories = Array.from({ length: 12 }, (_, i) =>
        entry(`Pool ${i}.`, { timestamp: longAgo + i, ...(i % 3 > 0 && { expiresAt }) }),
      );
      await memory.addMemory!({ ...alice, memories });
      await runtime.advance(60_000);
      const page = await memory.listMemories!({ ...alice, limit: 3 });
      const next = await memory.listMemories!({ ...alice, limit: 3, cursor: page.next });
      const texts = [...page.memories, ...next.memories].map(({ content }) => textOf(content));
      assert.deepEqual(texts, ['Pool 0.', 'Pool 3.', 'Pool 6.', 'Pool 9.']);
      assert.equal((await searchTexts(memory, 'pool', { limit: 4 })).length, 4);
    },
  },
  {
    id: 'expiry.change',
    sentence: 'updates the time at which an entry expires',
    contracts: [34],
    needs: ['addMemory', 'updateMemory', 'listMemories'],
    async check(memory, { runtime }) {
      const expiresAt = runtime.now() + 60;
      await memory.addMemory!({ ...alice, memories: [entry('Pool code.', { id: 'n1', expiresAt })] });
      assert.deepEqual(await searchTexts(memory, 'pool'), ['Pool code.']);
      await memory.updateMemory!({ ...alice, id: 'n1', change: { expiresAt: expiresAt + 60 } });
      await runtime.advance(60_000);
      assert.deepEqual(await searchTexts(memory, 'pool'), ['Pool code.']);
      await memory.updateMemory!({ ...alice, id: 'n1', change: { expiresAt: runtime.now() } });
      assert.deepEqual([await searchTexts(memory, 'pool'), await listTexts(memory)], [[], []]);
    },
  },
  {
    id: 'topics.filter',
    sentence: 'filters entries by at least one of the topics',
    contracts: [32, 33, 34],
    needs: ['addMemory', 'listMemories'],
    async check(memory) {
      const memories = [
        entry('Pool bar.', { kind: 'fact', topics: ['food', 'leisure'] }),
        entry('Pool hours.', { kind: 'fact', topics: ['leisure'] }),
        entry('Pool depth.', { kind: 'fact', topics: ['Food'] }),
        entry('Pool colour.', { kind: 'fact' }),
      ];
      await memory.addMemory!({ ...alice, memories });
      const by = async (...topics: string[]): Promise<string[]> => {
        const filter = { kinds: ['fact'] as const, topics };
        const { memories } = await memory.listMemories!({ ...alice, filter });
        const texts = memories.map(({ content }) => textOf(content)).sort();
        assert.deepEqual((await searchTexts(memory, 'pool', { filter })).sort(), texts);
        return texts;
      };
      assert.deepEqual(await by('food'), ['Pool bar.']);
      assert.deepEqual(await by('leisure'), ['Pool bar.', 'Pool hours.']);
      assert.deepEqual(await by('Food', 'food'), ['Pool bar.', 'Pool depth.']);
      assert.deepEqual(await by('travel'), []);
      assert.deepEqual(await by(), []);
      for (const bad of ['food', [7], ['']] as never[])
        await expectInvalidInput(memory.searchMemory({ ...alice, query: 'pool', filter: { topics: bad } }));
    },
  },
  {
    id: 'fields.refused',
    sentence: 'rejects topics that are not a list of names and an expiry that is not a time',
    contracts: [33, 34],
    needs: ['addMemory', 'listMemories'],
    async check(memory) {
      const bad = [{ topics: 'food' }, { topics: [7] }, { topics: [''] }, { expiresAt: 'x' }, { expiresAt: Infinity }];
      for (const more of bad as Partial<MemoryEntry>[])
        await expectInvalidInput(memory.addMemory!({ ...alice, memories: [entry('Pizza.', more)] }));
      assert.deepEqual(await listTexts(memory), []);
    },
  },
];
