import assert from 'node:assert/strict';
import { textOf } from '@thole/core';
import { turnId } from '@thole/core/kit';
import type { MemoryEntry, MemoryService } from '@thole/core';
import type { Case } from '../case.ts';
import {
  alice,
  entry,
  searchTexts,
  listTexts,
  listEntries,
  longAgo,
  textEvent,
  search,
  sessionWith,
  expectInvalidInput,
} from './memory-fixture.ts';

const fact: MemoryEntry = {
  id: 'f1',
  kind: 'fact',
  content: { role: 'user', parts: [{ text: 'Prefers high floors.' }] },
  author: 'concierge',
  timestamp: longAgo + 0.25,
  sessionId: 's1',
  eventId: 'e1',
  evidence: [turnId('s1', 'e1'), turnId('s1', 'e2')],
  validFrom: longAgo,
  validTo: longAgo + 1000,
  supersededBy: 'f2',
  customMetadata: { topic: 'room', deep: [{ a: null, b: 'x\0y' }], constructor: 'plain' },
};

/** Methods for single entries. */
export const memoryEntryCases: readonly Case<MemoryService>[] = [
  {
    id: 'entry.members',
    sentence: 'returns an entry with every member it was added with, times in seconds',
    contracts: [33, 34],
    needs: ['addMemory', 'listMemories'],
    async check(memory) {
      const added = await memory.addMemory!({ ...alice, memories: [fact] });
      assert.deepEqual(added, [fact]);
      assert.deepEqual(await listEntries(memory), [fact]);
      const [hit] = await search(memory, 'high floors');
      assert.equal(typeof hit!.score, 'number');
      const { score: _, relevance: __, ...found } = hit!;
      assert.deepEqual(found, fact);
    },
  },
  {
    id: 'entry.no-score-kept',
    sentence: 'does not store the score of a search',
    contracts: [33],
    needs: ['addMemory', 'listMemories'],
    async check(memory) {
      await memory.addMemory!({ ...alice, memories: [{ ...fact, score: 7 } as MemoryEntry] });
      await search(memory, 'floors');
      assert.ok(!('score' in (await listEntries(memory))[0]!), 'a listed entry must not have a score');
    },
  },
  {
    id: 'entry.refused',
    sentence: 'rejects an invalid entry and stores no entry of the same call',
    contracts: [33, 34],
    needs: ['addMemory', 'listMemories'],
    async check(memory) {
      const bad: readonly object[] = [
        { kind: 'dream' },
        { kind: undefined },
        { content: undefined },
        { content: 'text' },
        { content: { parts: [] } },
        { timestamp: '2024' },
        { timestamp: NaN },
        // A time in milliseconds.
        { timestamp: 1.7e12 },
        { evidence: 'e1' },
        { evidence: [7] },
        { author: 7 },
        { sessionId: 7 },
        { validFrom: '1' },
        { validTo: Infinity },
        { supersededBy: 7 },
        { customMetadata: 7 },
        { customMetadata: { when: new Date(0) } },
        { customMetadata: { big: 1n } },
        { id: '' },
        { id: 7 },
      ];
      for (const more of bad) {
        const memories = [entry('Fine.'), { ...fact, ...more } as MemoryEntry];
        await expectInvalidInput(memory.addMemory!({ ...alice, memories }), `${Object.keys(more)[0]} of a wrong type`);
      }
      for (const memories of [undefined, 'pizza', ['pizza']] as never[])
        await expectInvalidInput(memory.addMemory!({ ...alice, memories }), 'no entries');
      assert.deepEqual(await listTexts(memory), []);
    },
  },
  {
    id: 'add.ids',
    sentence: 'creates a separate id for an entry without one',
    contracts: [34],
    needs: ['addMemory', 'listMemories'],
    async check(memory) {
      const { id: _, ...note } = entry('Pizza.');
      const added = await memory.addMemory!({ ...alice, memories: [note, note] });
      const ids = added.map((one) => one.id);
      assert.equal(new Set(ids).size, 2);
      assert.deepEqual(
        (await listEntries(memory)).map((one) => one.id),
        ids,
      );
    },
  },
  {
    id: 'add.again',
    sentence: 'replaces the entry of an existing id',
    contracts: [34],
    needs: ['addMemory', 'listMemories'],
    async check(memory) {
      await memory.addMemory!({ ...alice, memories: [entry('Allergic to kiwi.', { id: 'n1' })] });
      assert.deepEqual(await searchTexts(memory, 'kiwi'), ['Allergic to kiwi.']);
      await memory.addMemory!({ ...alice, memories: [entry('Allergic to mango.', { id: 'n1' })] });
      assert.deepEqual(await listTexts(memory), ['Allergic to mango.']);
      assert.deepEqual(await searchTexts(memory, 'mango'), ['Allergic to mango.']);
      assert.ok(
        !(await searchTexts(memory, 'kiwi')).includes('Allergic to kiwi.'),
        'the replaced text must not be found',
      );
    },
  },
  {
    id: 'add.twice-at-once',
    sentence: 'uses and returns the last of two entries with one id in one call',
    contracts: [34],
    needs: ['addMemory', 'listMemories'],
    async check(memory) {
      const memories = [entry('Allergic to kiwi.', { id: 'n1' }), entry('Allergic to mango.', { id: 'n1' })];
      const added = await memory.addMemory!({ ...alice, memories });
      assert.deepEqual(
        added.map((one) => textOf(one.content)),
        ['Allergic to mango.'],
      );
      assert.deepEqual(await listTexts(memory), ['Allergic to mango.']);
      assert.equal((await searchTexts(memory, 'mango'))[0], 'Allergic to mango.');
      assert.ok(
        !(await searchTexts(memory, 'kiwi')).includes('Allergic to kiwi.'),
        'the replaced text must not be found',
      );
    },
  },
  {
    id: 'update.changes',
    sentence: 'updates only the named members and finds the entry by its new words only',
    contracts: [34],
    needs: ['addMemory', 'updateMemory'],
    async check(memory) {
      await memory.addMemory!({ ...alice, memories: [fact, entry('Likes kiwi.')] });
      const content = { parts: [{ text: 'Prefers the ground floor, near the garden.' }] };
      const updated = await memory.updateMemory!({
        ...alice,
        id: 'f1',
        change: { content, author: undefined, validTo: longAgo + 5 },
      });
      assert.deepEqual(updated, { ...fact, content, validTo: longAgo + 5 });
      assert.equal((await searchTexts(memory, 'garden'))[0], 'Prefers the ground floor, near the garden.');
      assert.ok(
        !(await searchTexts(memory, 'high')).includes('Prefers high floors.'),
        'the replaced text must not be found',
      );
    },
  },
  {
    id: 'update.concurrent',
    sentence: 'keeps both of two concurrent updates of different members',
    contracts: [34],
    needs: ['addMemory', 'updateMemory', 'listMemories'],
    async check(memory) {
      await memory.addMemory!({ ...alice, memories: [fact] });
      await Promise.all([
        memory.updateMemory!({ ...alice, id: 'f1', change: { author: 'me' } }),
        memory.updateMemory!({ ...alice, id: 'f1', change: { validTo: longAgo + 5 } }),
      ]);
      assert.deepEqual(await listEntries(memory), [{ ...fact, author: 'me', validTo: longAgo + 5 }]);
    },
  },
  {
    id: 'update.unknown',
    sentence: 'returns undefined for an update of an unknown id and adds nothing',
    contracts: [34],
    needs: ['updateMemory', 'listMemories'],
    async check(memory) {
      assert.equal(await memory.updateMemory!({ ...alice, id: 'nobody', change: { author: 'me' } }), undefined);
      assert.deepEqual(await listTexts(memory), []);
    },
  },
  {
    id: 'update.id-stays',
    sentence: 'ignores id and score in an update, and rejects a member of a wrong type',
    contracts: [34],
    needs: ['addMemory', 'updateMemory', 'listMemories'],
    async check(memory) {
      await memory.addMemory!({ ...alice, memories: [fact] });
      const change = { id: 'f9', score: 3, author: 'me' } as Partial<MemoryEntry>;
      const updated = await memory.updateMemory!({ ...alice, id: 'f1', change });
      assert.equal(updated!.id, 'f1');
      await expectInvalidInput(
        memory.updateMemory!({ ...alice, id: 'f1', change: { timestamp: 'now' } as never }),
        'a timestamp that is not a number',
      );
      assert.deepEqual(await listEntries(memory), [{ ...fact, author: 'me' }]);
    },
  },
  {
    id: 'list.order',
    sentence: 'lists all entries, the newest last, and filters them',
    contracts: [34],
    needs: ['addMemory', 'listMemories', 'turns'],
    async check(memory) {
      const empty = await memory.listMemories!(alice);
      assert.deepEqual([empty.memories, empty.next], [[], undefined]);
      await memory.addSessionToMemory(sessionWith([textEvent('user', 1, 'One.'), textEvent('concierge', 2, 'Two.')]));
      await memory.addMemory!({ ...alice, memories: [entry('Three.')] });
      assert.deepEqual(await listTexts(memory), ['One.', 'Two.', 'Three.']);
      const { memories } = await memory.listMemories!({ ...alice, filter: { kinds: ['turn'], author: 'concierge' } });
      assert.deepEqual(
        memories.map((one) => textOf(one.content)),
        ['Two.'],
      );
    },
  },
  {
    id: 'list.pages',
    sentence: 'pages by cursor without gaps or repetitions while entries are added and deleted',
    contracts: [34],
    needs: ['addMemory', 'listMemories', 'deleteMemory'],
    async check(memory) {
      const numbers = Array.from({ length: 7 }, (_, i) => `${i}`);
      await memory.addMemory!({ ...alice, memories: numbers.map((text) => entry(text)) });
      const first = await memory.listMemories!({ ...alice, limit: 3 });
      await memory.deleteMemory!({ ...alice, ids: ['1', '4'] });
      await memory.addMemory!({ ...alice, memories: [entry('7')] });
      const second = await memory.listMemories!({ ...alice, limit: 3, cursor: first.next });
      const third = await memory.listMemories!({ ...alice, limit: 3, cursor: second.next });
      const texts = [first, second, third].map((page) => page.memories.map((one) => textOf(one.content)));
      assert.deepEqual(texts, [['0', '1', '2'], ['3', '5', '6'], ['7']]);
      assert.equal(third.next, undefined);
    },
  },
  {
    id: 'list.bad-input',
    sentence: 'rejects invalid limits, cursors and filters',
    contracts: [34],
    needs: ['addMemory', 'listMemories'],
    async check(memory) {
      await memory.addMemory!({ ...alice, memories: [fact] });
      for (const bad of [
        { limit: 0 },
        { limit: -1 },
        { limit: 'x' },
        { cursor: 7 },
        { cursor: "'; drop" },
        { filter: 7 },
      ] as never[]) {
        await expectInvalidInput(memory.listMemories!({ ...alice, ...(bad as object) }), JSON.stringify(bad));
      }
    },
  },
];
