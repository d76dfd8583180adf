import assert from 'node:assert/strict';
import { TholeError } from '@thole/core';
import type { MemoryFilter } from '@thole/core';
import type { StoredMemoryFilter } from '@thole/core/kit';
import { alice, bob, readAllChanges, ids, listAll, log, note, notes } from './memory-store-support.ts';
import type { MemoryStoreCase } from './memory-store-support.ts';
import { reopen } from './reopen.ts';

/** Results of `since`, `get` and `list`. */
export const memoryStoreReadCases: readonly MemoryStoreCase[] = [
  {
    id: 'list.expiry',
    sentence: 'lists only expired entries, or only entries that have not expired, at a time',
    contracts: [34],
    async check(store) {
      const texts = [note('a'), { ...note('b'), expiresAt: 10 }, { ...note('c'), expiresAt: 11 }];
      await store.put(alice, texts, 'ifAbsent');
      const by = async (filter: StoredMemoryFilter): Promise<string[]> =>
        (await store.list(alice, { limit: 10, filter })).memories.map(({ entry }) => entry.id);
      assert.deepEqual(await by({ liveAt: 9 }), ['a', 'b', 'c']);
      assert.deepEqual(await by({ liveAt: 10 }), ['a', 'c']);
      assert.deepEqual(await by({ liveAt: 12 }), ['a']);
      assert.deepEqual(await by({ expiredAt: 9 }), []);
      assert.deepEqual(await by({ expiredAt: 10 }), ['b']);
      assert.deepEqual(await by({ expiredAt: 12 }), ['b', 'c']);
    },
  },
  {
    id: 'since.once',
    sentence: 'returns each id once, at its last write or removal, in order of numbers',
    contracts: [31],
    async check(store) {
      await store.put(alice, [note('a'), note('b'), note('c')], 'ifAbsent');
      await store.put(alice, [note('a')], 'replace');
      await store.remove(alice, { ids: ['b', 'nobody'] }, 0);
      assert.deepEqual(await log(store), ['3 c', '4 a', '5 -b']);
      await store.put(alice, [note('b')], 'replace');
      assert.deepEqual(await log(store), ['3 c', '4 a', '6 b']);
      assert.deepEqual(await log(store, alice, { after: 4 }), ['6 b']);
      assert.deepEqual(await log(store, alice, { after: 6 }), []);
      assert.deepEqual(await log(store, alice, { after: 600 }), []);
    },
  },
  {
    id: 'since.nothing',
    sentence: 'returns no changes and no removals for an unknown user',
    contracts: [30],
    async check(store) {
      const { changes, removals, more } = await store.since(alice, 0, 10);
      assert.deepEqual({ changes, removals, more }, { changes: [], removals: 0, more: false });
      assert.deepEqual(await store.get(alice, ['a']), []);
      const { memories, next } = await store.list(alice, { limit: 10 });
      assert.deepEqual([memories, next], [[], undefined]);
      assert.equal(await store.remove(alice, { ids: ['a'] }, 0), 0);
      assert.equal(await store.remove(alice, { sessionId: 's' }, 0), 0);
      assert.equal(await store.remove(alice, 'everything', 0), 0);
    },
  },
  {
    id: 'since.pages',
    sentence: 'returns a long log in pages, with `more` if another follows',
    contracts: [31],
    async check(store) {
      await store.put(alice, notes(5), 'ifAbsent');
      await store.remove(alice, { ids: ['n1'] }, 0);
      const expected = ['1 n0', '3 n2', '4 n3', '5 n4', '6 -n1'];
      for (const page of [1, 2, 5, 100]) assert.deepEqual(await log(store, alice, { page }), expected);
      assert.deepEqual((await store.since(alice, 0, 5)).more, false);
      assert.deepEqual((await store.since(alice, 0, 4)).more, true);
      assert.deepEqual((await store.since(alice, 0, 2)).removals, 1);
    },
  },
  {
    id: 'since.while-others-write',
    sentence: 'returns the current entries over all pages, also during writes and deletions',
    contracts: [31],
    needs: ['shared'],
    async check(store, t) {
      const writer = await reopen(t);
      await store.put(alice, notes(60), 'ifAbsent');
      let isOver = false;
      const writing = (async () => {
        for (let i = 0; i < 60; i++) {
          await writer.put(
            alice,
            [note(`n${(i * 7) % 80}`, { text: `text ${i}` })],
            i % 2 === 0 ? 'replace' : 'ifAbsent',
          );
          await writer.remove(alice, { ids: [`n${(i * 11) % 60}`] }, 0);
        }
        isOver = true;
      })();
      const replica = new Map<string, string>();
      let seq = 0;
      for (let isLast = false; ;) {
        const { changes, more } = await store.since(alice, seq, 7);
        for (const each of changes) {
          assert.ok(each.seq > seq, 'seq must increase');
          seq = each.seq;
          if ('removed' in each) replica.delete(each.removed);
          else replica.set(each.entry.id, JSON.stringify(each.entry));
        }
        assert.ok(changes.length > 0 || !more, 'a page with more = true must not be empty');
        if (!more && isLast) break;
        isLast = isOver;
      }
      await writing;
      const stored = (await listAll(store)).map(({ entry }) => [entry.id, JSON.stringify(entry)] as const);
      assert.deepEqual(Object.fromEntries(replica), Object.fromEntries(stored));
    },
  },
  {
    id: 'since.previous',
    sentence: 'returns the last change up to the number, of entries and removals, with the id of its write',
    contracts: [31],
    needs: ['history'],
    async check(store) {
      assert.equal((await store.since(alice, 0, 10)).previous, null);
      assert.equal((await store.since(alice, 5, 10)).previous, null);
      await store.put(alice, [note('a'), note('b')], 'ifAbsent');
      await store.put(alice, [note('c')], 'ifAbsent');
      await store.remove(alice, { ids: ['a'] }, 0);
      await store.put(alice, [note('b')], 'replace');
      const { changes, previous } = await store.since(alice, 0, 10);
      assert.equal(previous, null);
      const places = changes.map((each) => ({
        ...{ seq: each.seq, id: 'removed' in each ? each.removed : each.entry.id },
        writeId: each.writeId,
      }));
      assert.deepEqual(
        places.map(({ seq, id }) => `${seq} ${id}`),
        ['3 c', '4 a', '5 b'],
      );
      for (const [after, expected] of [null, null, null, ...places, places[2], places[2]].entries()) {
        const page = await store.since(alice, after, 1);
        assert.deepEqual(page.previous, expected, `since(${after})`);
      }
      assert.equal((await store.since(bob, 4, 10)).previous, null);
    },
  },
  {
    id: 'since.write-id',
    sentence: 'returns the same id for changes of one write, and another id for each other write',
    contracts: [31],
    needs: ['history', 'shared'],
    async check(store, t) {
      const other = await reopen(t);
      await store.put(alice, [note('a'), note('b')], 'ifAbsent');
      for (const each of [store, other, store]) await each.put(alice, [note('c')], 'replace');
      await other.put(alice, [note('d')], 'ifAbsent');
      await store.put(bob, [note('a')], 'ifAbsent');
      await store.remove(alice, { ids: ['d'] }, 0);
      const writeIds: (string | undefined)[] = [];
      for (const scope of [alice, bob]) {
        for (const { writeId } of (await store.since(scope, 0, 10)).changes) writeIds.push(writeId);
      }
      const [a, b, ...others] = writeIds;
      assert.equal(a, b);
      assert.ok(
        writeIds.every((id) => typeof id === 'string' && id !== ''),
        'each change must have the id of its write',
      );
      assert.equal(new Set([a, ...others]).size, 1 + others.length);
    },
  },
  {
    id: 'since.removals',
    sentence: 'counts each removed entry in `removals`, repeated removals included',
    contracts: [31],
    async check(store) {
      await store.put(alice, [note('a'), note('b', { sessionId: 's' }), note('c')], 'ifAbsent');
      await store.remove(alice, { ids: ['a', 'a', 'nobody'] }, 0);
      await store.remove(alice, { ids: ['a'] }, 0);
      assert.equal((await store.since(alice, 0, 10)).removals, 1);
      await store.put(alice, [note('a'), note('c')], 'replace');
      await store.remove(alice, { ids: ['a'] }, 0);
      await store.remove(alice, { sessionId: 's' }, 0);
      await store.remove(alice, 'everything', 0);
      await store.remove(alice, 'everything', 0);
      assert.equal((await store.since(alice, 0, 10)).removals, 4);
    },
  },
  {
    id: 'get.ids',
    sentence: 'returns existing entries in the requested order, each once, with their numbers',
    contracts: [33],
    async check(store) {
      await store.put(alice, notes(4), 'ifAbsent');
      await store.remove(alice, { ids: ['n1'] }, 0);
      const found = await store.get(alice, ['n3', 'nobody', 'n0', 'n3', 'n1']);
      assert.deepEqual(found, [
        { seq: 4, entry: note('n3') },
        { seq: 1, entry: note('n0') },
      ]);
      assert.deepEqual(await store.get(alice, []), []);
    },
  },
  {
    id: 'list.pages',
    sentence: 'lists in the order of the log, page after page, without `next` on the last',
    contracts: [34],
    async check(store) {
      await store.put(alice, notes(7), 'ifAbsent');
      await store.put(alice, [note('n0')], 'replace');
      await store.remove(alice, { ids: ['n3'] }, 0);
      const expected = ['n1', 'n2', 'n4', 'n5', 'n6', 'n0'];
      for (const limit of [1, 2, 3, 5, 6, 7]) {
        const found = await listAll(store, alice, { limit });
        assert.deepEqual(
          found.map(({ entry }) => entry.id),
          expected,
        );
      }
      assert.equal((await store.list(alice, { limit: 6 })).next, undefined);
      assert.deepEqual(
        (await listAll(store)).map(({ seq }) => seq),
        [2, 3, 5, 6, 7, 8],
      );
    },
  },
  {
    id: 'list.while-others-write',
    sentence: 'keeps the position of a cursor while entries are added, deleted and changed',
    contracts: [34],
    async check(store) {
      await store.put(alice, notes(6), 'ifAbsent');
      const first = await store.list(alice, { limit: 2 });
      await store.remove(alice, { ids: ['n0', 'n1', 'n2'] }, 0);
      await store.put(alice, [note('n3', { text: 'changed' }), note('new')], 'replace');
      const rest = await listAll(store, alice, { cursor: first.next });
      assert.deepEqual(
        rest.map(({ entry }) => entry.id),
        ['n4', 'n5', 'n3', 'new'],
      );
    },
  },
  {
    id: 'list.cursor',
    sentence: 'rejects an invalid cursor',
    contracts: [42],
    async check(store) {
      await store.put(alice, notes(2), 'ifAbsent');
      for (const cursor of ['', 'x', '-1', '1.5', '1e3', '9'.repeat(30), "1' OR '1'='1"]) {
        await assert.rejects(store.list(alice, { limit: 1, cursor }), (error) => TholeError.is(error, 'INVALID_INPUT'));
      }
    },
  },
  {
    id: 'list.filter',
    sentence: 'applies every condition of a filter, alone and combined',
    contracts: [32, 34],
    async check(store) {
      const { timestamp: _, ...timeless } = note('timeless', { author: 'user' });
      await store.put(
        alice,
        [
          note('turn', { kind: 'turn', timestamp: 10, author: 'user', sessionId: 's1' }),
          note('other', { kind: 'turn', timestamp: 20.5, author: 'agent', sessionId: 's1:s2' }),
          note('fact', { kind: 'fact', timestamp: 30, validFrom: 10, validTo: 20, sessionId: 's2' }),
          note('lasting', { kind: 'fact', timestamp: 31, author: 'user' }),
          note('note', { timestamp: -5.5, customMetadata: { topic: 'room', n: 1, is: true } }),
          timeless,
        ],
        'ifAbsent',
      );
      const found = async (filter: MemoryFilter): Promise<string> =>
        (await listAll(store, alice, { filter, limit: 2 })).map(({ entry }) => entry.id).join(' ');
      const expected: readonly (readonly [MemoryFilter, string])[] = [
        [{}, 'turn other fact lasting note timeless'],
        [{ kinds: ['turn'] }, 'turn other'],
        [{ kinds: ['fact'] }, 'fact lasting'],
        [{ kinds: ['note', 'fact'] }, 'fact lasting note timeless'],
        [{ kinds: [] }, ''],
        [{ from: 20.5 }, 'other fact lasting'],
        [{ to: 20.5 }, 'turn note'],
        [{ from: 10, to: 30 }, 'turn other'],
        [{ from: 0, to: 0 }, ''],
        [{ validAt: 10 }, 'fact lasting'],
        [{ validAt: 20 }, 'lasting'],
        [{ validAt: 15, kinds: ['turn'] }, ''],
        [{ author: 'user' }, 'turn lasting timeless'],
        [{ author: 'User' }, ''],
        [{ sessionId: 's1' }, 'turn'],
        [{ sessionId: 's1:s2' }, 'other'],
        [{ sessionId: 's' }, ''],
        [{ metadata: { topic: 'room', n: 1, is: true } }, 'note'],
        [{ metadata: { n: '1' } }, ''],
        [{ metadata: { constructor: 'x' } }, ''],
        [{ kinds: ['turn'], from: 10, author: 'agent', sessionId: 's1:s2' }, 'other'],
        [{ kinds: ['turn'], from: 10, author: 'user', sessionId: 's1:s2' }, ''],
      ];
      for (const [filter, ids] of expected) assert.equal(await found(filter), ids, JSON.stringify(filter));
      await store.put(alice, [note('turn', { sessionId: 's2' })], 'replace');
      assert.equal(await found({ sessionId: 's1' }), '');
      assert.equal(await found({ sessionId: 's2' }), 'fact turn');
      assert.equal(await found({ kinds: ['turn'] }), 'other');
      await store.remove(alice, { ids: ['fact'] }, 0);
      assert.equal(await found({ kinds: ['fact'] }), 'lasting');
      assert.equal(await found({ sessionId: 's2' }), 'turn');
    },
  },
  {
    id: 'list.few-among-many',
    sentence: 'finds the few entries of thousands that match a filter, on a full page',
    contracts: [34],
    async check(store) {
      const many = notes(3_000).map((each, i) => (i % 700 === 650 ? { ...each, author: 'rare' } : each));
      await store.put(alice, many, 'ifAbsent');
      const filter = { author: 'rare' };
      const first = await store.list(alice, { limit: 3, filter });
      assert.deepEqual(
        first.memories.map(({ entry }) => entry.id),
        ['n650', 'n1350', 'n2050'],
      );
      const second = await store.list(alice, { limit: 3, filter, cursor: first.next });
      assert.deepEqual([second.memories.map(({ entry }) => entry.id), second.next], [['n2750'], undefined]);
      assert.equal((await store.list(alice, { limit: 5_000 })).memories.length, 3_000);
    },
  },
  {
    id: 'read.elsewhere',
    sentence: 'returns writes and removals of another instance at once',
    contracts: [31],
    needs: ['shared'],
    async check(store, t) {
      const other = await reopen(t);
      await store.put(alice, [note('a'), note('b')], 'ifAbsent');
      assert.deepEqual(await ids(other), ['a', 'b']);
      await other.remove(alice, { ids: ['a'] }, 0);
      assert.deepEqual(await ids(store), ['b']);
      assert.deepEqual((await readAllChanges(store)).removals, 1);
    },
  },
];
