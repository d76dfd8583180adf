import { appendTo, insertSession, loadSession, marksOf } from './lease-store-support.ts';
import type { SessionStoreCase } from './lease-store-support.ts';
import { refTo, same } from './session-support.ts';

const noMarks = { unfinished: null, wakeAt: null, openInterrupts: 0 };

/** The marks of a session. */
export const storeMarkCases: readonly SessionStoreCase[] = [
  {
    id: 'marks.default',
    sentence: 'returns null, null and 0 for a session without marks, in load and list',
    contracts: [7],
    async check(store) {
      await insertSession(store);
      await appendTo(store, 'e1');
      same(await marksOf(store), noMarks);
      const { sessions } = await store.list({ appName: 'app' });
      same(sessions[0]?.marks, noMarks);
    },
  },
  {
    id: 'marks.set',
    sentence: 'stores the marks of an append with its event and keeps the marks that are left out',
    contracts: [7],
    async check(store) {
      await insertSession(store);
      await insertSession(store, refTo('other'));
      await appendTo(store, 'e1', { marks: { unfinished: 'i1', wakeAt: 1_700_000_000.125, openInterrupts: 2 } });
      same(await marksOf(store), { unfinished: 'i1', wakeAt: 1_700_000_000.125, openInterrupts: 2 });
      await appendTo(store, 'e2', { marks: { wakeAt: 1_800_000_000 } });
      same(await marksOf(store), { unfinished: 'i1', wakeAt: 1_800_000_000, openInterrupts: 2 });
      await appendTo(store, 'e3', { marks: {} });
      await appendTo(store, 'e4');
      same(await marksOf(store), { unfinished: 'i1', wakeAt: 1_800_000_000, openInterrupts: 2 });
      await appendTo(store, 'e5', { marks: { unfinished: null, wakeAt: null, openInterrupts: 0 } });
      same([await marksOf(store), await marksOf(store, refTo('other'))], [noMarks, noMarks]);
      same((await loadSession(store)).lastSeq, 5);
    },
  },
  {
    id: 'marks.undefined',
    sentence: 'treats a mark that is undefined as left out',
    contracts: [5],
    async check(store) {
      await insertSession(store, refTo(), { marks: { unfinished: 'i0', wakeAt: 7, openInterrupts: 1 } });
      await appendTo(store, 'e1', { marks: { unfinished: undefined, wakeAt: 8, openInterrupts: undefined } as never });
      same(await marksOf(store), { unfinished: 'i0', wakeAt: 8, openInterrupts: 1 });
    },
  },
  {
    id: 'marks.inserted',
    sentence: 'stores the marks of a new session and returns them in load and list',
    contracts: [2],
    async check(store) {
      const marks = { unfinished: 'i1', wakeAt: 1_700_000_009.5, openInterrupts: 4 };
      await insertSession(store, refTo(), { marks });
      same(await marksOf(store), marks);
      same((await store.list({ appName: 'app', userId: 'u' })).sessions[0]?.marks, marks);
    },
  },
  {
    id: 'marks.duplicate',
    sentence: 'stores no marks with an event that is stored already',
    contracts: [7],
    async check(store) {
      await insertSession(store);
      await appendTo(store, 'e1', { marks: { unfinished: 'i1' } });
      await appendTo(store, 'e1', { marks: { unfinished: 'i2', wakeAt: 1, openInterrupts: 1 } });
      same(await marksOf(store), { ...noMarks, unfinished: 'i1' });
    },
  },
  {
    id: 'marks.deleted',
    sentence: 'deletes the marks with the session',
    contracts: [11],
    async check(store) {
      await insertSession(store);
      await appendTo(store, 'e1', { marks: { unfinished: 'i1', wakeAt: 1, openInterrupts: 1 } });
      await store.remove(refTo(), {});
      await insertSession(store, refTo(), { incarnation: 'second' });
      same(await marksOf(store), noMarks);
      await appendTo(store, 'e1', { marks: { openInterrupts: 1 } });
      await store.removeUser({ appName: 'app', userId: 'u' });
      await insertSession(store, refTo(), { incarnation: 'third' });
      same(await marksOf(store), noMarks);
    },
  },
  {
    id: 'marks.odd-names',
    sentence: 'returns an unfinished invocation with odd characters unchanged',
    contracts: [1],
    async check(store) {
      await insertSession(store);
      const odd = ['null', '', '0', '日本語 🙂', 'a"b', "'; --", ' a ', 'A', 'é', 'e\u0301', 'x'.repeat(512)];
      for (const [i, unfinished] of odd.filter(Boolean).entries()) {
        await appendTo(store, `e${i}`, { marks: { unfinished } });
        same((await marksOf(store)).unfinished, unfinished);
      }
    },
  },
];
