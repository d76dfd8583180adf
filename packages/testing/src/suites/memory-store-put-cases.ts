import assert from 'node:assert/strict';
import type { MemoryEntry, MemoryStore } from '@thole/core';
import { alice, readAllChanges, ids, listAll, log, note, notes, texts, storedOf } from './memory-store-support.ts';
import type { MemoryStoreCase } from './memory-store-support.ts';
import { reopen } from './reopen.ts';

const everything: MemoryEntry = {
  id: 'f1',
  kind: 'fact',
  content: { role: 'user', parts: [{ text: 'Prefers high floors.' }, { text: 'And quiet.' }] },
  author: 'concierge',
  timestamp: 1_600_000_000.123,
  sessionId: 's1',
  eventId: 'e1',
  evidence: ['["s1","e1"]', ''],
  validFrom: 0.1,
  validTo: -5,
  supersededBy: 'f2',
  customMetadata: { deep: [{ a: null, b: 'x\0y', c: '\ud800' }], constructor: 'plain', big: 1e21, tiny: 5e-324 },
};

/** Writes of a memory store. */
export const memoryStorePutCases: readonly MemoryStoreCase[] = [
  {
    id: 'put.numbers',
    sentence: 'numbers writes 1, 2, 3 … in each user’s log and returns the ids and the last number',
    contracts: [33],
    async check(store) {
      assert.deepEqual(await store.put(alice, notes(3), 'ifAbsent'), { written: ['n0', 'n1', 'n2'], seq: 3 });
      assert.deepEqual(await store.put(alice, [note('a')], 'replace'), { written: ['a'], seq: 4 });
      assert.deepEqual(await log(store), ['1 n0', '2 n1', '3 n2', '4 a']);
    },
  },
  {
    id: 'put.members',
    sentence: 'returns every member of an entry unchanged',
    contracts: [33],
    async check(store) {
      for (const mode of ['ifAbsent', 'ifPresent', 'replace'] as const) {
        await store.put(alice, [everything], mode);
        assert.deepEqual((await store.get(alice, ['f1']))[0]!.entry, everything);
        assert.deepEqual((await listAll(store))[0]!.entry, everything);
        const { changes } = await readAllChanges(store);
        assert.deepEqual(storedOf(changes), await store.get(alice, ['f1']));
      }
    },
  },
  {
    id: 'put.if-absent',
    sentence: 'keeps existing ids with ifAbsent and skips deleted ones',
    contracts: [31],
    async check(store) {
      await store.put(alice, [note('a'), note('b')], 'ifAbsent');
      await store.remove(alice, { ids: ['b'] }, 0);
      const entries = [note('a', { text: 'other' }), note('b'), note('c')];
      assert.deepEqual(await store.put(alice, entries, 'ifAbsent'), { written: ['c'], seq: 4 });
      assert.deepEqual(await texts(store), ['a', 'c']);
    },
  },
  {
    id: 'put.if-present',
    sentence: 'overwrites existing ids with ifPresent and neither adds nor restores',
    contracts: [31, 34],
    async check(store) {
      assert.deepEqual(await store.put(alice, [note('a')], 'ifPresent'), { written: [], seq: 0 });
      await store.put(alice, [note('a'), note('b')], 'ifAbsent');
      await store.remove(alice, { ids: ['b'] }, 0);
      const entries = [note('a', { text: 'other' }), note('b'), note('c')];
      assert.deepEqual(await store.put(alice, entries, 'ifPresent'), { written: ['a'], seq: 4 });
      assert.deepEqual(await texts(store), ['other']);
    },
  },
  {
    id: 'put.replace',
    sentence: 'writes every entry with replace, also deleted ids and old entries',
    contracts: [31, 34],
    async check(store) {
      await store.put(alice, [note('a')], 'ifAbsent');
      await store.remove(alice, 'everything', 1_000);
      const entries = [note('a', { text: 'again' }), note('b')];
      assert.deepEqual(await store.put(alice, entries, 'replace'), { written: ['a', 'b'], seq: 4 });
      assert.deepEqual(await texts(store), ['again', 'b']);
    },
  },
  {
    id: 'put.once',
    sentence: 'writes the first of two entries with one id in one put, in every mode',
    contracts: [31],
    async check(store) {
      for (const [i, mode] of (['ifAbsent', 'ifPresent', 'replace'] as const).entries()) {
        const entries = [note('a', { text: `first ${i}` }), note('b'), note('a', { text: 'second' })];
        assert.deepEqual((await store.put(alice, entries, mode)).written, ['a', 'b']);
        assert.deepEqual((await texts(store)).toSorted(), ['b', `first ${i}`]);
      }
    },
  },
  {
    id: 'put.nothing',
    sentence: 'changes nothing for a put without a write and returns the last seq',
    contracts: [31],
    async check(store) {
      assert.deepEqual(await store.put(alice, [], 'replace'), { written: [], seq: 0 });
      await store.put(alice, notes(2), 'ifAbsent');
      assert.deepEqual(await store.put(alice, notes(2), 'ifAbsent'), { written: [], seq: 2 });
      assert.deepEqual(await store.put(alice, [], 'ifAbsent'), { written: [], seq: 2 });
      assert.deepEqual(await log(store), ['1 n0', '2 n1']);
    },
  },
  {
    id: 'put.forgotten',
    sentence: 'skips entries with ifAbsent that are not newer than a removal of everything',
    contracts: [31],
    async check(store) {
      // The time of such a removal is also stored for an empty memory.
      await store.remove(alice, 'everything', 20.25);
      const { timestamp: _, ...timeless } = note('timeless');
      const entries = [
        note('old', { timestamp: 20 }),
        note('equal', { timestamp: 20.25 }),
        note('newer', { timestamp: 20.5 }),
        timeless,
      ];
      assert.deepEqual((await store.put(alice, entries, 'ifAbsent')).written, ['newer', 'timeless']);
      await store.remove(alice, 'everything', 5);
      assert.deepEqual((await store.put(alice, [note('still', { timestamp: 20 })], 'ifAbsent')).written, []);
      assert.deepEqual((await store.put({ ...alice, userId: 'bob' }, entries, 'ifAbsent')).written.length, 4);
    },
  },
  {
    id: 'put.no-alias',
    sentence: 'neither keeps nor freezes its arguments',
    contracts: [9],
    async check(store) {
      const entry = note('a');
      await store.put(alice, [entry], 'ifAbsent');
      entry.content.parts![0]!.text = 'changed';
      assert.deepEqual(await texts(store), ['a']);
    },
  },
  {
    id: 'put.many',
    sentence: 'writes, replaces and removes thousands of entries in one call, in order',
    contracts: [31, 34],
    async check(store) {
      const all = notes(2_345, { sessionId: 's' });
      assert.equal((await store.put(alice, all, 'ifAbsent')).written.length, 2_345);
      assert.deepEqual(
        await ids(store),
        all.map(({ id }) => id),
      );
      const { written, seq } = await store.put(alice, all, 'replace');
      assert.deepEqual([written.length, seq], [2_345, 4_690]);
      assert.deepEqual(await store.put(alice, [...all, note('z')], 'ifAbsent'), { written: ['z'], seq: 4_691 });
      assert.equal(
        (
          await store.get(
            alice,
            all.map(({ id }) => id),
          )
        ).length,
        2_345,
      );
      const half = all.slice(0, 1_200).map(({ id }) => id);
      assert.equal(await store.remove(alice, { ids: half }, 0), 1_200);
      assert.equal(await store.remove(alice, { sessionId: 's' }, 0), 1_145);
      assert.deepEqual(await ids(store), ['z']);
      assert.equal((await readAllChanges(store)).removals, 2_345);
    },
  },
  {
    id: 'put.race',
    sentence: 'writes each id once for concurrent writers, with numbers without gaps',
    contracts: [8, 31],
    needs: ['shared'],
    async check(store, t) {
      const stores = [store, await reopen(t), await reopen(t)];
      const puts = Array.from({ length: 24 }, (_, i) => {
        const entries = Array.from({ length: 10 }, (__, j) => note(`r${(i * 5 + j) % 60}`, { author: `writer ${i}` }));
        return stores[i % 3]!.put(alice, entries, 'ifAbsent');
      });
      const written = (await Promise.all(puts)).flatMap((each) => each.written);
      assert.deepEqual([written.length, new Set(written).size], [60, 60]);
      const seqs = (await readAllChanges(store)).changes.map(({ seq }) => seq);
      assert.deepEqual(
        seqs,
        Array.from({ length: 60 }, (_, i) => i + 1),
      );
    },
  },
  {
    id: 'put.race-of-kinds',
    sentence: 'keeps one line per id, with unique numbers, for concurrent puts and removals',
    contracts: [8, 31],
    needs: ['shared'],
    async check(store, t) {
      const stores = [store, await reopen(t)];
      const steps = Array.from({ length: 40 }, async (_, i) => {
        const one: MemoryStore = stores[i % 2]!;
        const entries = [note(`k${i % 7}`, { text: `text ${i}` }), note(`k${(i + 3) % 7}`, { text: `text ${i}` })];
        if (i % 5 === 4) await one.remove(alice, { ids: [`k${i % 7}`] }, 0);
        else await one.put(alice, entries, (['ifAbsent', 'replace', 'ifPresent'] as const)[i % 3]!);
      });
      await Promise.all(steps);
      const { changes, removals } = await readAllChanges(store);
      const names = changes.map((each) => ('removed' in each ? each.removed : each.entry.id));
      assert.equal(new Set(names).size, names.length);
      assert.equal(new Set(changes.map(({ seq }) => seq)).size, changes.length);
      assert.deepEqual(await readAllChanges(stores[1]!), { changes, removals, more: false });
      assert.deepEqual(await listAll(store), storedOf(changes));
    },
  },
];
