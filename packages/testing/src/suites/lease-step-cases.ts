import assert from 'node:assert/strict';
import {
  appendTo,
  askOf,
  expectGranted,
  findHeldFences,
  insertSession,
  assertAbout,
  answerKindOf,
  leasesOf,
  loadSession,
  marksOf,
  expectNotGranted,
  versionsIn,
} from './lease-store-support.ts';
import type { SessionStoreCase } from './lease-store-support.ts';
import { numbers, refTo, rejectsWith, same } from './session-support.ts';

const needs = ['lease'];
const noMarks = { unfinished: null, wakeAt: null, openInterrupts: 0 };

/** The steps of a `LeaseStore` for the holder of a lease, and the lists of leases. */
export const leaseStepCases: readonly SessionStoreCase[] = [
  {
    id: 'head.last-event',
    sentence: 'returns the id of the last event with the head',
    contracts: [13],
    needs: [...needs, 'last-event'],
    async check(store) {
      const leases = leasesOf(store);
      await insertSession(store);
      same((await expectGranted(leases, askOf('f1'))).head?.lastEventId, undefined);
      await appendTo(store, 'e1');
      await appendTo(store, 'e2');
      same((await leases.renew(refTo(), 'f1', 5_000))?.head?.lastEventId, 'e2');
      same((await expectGranted(leases, askOf('f1'))).head?.lastEventId, 'e2');
    },
  },
  {
    id: 'renew.extends',
    sentence: 'extends a lease by ttlMs from now and returns the head of the session',
    contracts: [13],
    needs,
    async check(store, { runtime }) {
      const leases = leasesOf(store);
      const { incarnation } = await insertSession(store);
      await expectGranted(leases, askOf('f1', { ttlMs: 5_000 }));
      await appendTo(store, 'e1');
      await runtime.advance(4_000);
      const renewed = await leases.renew(refTo(), 'f1', 8_000);
      same(versionsIn(renewed?.head), { incarnation, lastSeq: 1, appVersion: 0, userVersion: 0 });
      assertAbout(renewed?.expiresInMs, 8_000);
      await runtime.advance(7_000);
      same(await answerKindOf(leases, askOf('f2', { policy: 'reject' })), 'busy');
      await runtime.advance(2_000);
      same(await answerKindOf(leases, askOf('f2', { policy: 'reject' })), 'granted');
    },
  },
  {
    id: 'renew.gone',
    sentence: 'returns undefined for a fence that has no lease, and extends nothing',
    contracts: [13],
    needs,
    async check(store) {
      const leases = leasesOf(store);
      await expectGranted(leases, askOf('f1', { ttlMs: 5_000 }));
      await expectNotGranted(leases, 'waiting', askOf('f2'));
      for (const fence of ['f2', 'other', '']) same(await leases.renew(refTo(), fence, 60_000), undefined, fence);
      same(await leases.renew(refTo('other'), 'f1', 60_000), undefined);
      assertAbout((await leases.poll([{ key: refTo(), fence: 'f1' }]))[0]?.expiresInMs, 5_000);
      await leases.release(refTo(), 'f1', {});
      same(await leases.renew(refTo(), 'f1', 60_000), undefined);
    },
  },
  {
    id: 'renew.expired',
    sentence: 'extends an expired lease, unless another run waits or has replaced it',
    contracts: [13, 43],
    needs,
    async check(store, { runtime }) {
      const leases = leasesOf(store);
      await expectGranted(leases, askOf('f1', { ttlMs: 1_000 }));
      await runtime.advance(5_000);
      assertAbout((await leases.renew(refTo(), 'f1', 1_000))?.expiresInMs, 1_000);
      await expectNotGranted(leases, 'waiting', askOf('f2'));
      assertAbout((await leases.renew(refTo(), 'f1', 1_000))?.expiresInMs, 1_000);
      await runtime.advance(1_500);
      same(await leases.renew(refTo(), 'f1', 1_000), undefined);
      await expectGranted(leases, askOf('f2', { isFirst: false }));
      same(await leases.renew(refTo(), 'f1', 1_000), undefined);
    },
  },
  {
    id: 'renew.interrupted',
    sentence: 'extends an interrupted lease only until cleanupMs after the interruption',
    contracts: [13],
    needs,
    async check(store, { runtime }) {
      const leases = leasesOf(store);
      await expectGranted(leases, askOf('f1'));
      await expectNotGranted(leases, 'waiting', askOf('f2', { policy: 'interrupt', cleanupMs: 2_000 }));
      await runtime.advance(1_000);
      assertAbout((await leases.renew(refTo(), 'f1', 60_000))?.expiresInMs, 1_000);
      await leases.release(refTo(), 'f2', {});
      await runtime.advance(1_500);
      same(await leases.renew(refTo(), 'f1', 60_000), undefined);
    },
  },
  {
    id: 'release.only-own',
    sentence: 'removes only the lease, or the waiting run, with the given fence',
    contracts: [13],
    needs,
    async check(store) {
      const leases = leasesOf(store);
      const again = { isFirst: false };
      await expectGranted(leases, askOf('f1'));
      for (const fence of ['f2', 'f3']) await expectNotGranted(leases, 'waiting', askOf(fence));
      same(await leases.release(refTo(), 'other', {}), true);
      same(await leases.release(refTo('other'), 'f1', {}), true);
      same(await findHeldFences(leases, 'f1'), ['f1']);
      same(await leases.release(refTo(), 'f2', {}), true);
      same([await leases.release(refTo(), 'f1', {}), await leases.release(refTo(), 'f1', {})], [true, true]);
      await expectGranted(leases, askOf('f3', again));
      same(await leases.release(refTo(), 'f1', {}), true);
      same(await findHeldFences(leases, 'f1', 'f3'), ['f3']);
    },
  },
  {
    id: 'release.if-last-seq',
    sentence: 'keeps the lease and returns false if the session has another lastSeq',
    contracts: [13],
    needs,
    async check(store) {
      const leases = leasesOf(store);
      await insertSession(store);
      await expectGranted(leases, askOf('f1'));
      await appendTo(store, 'e1', { fence: 'f1' });
      await appendTo(store, 'e2');
      const marks = { unfinished: 'i1' };
      for (const ifLastSeq of [0, 1, 3])
        same(await leases.release(refTo(), 'f1', { ifLastSeq, marks }), false, `released with ifLastSeq ${ifLastSeq}`);
      same([await findHeldFences(leases, 'f1'), await marksOf(store)], [['f1'], noMarks]);
      await appendTo(store, 'e3', { fence: 'f1' });
      same(await leases.release(refTo(), 'f1', { ifLastSeq: 3, marks }), true);
      same([await findHeldFences(leases, 'f1'), await marksOf(store)], [[], { ...noMarks, unfinished: 'i1' }]);
    },
  },
  {
    id: 'release.if-last-seq-without-session',
    sentence: 'removes the lease of a session that does not exist, whatever ifLastSeq is',
    contracts: [13],
    needs,
    async check(store) {
      const leases = leasesOf(store);
      await expectGranted(leases, askOf('f1'));
      same(await leases.release(refTo(), 'f1', { ifLastSeq: 7, marks: { openInterrupts: 1 } }), true);
      same(await findHeldFences(leases, 'f1'), []);
      await insertSession(store);
      same(await marksOf(store), noMarks);
    },
  },
  {
    id: 'release.lost',
    sentence: 'returns true and stores no marks for a fence that has no lease',
    contracts: [13],
    needs,
    async check(store, { runtime }) {
      const leases = leasesOf(store);
      await insertSession(store);
      await expectGranted(leases, askOf('f1', { ttlMs: 1_000 }));
      await runtime.advance(1_500);
      await expectGranted(leases, askOf('f2'));
      await expectNotGranted(leases, 'waiting', askOf('f3'));
      const marks = { unfinished: 'old', wakeAt: 1, openInterrupts: 1 };
      same(await leases.release(refTo(), 'f1', { ifLastSeq: 7, marks }), true);
      same(await leases.release(refTo(), 'f3', { marks }), true);
      same([await findHeldFences(leases, 'f2'), await marksOf(store)], [['f2'], noMarks]);
    },
  },
  {
    id: 'release.marks',
    sentence: 'stores the given marks with the release, and changes nothing else of the session',
    contracts: [13],
    needs,
    async check(store) {
      const leases = leasesOf(store);
      await insertSession(store, refTo(), { marks: { unfinished: 'i0', wakeAt: 1_700_000_050.25, openInterrupts: 2 } });
      await expectGranted(leases, askOf('f1'));
      await appendTo(store, 'e1', { fence: 'f1' });
      const before = await loadSession(store);
      await leases.release(refTo(), 'f1', { ifLastSeq: 1, marks: { unfinished: null, openInterrupts: 0 } });
      same(await loadSession(store), {
        ...before,
        marks: { unfinished: null, wakeAt: 1_700_000_050.25, openInterrupts: 0 },
      });
    },
  },
  {
    id: 'release.among-appends',
    sentence: 'either stores an event of another sender or releases the session, never both',
    contracts: [7, 13],
    needs,
    async check(store) {
      const leases = leasesOf(store);
      for (const n of numbers(8)) {
        const key = refTo(`s${n}`);
        await insertSession(store, key);
        const fence = `f${n}`;
        await expectGranted(leases, askOf(fence), key);
        const ifHeldBy = `invocation of ${fence}`;
        const steps = [
          () =>
            appendTo(store, 'e1', { ifHeldBy }, key).then(
              () => 'stored',
              () => 'refused',
            ),
          async () => ((await leases.release(key, fence, { ifLastSeq: 0 })) ? 'released' : 'kept'),
        ];
        const outcome = await Promise.all((n % 2 ? steps : steps.toReversed()).map((step) => step()));
        const { lastSeq } = await loadSession(store, key);
        const expected = lastSeq === 1 ? ['kept', 'stored'] : ['refused', 'released'];
        same([outcome.toSorted(), (await leases.current(key)) !== undefined], [expected, lastSeq === 1]);
      }
    },
  },
  {
    id: 'stop.request',
    sentence: 'stores a stop request for the invocation of the live lease and returns its fence',
    contracts: [13],
    needs,
    async check(store, { runtime }) {
      const leases = leasesOf(store);
      same(await leases.requestStop(refTo(), 'invocation of f1'), undefined);
      await expectGranted(leases, askOf('f1', { ttlMs: 5_000 }));
      await expectNotGranted(leases, 'waiting', askOf('f2'));
      for (const invocationId of ['invocation of f2', 'other', 'f1'])
        same(await leases.requestStop(refTo(), invocationId), undefined, invocationId);
      same(await leases.requestStop(refTo('other'), 'invocation of f1'), undefined);
      same((await leases.poll([{ key: refTo(), fence: 'f1' }]))[0]?.stop, undefined);
      same(await leases.requestStop(refTo(), 'invocation of f1'), 'f1');
      const [state] = await leases.poll([{ key: refTo(), fence: 'f1' }]);
      same(state?.stop, { by: undefined });
      assertAbout(state?.expiresInMs, 5_000);
      assertAbout((await leases.renew(refTo(), 'f1', 5_000))?.expiresInMs, 5_000);
      await runtime.advance(6_000);
      same(await leases.requestStop(refTo(), 'invocation of f1'), undefined);
    },
  },
  {
    id: 'stop.first',
    sentence: 'keeps the first stop request of a lease; a later interruption still shortens it',
    contracts: [13],
    needs,
    async check(store) {
      const leases = leasesOf(store);
      const stopOf = async (): Promise<unknown> => (await leases.poll([{ key: refTo(), fence: 'f1' }]))[0]?.stop;
      await expectGranted(leases, askOf('f1'));
      same(await leases.requestStop(refTo(), 'invocation of f1'), 'f1');
      const answer = await expectNotGranted(leases, 'waiting', askOf('f2', { policy: 'interrupt', cleanupMs: 1_000 }));
      assertAbout(answer.heldBy?.expiresInMs, 1_000);
      same(await stopOf(), { by: undefined });
      same(await leases.requestStop(refTo(), 'invocation of f1'), 'f1');
      await leases.release(refTo(), 'f1', {});
      await expectGranted(leases, askOf('f2', { policy: 'interrupt', isFirst: false }));
      same((await leases.poll([{ key: refTo(), fence: 'f2' }]))[0]?.stop, undefined, 'the next lease has no request');
    },
  },
  {
    id: 'poll.order',
    sentence: 'returns the states of many leases in the requested order, undefined for missing leases',
    contracts: [13],
    needs,
    async check(store, { runtime }) {
      const leases = leasesOf(store);
      const all = numbers(100).map((n) => ({ key: refTo(`s${n}`, `u${n % 3}`), fence: `f${n}` }));
      for (const [i, { key, fence }] of all.entries())
        await expectGranted(leases, askOf(fence, { ttlMs: (i + 1) * 1_000 }), key);
      for (const { key, fence } of all.slice(0, 2)) await leases.release(key, fence, {});
      await leases.requestStop(all[4]!.key, 'invocation of f5');
      await runtime.advance(3_500);
      const mixed = all.toReversed();
      const states = await leases.poll(mixed);
      same(states.length, 100);
      for (const [i, state] of states.entries()) {
        const n = 100 - i;
        if (n <= 2) same(state, undefined, `f${n}`);
        else assertAbout(state?.expiresInMs, n * 1_000 - 3_500);
        same(state?.stop, n === 5 ? { by: undefined } : undefined, `f${n}`);
      }
      same(await leases.poll([{ key: refTo('s3', 'u0'), fence: 'other' }]), [undefined]);
    },
  },
  {
    id: 'list.leases',
    sentence: 'returns the lease of a session and all leases of an app, also expired ones',
    contracts: [13, 41],
    needs,
    async check(store, { runtime }) {
      const leases = leasesOf(store);
      same(await leases.current(refTo()), undefined);
      await expectGranted(leases, askOf('f1', { holder: 'runner-7', ttlMs: 1_000 }), refTo('s1'));
      await expectGranted(leases, askOf('f2'), refTo('s2', 'u2'));
      await expectGranted(leases, askOf('f3'), refTo('s1', 'u', 'other'));
      await expectNotGranted(leases, 'waiting', askOf('f4'), refTo('s2', 'u2'));
      await runtime.advance(2_000);
      const first = {
        key: refTo('s1'),
        invocationId: 'invocation of f1',
        holder: 'runner-7',
        expiresAt: 1_700_000_001,
        expired: true,
      };
      same(await leases.current(refTo('s1')), first);
      const listed = await Array.fromAsync(leases.leases('app'));
      listed.sort((a, b) => (a.key.sessionId < b.key.sessionId ? -1 : 1));
      same(
        listed.map(({ key, invocationId, expired }) => [key, invocationId, expired]),
        [
          [refTo('s1'), 'invocation of f1', true],
          [refTo('s2', 'u2'), 'invocation of f2', false],
        ],
      );
      same(await Array.fromAsync(leases.leases('none')), []);
    },
  },
  {
    id: 'lease-names.odd',
    sentence: 'returns invocations, holders and processes with any characters unchanged',
    contracts: [1, 13],
    needs,
    async check(store) {
      const leases = leasesOf(store);
      const odd = ['a\0b', '日本語 🙂', '"quoted"', 'a\nb', "'; --", 'null', 'é'.repeat(300)];
      for (const [i, name] of odd.entries()) {
        const key = refTo(`s${i}`);
        await expectGranted(leases, askOf(`f${i}`, { invocationId: name, holder: name, process: name }), key);
        const { heldBy } = await expectNotGranted(leases, 'busy', askOf('f', { policy: 'reject' }), key);
        const info = await leases.current(key);
        same([heldBy?.invocationId, heldBy?.process], [name, name]);
        same([info?.invocationId, info?.holder, info?.process], [name, name, name]);
        same(await leases.requestStop(key, name), `f${i}`);
      }
    },
  },
  {
    id: 'lease-without-session.append',
    sentence: 'rejects an append without a session, and creates no session',
    contracts: [7, 13],
    needs,
    async check(store) {
      const leases = leasesOf(store);
      await expectGranted(leases, askOf('f1'));
      await rejectsWith('SESSION_NOT_FOUND', appendTo(store, 'e1', { fence: 'f1' }));
      assert.equal(await store.load(refTo(), {}), undefined);
    },
  },
];
