import assert from 'node:assert/strict';
import type { MemoryStore, IndexSegment } from '@thole/core';
import { alice, bob, note, notes, segmentedOf } from './memory-store-support.ts';
import type { MemoryStoreCase } from './memory-store-support.ts';
import { reopen } from './reopen.ts';

const needs = ['segmented'] as const;

function segment(upTo: number, more: Partial<IndexSegment> = {}): IndexSegment {
  return { analyzer: 'words 1', upTo, bytes: Uint8Array.of(upTo), ...more };
}

async function save(store: MemoryStore, given: IndexSegment, ifRemovals = 0): Promise<boolean> {
  return segmentedOf(store).saveSegment(alice, given, { ifRemovals });
}

/** Returns the saved segments, each as `analyzer upTo`. */
async function listSaved(store: MemoryStore): Promise<string[]> {
  const segments = await segmentedOf(store).loadSegments(alice);
  return segments.map(({ analyzer, upTo }) => `${analyzer} ${upTo}`).toSorted();
}

/** Saved segments of the derived index. A lost segment costs time, but does not change results. */
export const memoryStoreSegmentCases: readonly MemoryStoreCase[] = [
  {
    id: 'segment.bytes',
    sentence: 'returns a segment byte for byte, of any size, also in another process',
    contracts: [32],
    needs: ['segmented', 'shared'],
    async check(store, t) {
      await store.put(alice, notes(3), 'ifAbsent');
      const other = await reopen(t);
      for (const size of [256, 0, 5_000_001]) {
        // The store must store only the view, not the whole buffer below it.
        const bytes = new Uint8Array(size + 10).subarray(5, size + 5);
        for (let i = 0; i < size; i++) bytes[i] = i * 31 + (i >> 8);
        assert.equal(await save(store, segment(3, { bytes })), true);
        for (const each of [store, other]) {
          const [found, ...more] = await segmentedOf(each).loadSegments(alice);
          assert.deepEqual([found!.analyzer, found!.upTo, found!.bytes.length, more], ['words 1', 3, size, []]);
          assert.equal(Buffer.compare(found!.bytes, bytes), 0);
        }
      }
    },
  },
  {
    id: 'segment.none',
    sentence: 'returns no segments for a user without segments',
    contracts: [30],
    needs,
    async check(store) {
      assert.deepEqual(await listSaved(store), []);
      await store.put(alice, notes(1), 'ifAbsent');
      assert.deepEqual(await listSaved(store), []);
    },
  },
  {
    id: 'segment.covers',
    sentence: 'replaces a segment only by one of the same analyzer that ends at the same seq or later',
    contracts: [32],
    needs,
    async check(store) {
      await store.put(alice, notes(9), 'ifAbsent');
      assert.equal(await save(store, segment(3)), true);
      assert.equal(await save(store, segment(5, { analyzer: 'words 2' })), true);
      assert.equal(await save(store, segment(6)), true);
      assert.deepEqual(await listSaved(store), ['words 1 6', 'words 2 5']);
      assert.equal(await save(store, segment(6, { bytes: Uint8Array.of(99) })), true);
      const again = (await segmentedOf(store).loadSegments(alice)).find(({ upTo }) => upTo === 6);
      assert.deepEqual(Array.from(again!.bytes), [99]);
      await save(store, segment(4));
      const found = (await segmentedOf(store).loadSegments(alice)).filter(({ analyzer }) => analyzer === 'words 1');
      assert.equal(Math.max(...found.map(({ upTo }) => upTo)), 6);
    },
  },
  {
    id: 'segment.refused',
    sentence: 'rejects a segment after a later removal and keeps the saved ones',
    contracts: [31],
    needs,
    async check(store) {
      await store.put(alice, notes(9), 'ifAbsent');
      await store.remove(alice, { ids: ['n8'] }, 0);
      assert.equal(await save(store, segment(9)), false);
      assert.equal(await save(store, segment(9), 2), false);
      assert.deepEqual(await listSaved(store), []);
      assert.equal(await save(store, segment(10), 1), true);
      assert.equal(await save(store, segment(10), 0), false);
      assert.deepEqual(await listSaved(store), ['words 1 10']);
    },
  },
  {
    id: 'segment.removal',
    sentence: 'removes the segments that contain a removed entry, for every kind of removal',
    contracts: [31],
    needs,
    async check(store) {
      await store.put(alice, [...notes(4), note('s', { sessionId: 's' }), note('last')], 'ifAbsent');
      await save(store, segment(6));
      await save(store, segment(6, { analyzer: 'words 2' }));
      await store.remove(alice, { ids: ['nobody'] }, 0);
      assert.deepEqual(await listSaved(store), ['words 1 6', 'words 2 6']);
      await store.remove(alice, { sessionId: 's' }, 0);
      assert.deepEqual(await listSaved(store), []);
      assert.equal(await save(store, segment(7), 1), true);
      await store.remove(alice, { ids: ['n3'] }, 0);
      assert.deepEqual(await listSaved(store), []);
      assert.equal(await save(store, segment(8), 2), true);
      await store.remove(alice, 'everything', 0);
      assert.deepEqual(await listSaved(store), []);
    },
  },
  {
    id: 'segment.written-twice',
    sentence: 'keeps no segment of entries that were written twice and then removed',
    contracts: [31],
    needs,
    async check(store) {
      await store.put(alice, notes(3), 'ifAbsent');
      await save(store, segment(3));
      await store.put(alice, [note('n1', { text: 'other' })], 'replace');
      assert.deepEqual(await listSaved(store), ['words 1 3']);
      await store.remove(alice, { ids: ['n1'] }, 0);
      assert.deepEqual(await listSaved(store), []);
    },
  },
  {
    id: 'segment.race',
    sentence: 'rejects or removes a segment that is saved during a removal',
    contracts: [31],
    needs: ['segmented', 'shared'],
    async check(store, t) {
      const other = await reopen(t);
      for (let i = 0; i < 12; i++) {
        await store.put(alice, [note(`r${i}`)], 'ifAbsent');
        const { changes, removals } = await store.since(alice, 0, 1_000);
        const upTo = changes.at(-1)!.seq;
        await Promise.all([save(store, segment(upTo), removals), other.remove(alice, { ids: [`r${i}`] }, 0)]);
        assert.deepEqual(await listSaved(store), []);
      }
    },
  },
  {
    id: 'segment.others',
    sentence: 'keeps a user’s segments when another user removes entries',
    contracts: [30],
    needs,
    async check(store) {
      for (const scope of [alice, bob]) await store.put(scope, notes(2), 'ifAbsent');
      await save(store, segment(2));
      await store.remove(bob, 'everything', 0);
      assert.deepEqual(await listSaved(store), ['words 1 2']);
    },
  },
];
