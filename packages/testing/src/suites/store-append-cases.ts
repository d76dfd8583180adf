import assert from 'node:assert/strict';
import {
  appendTo,
  askOf,
  expectGranted,
  insertSession,
  leasesOf,
  loadSession,
  marksOf,
  storedEvent,
  expectNotGranted,
} from './lease-store-support.ts';
import type { SessionStoreCase } from './lease-store-support.ts';
import { refTo, rejectsWith, same } from './session-support.ts';

const needs = ['lease'];
const ifHeldBy = 'invocation of f1';
const marks = { unfinished: 'i1', wakeAt: 5, openInterrupts: 1 };

/** The conditions of an append: fence, incarnation and `ifHeldBy`. */
export const storeAppendCases: readonly SessionStoreCase[] = [
  {
    id: 'store-append.incarnation',
    sentence: 'stores an event only in the session with the given incarnation',
    contracts: [7],
    async check(store) {
      const { incarnation } = await insertSession(store);
      await rejectsWith('SESSION_NOT_FOUND', appendTo(store, 'e1', { incarnation: 'other', marks }));
      const { event, duplicate } = await appendTo(store, 'e1', { incarnation });
      same([event.seq, duplicate], [1, false]);
      await rejectsWith('SESSION_NOT_FOUND', appendTo(store, 'e1', { incarnation: 'other' }), 'a known event');
      same([(await loadSession(store)).lastSeq, (await loadSession(store)).state], [1, { e1: 1 }]);
    },
  },
  {
    id: 'store-append.pruned',
    sentence: 'keeps the seq of the events of an inserted session whose oldest events were pruned',
    contracts: [8],
    async check(store) {
      const events = [storedEvent('e4', 4), storedEvent('e5', 5)];
      await insertSession(store, refTo(), { events, lastSeq: 5 });
      const { event } = await appendTo(store, 'e6');
      const again = await appendTo(store, 'e4');
      same([event.seq, again.duplicate, again.event.seq], [6, true, 4]);
      const loaded = await loadSession(store);
      const seqs = loaded.events.map(({ id, seq }) => [id, seq]);
      same(
        [loaded.lastSeq, seqs],
        [
          6,
          [
            ['e4', 4],
            ['e5', 5],
            ['e6', 6],
          ],
        ],
      );
      const newer = await store.load(refTo(), { afterSeq: 4 });
      same(
        newer?.events.map(({ id }) => id),
        ['e5', 'e6'],
        'afterSeq',
      );
      await insertSession(store, refTo('empty'), { lastSeq: 3 });
      same((await appendTo(store, 'e1', {}, refTo('empty'))).event.seq, 4, 'all events were pruned');
    },
  },
  {
    id: 'if-held-by.stores',
    sentence: 'stores an event without a fence while the invocation runs, and each id once',
    contracts: [7, 13],
    needs,
    async check(store) {
      const leases = leasesOf(store);
      await insertSession(store);
      await expectGranted(leases, askOf('f1'));
      const { event } = await appendTo(store, 'e1', { ifHeldBy, marks: { openInterrupts: 3 } });
      await appendTo(store, 'e2', { fence: 'f1' });
      const again = await appendTo(store, 'e1', { ifHeldBy, marks: { openInterrupts: 4 } });
      same([event.seq, again.duplicate, again.event.seq], [1, true, 1]);
      const session = await loadSession(store);
      same([session.lastSeq, session.state, session.marks.openInterrupts], [2, { e1: 1, e2: 1 }, 3]);
    },
  },
  {
    id: 'if-held-by.not-running',
    sentence: 'throws NOT_RUNNING and stores nothing if no live lease has this invocation',
    contracts: [7, 13],
    needs,
    async check(store, { runtime }) {
      const leases = leasesOf(store);
      await insertSession(store);
      await insertSession(store, refTo('other'));
      const before = await loadSession(store);
      const expectNotRunning = async (label: string): Promise<void> => {
        await rejectsWith('NOT_RUNNING', appendTo(store, `e-${label}`, { ifHeldBy, marks }), label);
        same(await loadSession(store), before, label);
      };
      await expectNotRunning('no lease');
      await expectGranted(leases, askOf('f0', { invocationId: ifHeldBy }), refTo('other'));
      await expectNotRunning('lease of another session');
      await expectGranted(leases, askOf('f2'));
      await expectNotGranted(leases, 'waiting', askOf('f1'));
      await expectNotRunning('waiting');
      await leases.release(refTo(), 'f2', {});
      await expectNotRunning('first in the line');
      await expectGranted(leases, askOf('f1', { isFirst: false, ttlMs: 1_000 }));
      await runtime.advance(1_500);
      await expectNotRunning('expired');
      await leases.renew(refTo(), 'f1', 5_000);
      await appendTo(store, 'e1', { ifHeldBy });
      await leases.release(refTo(), 'f1', {});
      const [{ lastSeq }, error] = [
        await loadSession(store),
        await rejectsWith('NOT_RUNNING', appendTo(store, 'e2', { ifHeldBy }), 'released'),
      ];
      same([lastSeq, error.retryable], [1, false]);
    },
  },
  {
    id: 'if-held-by.stopping',
    sentence: 'throws NOT_RUNNING after a stop request, but stores appends with the fence',
    contracts: [7, 13],
    needs,
    async check(store) {
      const leases = leasesOf(store);
      await insertSession(store);
      await insertSession(store, refTo('s2'));
      await expectGranted(leases, askOf('f1'));
      await leases.requestStop(refTo(), ifHeldBy);
      await rejectsWith('NOT_RUNNING', appendTo(store, 'e1', { ifHeldBy }), 'cancelled');
      await expectGranted(leases, askOf('f2', { invocationId: ifHeldBy }), refTo('s2'));
      await expectNotGranted(leases, 'waiting', askOf('f3', { policy: 'interrupt' }), refTo('s2'));
      await rejectsWith('NOT_RUNNING', appendTo(store, 'e1', { ifHeldBy }, refTo('s2')), 'interrupted');
      assert.equal((await appendTo(store, 'e1', { fence: 'f1' })).event.seq, 1);
      assert.equal((await appendTo(store, 'e1', { fence: 'f2' }, refTo('s2'))).event.seq, 1);
    },
  },
  {
    id: 'store-append.order-of-checks',
    sentence: 'checks the session first, then the event id, then fence and ifHeldBy',
    contracts: [7, 13],
    needs,
    async check(store) {
      const { incarnation } = await insertSession(store);
      await appendTo(store, 'e1');
      const conditions = [{ fence: 'none' }, { ifHeldBy }];
      for (const condition of conditions) {
        await rejectsWith('SESSION_NOT_FOUND', appendTo(store, 'e1', condition, refTo('none')));
        await rejectsWith('SESSION_NOT_FOUND', appendTo(store, 'e1', { ...condition, incarnation: 'other' }));
        const { duplicate } = await appendTo(store, 'e1', { ...condition, incarnation, marks });
        same(duplicate, true);
      }
      await rejectsWith('LEASE_LOST', appendTo(store, 'e2', { fence: 'none', incarnation, marks }));
      await rejectsWith('NOT_RUNNING', appendTo(store, 'e2', { ifHeldBy, incarnation, marks }));
      same(
        [(await loadSession(store)).lastSeq, await marksOf(store)],
        [1, { unfinished: null, wakeAt: null, openInterrupts: 0 }],
      );
    },
  },
];
