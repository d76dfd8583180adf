import assert from 'node:assert/strict';
import { alice, readAllChanges, ids, log, note, notes, texts } from './memory-store-support.ts';
import type { MemoryStoreCase } from './memory-store-support.ts';

/** Removals of a memory store. */
export const memoryStoreRemoveCases: readonly MemoryStoreCase[] = [
  {
    id: 'remove.ids',
    sentence: 'removes entries by id, counts each once, and leaves tombstones',
    contracts: [31, 34],
    async check(store) {
      await store.put(alice, notes(4), 'ifAbsent');
      assert.equal(await store.remove(alice, { ids: ['n2', 'nobody', 'n0', 'n2'] }, 0), 2);
      assert.equal(await store.remove(alice, { ids: ['n2'] }, 0), 0);
      assert.equal(await store.remove(alice, { ids: [] }, 0), 0);
      assert.deepEqual(await ids(store), ['n1', 'n3']);
      const logged = await log(store);
      assert.deepEqual(logged.slice(0, 2), ['2 n1', '4 n3']);
      assert.deepEqual(
        logged
          .slice(2)
          .map((line) => line.split(' ')[1]!)
          .toSorted(),
        ['-n0', '-n2'],
      );
    },
  },
  {
    id: 'remove.session',
    sentence: 'removes the entries of one session and none of sessions with similar names',
    contracts: [1, 31, 34],
    async check(store) {
      const sessions = [
        's',
        's1',
        'S',
        's ',
        '"s"',
        's"',
        '["s"',
        's\n',
        's:',
        '%73',
        'ſ',
        's%',
        's_',
        '',
        'é',
        'e\u0301',
      ];
      await store.put(
        alice,
        sessions.map((sessionId, i) => note(`n${i}`, { sessionId })),
        'ifAbsent',
      );
      await store.put(alice, [note('without')], 'ifAbsent');
      for (const [i, sessionId] of sessions.entries()) {
        assert.equal(await store.remove(alice, { sessionId }, 0), 1, JSON.stringify(sessionId));
        assert.equal(await store.remove(alice, { sessionId }, 0), 0);
        const left = sessions.map((_, at) => `n${at}`).slice(i + 1);
        assert.deepEqual(await ids(store), [...left, 'without']);
      }
    },
  },
  {
    id: 'remove.session-moved',
    sentence: 'removes an entry only with the session of its last write',
    contracts: [31],
    async check(store) {
      await store.put(alice, [note('a', { sessionId: 's1' }), note('b', { sessionId: 's1' })], 'ifAbsent');
      await store.put(alice, [note('a', { sessionId: 's2' }), note('b')], 'replace');
      assert.equal(await store.remove(alice, { sessionId: 's1' }, 0), 0);
      assert.deepEqual(await ids(store), ['a', 'b']);
      assert.equal(await store.remove(alice, { sessionId: 's2' }, 0), 1);
      await store.put(alice, [note('a')], 'replace');
      assert.equal(await store.remove(alice, { sessionId: 's2' }, 0), 0);
      assert.deepEqual(await ids(store), ['b', 'a']);
    },
  },
  {
    id: 'remove.everything',
    sentence: 'removes everything, with a tombstone for each entry, and continues the numbering',
    contracts: [31, 34],
    async check(store) {
      await store.put(alice, [...notes(5), note('s', { sessionId: 's' }), note('f', { kind: 'fact' })], 'ifAbsent');
      await store.remove(alice, { ids: ['n1'] }, 0);
      assert.equal(await store.remove(alice, 'everything', 100), 6);
      assert.deepEqual(await ids(store), []);
      const { changes, removals } = await readAllChanges(store);
      assert.deepEqual([changes.length, removals, changes.at(-1)!.seq], [7, 7, 14]);
      assert.ok(
        changes.every((each) => 'removed' in each),
        'each change must be a tombstone',
      );
      assert.deepEqual(await store.put(alice, [note('after', { timestamp: 101 })], 'ifAbsent'), {
        written: ['after'],
        seq: 15,
      });
      assert.equal(await store.remove(alice, 'everything', 100), 1);
    },
  },
  {
    id: 'remove.text',
    sentence: 'does not return removed or replaced text from any method',
    contracts: [31],
    async check(store) {
      await store.put(
        alice,
        ['a', 'b', 'c'].map((id) => note(id, { text: 'a secret', sessionId: id })),
        'ifAbsent',
      );
      await store.remove(alice, { ids: ['a'] }, 0);
      await store.remove(alice, { sessionId: 'b' }, 0);
      await store.put(alice, [note('c')], 'replace');
      const results = [await store.since(alice, 0, 10), await store.get(alice, ['a', 'b', 'c']), await texts(store)];
      assert.ok(!JSON.stringify(results).includes('secret'), 'a method returned the removed or replaced text');
    },
  },
  {
    id: 'remove.again',
    sentence: 'removes an entry that was written again, and logs only its last removal',
    contracts: [31],
    async check(store) {
      for (let i = 0; i < 3; i++) {
        await store.put(alice, [note('a', { sessionId: 's', kind: 'fact' })], 'replace');
        assert.equal(await store.remove(alice, i === 1 ? { sessionId: 's' } : { ids: ['a'] }, 0), 1);
      }
      assert.deepEqual(await log(store), ['6 -a']);
    },
  },
];
