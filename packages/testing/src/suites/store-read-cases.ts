import assert from 'node:assert/strict';
import type { EventReader, EventWatcher, SessionStore } from '@thole/core';
import { appendTo, insertSession, loadSession } from './lease-store-support.ts';
import type { SessionStoreCase } from './lease-store-support.ts';
import { numbers, refTo, same } from './session-support.ts';

const needs = ['watch'];

/** The step `readAfter` of an `EventReader`. */
export const storeReadCases: readonly SessionStoreCase[] = [
  {
    id: 'read-after.pages',
    sentence: 'returns the first events after a seq, oldest first, at most limit of them',
    contracts: [8],
    needs,
    async check(store) {
      const { incarnation } = await insertSession(store);
      for (const n of numbers(7)) await appendTo(store, `e${n}`);
      const read = readerOf(store);
      const seqs = async (afterSeq: number, limit: number): Promise<unknown> => {
        const found = await read(afterSeq, limit);
        same(found?.incarnation, incarnation);
        return found?.events.map(({ seq }) => seq);
      };
      same(await seqs(0, 3), [1, 2, 3]);
      same(await seqs(3, 3), [4, 5, 6]);
      same(await seqs(6, 3), [7]);
      same(await seqs(7, 3), []);
      same(await seqs(9, 3), []);
      same(await seqs(0, 100), numbers(7));
    },
  },
  {
    id: 'read-after.whole-events',
    sentence: 'returns the stored events and an empty list for a session without events',
    contracts: [8],
    needs,
    async check(store) {
      await insertSession(store);
      const read = readerOf(store);
      same((await read(0, 10))?.events, []);
      await appendTo(store, 'e1');
      same((await read(0, 10))?.events, (await loadSession(store)).events);
    },
  },
  {
    id: 'read-after.none',
    sentence: 'returns undefined for a session that does not exist or was deleted',
    contracts: [1, 8],
    needs,
    async check(store) {
      const read = readerOf(store);
      same(await read(0, 10), undefined);
      await insertSession(store, refTo('s', 'other'));
      same(await read(0, 10), undefined);
      await insertSession(store);
      await appendTo(store, 'e1');
      await store.remove(refTo(), {});
      same(await read(0, 10), undefined);
      await insertSession(store, refTo(), { incarnation: 'second' });
      const again = await read(1, 10);
      same([again?.incarnation, again?.events], ['second', []]);
    },
  },
];

function readerOf(store: SessionStore): (afterSeq: number, limit: number) => ReturnType<EventReader['readAfter']> {
  const { watching } = store.abilities as { watching?: EventWatcher & { reader?: EventReader } };
  const reader = watching?.reader;
  assert.ok(reader, 'abilities.watching must be a StoredEventWatcher');
  return (afterSeq, limit) => reader.readAfter(refTo(), afterSeq, limit, new AbortController().signal);
}
