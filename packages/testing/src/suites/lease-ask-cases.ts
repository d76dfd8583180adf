import assert from 'node:assert/strict';
import {
  askOf,
  expectGranted,
  findHeldFences,
  insertSession,
  assertAbout,
  answerKindOf,
  leasesOf,
  expectNotGranted,
  versionsIn,
} from './lease-store-support.ts';
import type { SessionStoreCase } from './lease-store-support.ts';
import { numbers, refTo, same } from './session-support.ts';

const needs = ['lease'];

/** The step `ask` of a `LeaseStore`. */
export const leaseAskCases: readonly SessionStoreCase[] = [
  {
    id: 'ask.free',
    sentence: 'grants a free session, with its head if it exists',
    contracts: [13],
    needs,
    async check(store) {
      const leases = leasesOf(store);
      const { incarnation } = await insertSession(store);
      const { head } = await expectGranted(leases, askOf('f1'));
      same(versionsIn(head), { incarnation, lastSeq: 0, appVersion: 0, userVersion: 0 });
      same((await expectGranted(leases, askOf('f2'), refTo('none'))).head, undefined);
    },
  },
  {
    id: 'ask.repeated',
    sentence: 'grants the session again to the fence that holds it, also with reject',
    contracts: [13],
    needs,
    async check(store) {
      const leases = leasesOf(store);
      await insertSession(store);
      const first = await expectGranted(leases, askOf('f1'));
      same((await expectGranted(leases, askOf('f1', { policy: 'reject' }))).head, first.head);
      same(await findHeldFences(leases, 'f1'), ['f1']);
      await leases.release(refTo(), 'f1', {});
      await expectGranted(leases, askOf('f2', { policy: 'reject' }));
    },
  },
  {
    id: 'ask.waiting',
    sentence: 'answers waiting with the live lease and the count of the other runs',
    contracts: [13],
    needs,
    async check(store, { runtime }) {
      const leases = leasesOf(store);
      await expectGranted(leases, askOf('f1', { process: 'process 1', ttlMs: 10_000 }));
      await runtime.advance(4_000);
      const counts: number[] = [];
      for (const fence of ['f2', 'f3', 'f4']) {
        const answer = await expectNotGranted(leases, 'waiting', askOf(fence));
        counts.push(answer.waiting);
        assert.ok(answer.heldBy, 'the answer must have heldBy, the live lease');
        const { expiresInMs, ...heldBy } = answer.heldBy;
        same(heldBy, { fence: 'f1', invocationId: 'invocation of f1', process: 'process 1' });
        assertAbout(expiresInMs, 6_000);
      }
      same(counts, [0, 1, 2]);
      same((await expectNotGranted(leases, 'waiting', askOf('f2', { isFirst: false }))).waiting, 2);
    },
  },
  {
    id: 'ask.order',
    sentence: 'grants a free session only to the first run in the line',
    contracts: [13],
    needs,
    async check(store) {
      const leases = leasesOf(store);
      const again = { isFirst: false };
      await expectGranted(leases, askOf('f1'));
      for (const fence of ['f2', 'f3']) await expectNotGranted(leases, 'waiting', askOf(fence));
      await leases.release(refTo(), 'f1', {});
      const later = await expectNotGranted(leases, 'waiting', askOf('f3', again));
      same([later.heldBy, later.waiting], [undefined, 1]);
      same(await answerKindOf(leases, askOf('f4')), 'waiting');
      await expectGranted(leases, askOf('f2', again));
      same((await expectNotGranted(leases, 'waiting', askOf('f3', again))).heldBy?.fence, 'f2');
      await leases.release(refTo(), 'f2', {});
      await expectGranted(leases, askOf('f3', again));
      await leases.release(refTo(), 'f3', {});
      await expectGranted(leases, askOf('f4', again));
    },
  },
  {
    id: 'ask.reject',
    sentence: 'answers busy to policy reject if a run holds the session or waits; the run does not wait',
    contracts: [13],
    needs,
    async check(store) {
      const leases = leasesOf(store);
      const reject = { policy: 'reject' } as const;
      await expectGranted(leases, askOf('f1', reject));
      same((await expectNotGranted(leases, 'busy', askOf('f2', reject))).heldBy?.fence, 'f1');
      same((await expectNotGranted(leases, 'waiting', askOf('f3'))).waiting, 0);
      await leases.release(refTo(), 'f1', {});
      same((await expectNotGranted(leases, 'busy', askOf('f4', reject))).heldBy, undefined);
      await expectGranted(leases, askOf('f3', { isFirst: false }));
    },
  },
  {
    id: 'ask.max-waiting',
    sentence: 'answers busy to a further run if maxWaiting runs wait; these keep their places',
    contracts: [13],
    needs,
    async check(store) {
      const leases = leasesOf(store);
      const limited = { maxWaiting: 2 };
      await expectGranted(leases, askOf('f1', limited));
      same((await expectNotGranted(leases, 'busy', askOf('f2', { maxWaiting: 0 }))).waiting, 0);
      for (const fence of ['f2', 'f3']) await expectNotGranted(leases, 'waiting', askOf(fence, limited));
      same((await expectNotGranted(leases, 'busy', askOf('f4', limited))).waiting, 2);
      same(await answerKindOf(leases, askOf('f3', { ...limited, isFirst: false })), 'waiting');
      await leases.release(refTo(), 'f2', {});
      same(await answerKindOf(leases, askOf('f5', limited)), 'waiting');
    },
  },
  {
    id: 'ask.expired',
    sentence: 'replaces an expired lease, unless an earlier run waits',
    contracts: [13, 43],
    needs,
    async check(store, { runtime }) {
      const leases = leasesOf(store);
      await expectGranted(leases, askOf('f1', { ttlMs: 1_000 }));
      await expectNotGranted(leases, 'waiting', askOf('f2'));
      await runtime.advance(1_500);
      same((await expectNotGranted(leases, 'waiting', askOf('f3'))).heldBy, undefined);
      await expectGranted(leases, askOf('f2', { isFirst: false }));
      same(await findHeldFences(leases, 'f1', 'f2'), ['f2']);
    },
  },
  {
    id: 'ask.dead',
    sentence: 'treats the lease with deadFence as expired, and no other lease',
    contracts: [13],
    needs,
    async check(store) {
      const leases = leasesOf(store);
      await expectGranted(leases, askOf('f1', { process: 'dead' }));
      same((await expectNotGranted(leases, 'busy', askOf('f2', { policy: 'reject' }))).heldBy?.process, 'dead');
      same(await answerKindOf(leases, askOf('f2', { policy: 'reject', deadFence: 'other' })), 'busy');
      await expectGranted(leases, askOf('f2', { policy: 'reject', deadFence: 'f1' }));
      same(await findHeldFences(leases, 'f1', 'f2'), ['f2']);
    },
  },
  {
    id: 'ask.interrupt',
    sentence: 'stores a stop request, shortens the lease and puts an interrupting run first',
    contracts: [13],
    needs,
    async check(store) {
      const leases = leasesOf(store);
      await expectGranted(leases, askOf('f1'));
      await expectNotGranted(leases, 'waiting', askOf('f2'));
      const answer = await expectNotGranted(leases, 'waiting', askOf('f3', { policy: 'interrupt', cleanupMs: 5_000 }));
      same([answer.heldBy?.fence, answer.waiting], ['f1', 1]);
      assertAbout(answer.heldBy?.expiresInMs, 5_000);
      const [state] = await leases.poll([{ key: refTo(), fence: 'f1' }]);
      same(state?.stop, { by: 'invocation of f3' });
      assertAbout(state?.expiresInMs, 5_000);
      await leases.release(refTo(), 'f1', {});
      same(await answerKindOf(leases, askOf('f2', { isFirst: false })), 'waiting');
      await expectGranted(leases, askOf('f3', { policy: 'interrupt', isFirst: false }));
    },
  },
  {
    id: 'ask.interrupt-free',
    sentence: 'grants a free session to an interrupting run without a stop request',
    contracts: [13],
    needs,
    async check(store) {
      const leases = leasesOf(store);
      await expectGranted(leases, askOf('f1', { policy: 'interrupt' }));
      const [state] = await leases.poll([{ key: refTo(), fence: 'f1' }]);
      same(state?.stop, undefined);
      assertAbout(state?.expiresInMs, 30_000);
    },
  },
  {
    id: 'ask.overtaken',
    sentence: 'answers overtaken to an interrupting run that a later interrupting run has replaced',
    contracts: [13],
    needs,
    async check(store) {
      const leases = leasesOf(store);
      const interrupt = { policy: 'interrupt', maxWaiting: 2 } as const;
      await expectGranted(leases, askOf('f1'));
      await expectNotGranted(leases, 'waiting', askOf('f2'));
      await expectNotGranted(leases, 'waiting', askOf('f3', { ...interrupt, cleanupMs: 1_000 }));
      const answer = await expectNotGranted(leases, 'waiting', askOf('f4', { ...interrupt, cleanupMs: 9_000 }));
      same(answer.waiting, 1);
      // The first stop request and the earliest expiry are kept.
      assertAbout(answer.heldBy?.expiresInMs, 1_000);
      const [state] = await leases.poll([{ key: refTo(), fence: 'f1' }]);
      same(state?.stop, { by: 'invocation of f3' });
      const again = { ...interrupt, isFirst: false };
      same(await answerKindOf(leases, askOf('f3', again)), 'overtaken');
      await leases.release(refTo(), 'f3', {});
      await leases.release(refTo(), 'f1', {});
      same(await answerKindOf(leases, askOf('f2', { isFirst: false })), 'waiting');
      await expectGranted(leases, askOf('f4', again));
    },
  },
  {
    id: 'ask.overtaken-later',
    sentence: 'answers overtaken also after the later run has taken or left the session',
    contracts: [13],
    needs,
    async check(store) {
      const leases = leasesOf(store);
      const interrupt = { policy: 'interrupt' } as const;
      await expectGranted(leases, askOf('f1'));
      for (const fence of ['f2', 'f3']) await expectNotGranted(leases, 'waiting', askOf(fence, interrupt));
      await leases.release(refTo(), 'f1', {});
      await expectGranted(leases, askOf('f3', { ...interrupt, isFirst: false }));
      same(await answerKindOf(leases, askOf('f2', { ...interrupt, isFirst: false })), 'overtaken');
    },
  },
  {
    id: 'ask.concurrent',
    sentence: 'grants a session to one of ten concurrent requests',
    contracts: [13],
    needs,
    async check(store) {
      const leases = leasesOf(store);
      const fences = numbers(10).map((n) => `f${n}`);
      const kinds = await Promise.all(fences.map((fence) => answerKindOf(leases, askOf(fence))));
      same(kinds.toSorted(), ['granted', ...Array.from({ length: 9 }, () => 'waiting')]);
      same(await findHeldFences(leases, ...fences), [fences[kinds.indexOf('granted')]]);
    },
  },
  {
    id: 'ask.sessions-apart',
    sentence: 'grants sessions with different names, users and apps independently',
    contracts: [1, 13],
    needs,
    async check(store) {
      const leases = leasesOf(store);
      const keys = [refTo('s'), refTo('s2'), refTo('s', 'u2'), refTo('s', 'u', 'a2')];
      for (const [i, key] of keys.entries()) await expectGranted(leases, askOf(`f${i}`, { policy: 'reject' }), key);
      for (const [i, key] of keys.entries()) same((await leases.current(key))?.invocationId, `invocation of f${i}`);
    },
  },
];
