import assert from 'node:assert/strict';
import { TholeError } from '@thole/core';
import type { Lease } from '@thole/core';
import { eventOf, idsOf, read, refTo, rejectsWith, same } from './session-support.ts';
import type { SessionCase } from './session-support.ts';
import { abortsWithin, settlesWithin, staysPending } from './waiting.ts';

import { setUpLeasing, request } from './lease-support.ts';

const needs = ['lease'];

/** The policy `interrupt` and `requestStop`. */
export const sessionInterruptCases: readonly SessionCase[] = [
  {
    id: 'lease.interrupt',
    sentence: 'sends the holder a stop request and grants the session to the interrupting run next',
    contracts: [13],
    needs,
    async check(service, { runtime }) {
      const leasing = await setUpLeasing(service);
      const first = await leasing.lease(refTo(), request('i1'));
      const queued = leasing.lease(refTo(), request('i2'));
      await staysPending(runtime, queued);
      const newer = leasing.lease(refTo(), request('i3', { policy: 'interrupt' }));
      assert.ok(
        TholeError.is(await abortsWithin(runtime, first.stop, 2_000), 'RUN_INTERRUPTED'),
        'stop must be aborted with RUN_INTERRUPTED',
      );
      await staysPending(runtime, newer);
      await service.appendEvent({ session: refTo(), event: eventOf('cleanup'), fence: first.fence });
      await first.release();
      const lease = await settlesWithin(runtime, newer, 5_000);
      await staysPending(runtime, queued);
      await lease.release();
      await settlesWithin(runtime, queued, 5_000);
      same(idsOf((await read(service)).events), ['cleanup']);
    },
  },
  {
    id: 'lease.interrupt-newest',
    sentence: 'ends an older interrupting run with RUN_INTERRUPTED; queued runs keep their places',
    contracts: [13],
    needs,
    async check(service, { runtime }) {
      const leasing = await setUpLeasing(service);
      const interrupting = (id: string): Promise<Lease> =>
        leasing.lease(refTo(), request(id, { policy: 'interrupt', maxWaiting: 2 }));
      const first = await leasing.lease(refTo(), request('i1'));
      const queued = leasing.lease(refTo(), request('queued'));
      await staysPending(runtime, queued);
      const second = interrupting('i2');
      await abortsWithin(runtime, first.stop, 2_000);
      const third = interrupting('i3');
      await rejectsWith('RUN_INTERRUPTED', settlesWithin(runtime, second, 2_000), 'second');
      await staysPending(runtime, third);
      const fourth = interrupting('i4');
      await rejectsWith('RUN_INTERRUPTED', settlesWithin(runtime, third, 2_000), 'third');
      await staysPending(runtime, fourth);
      await service.appendEvent({ session: refTo(), event: eventOf('cleanup'), fence: first.fence });
      await first.release();
      const lease = await settlesWithin(runtime, fourth, 2_000);
      same((await leasing.current(refTo()))?.invocationId, 'i4');
      await staysPending(runtime, queued);
      await lease.release();
      await (await settlesWithin(runtime, queued, 5_000)).release();
      await leasing.lease(refTo(), request('i5', { policy: 'reject' }));
    },
  },
  {
    id: 'lease.interrupt-ends',
    sentence: 'ends an interrupted lease after cleanupMs, also if the holder renews it',
    contracts: [13],
    needs,
    async check(service, { runtime }) {
      const leasing = await setUpLeasing(service);
      const first = await leasing.lease(refTo(), request('i1', { ttlMs: 60_000 }));
      const newer = leasing.lease(refTo(), request('i2', { policy: 'interrupt', cleanupMs: 2_000, waitMs: 30_000 }));
      await abortsWithin(runtime, first.stop, 1_000);
      await first.renew().catch(() => {});
      await settlesWithin(runtime, newer, 4_000);
      await rejectsWith(
        'LEASE_LOST',
        service.appendEvent({ session: refTo(), event: eventOf('late'), fence: first.fence }),
      );
      await rejectsWith('LEASE_LOST', first.renew());
    },
  },
  {
    id: 'lease.on-end',
    sentence: 'calls onEnd once for a stop request and once for the loss, with the errors of the signals',
    contracts: [13],
    needs,
    async check(service, { runtime }) {
      const leasing = await setUpLeasing(service);
      const errors: string[] = [];
      const lease = await leasing.lease(
        refTo(),
        request('i1', { ttlMs: 1_000, onEnd: (error) => errors.push(error.code) }),
      );
      await leasing.requestStop(refTo(), 'i1');
      await leasing.requestStop(refTo(), 'i1');
      await abortsWithin(runtime, lease.stop, 1_000);
      const next = leasing.lease(refTo(), request('i2'));
      await abortsWithin(runtime, lease.lost, 5_000);
      await (await settlesWithin(runtime, next, 5_000)).release();
      same(errors, ['RUN_ABORTED', 'LEASE_LOST']);
    },
  },
  {
    id: 'lease.interrupt-free',
    sentence: 'grants a free session with the policy interrupt at once',
    contracts: [13],
    needs,
    async check(service) {
      const leasing = await setUpLeasing(service);
      const lease = await leasing.lease(refTo(), request('i1', { policy: 'interrupt' }));
      assert.equal(lease.stop.aborted, false);
    },
  },
  {
    id: 'lease.request-stop',
    sentence: 'sends a stop request only to the holder with this invocation, which keeps its lease',
    contracts: [13],
    needs,
    async check(service, { runtime }) {
      const leasing = await setUpLeasing(service);
      assert.equal(await leasing.requestStop(refTo(), 'i1'), false);
      const lease = await leasing.lease(refTo(), request('i1'));
      assert.equal(await leasing.requestStop(refTo(), 'other'), false);
      assert.equal(await leasing.requestStop(refTo('s', 'u2'), 'i1'), false);
      assert.equal(lease.stop.aborted, false);
      assert.equal(await leasing.requestStop(refTo(), 'i1'), true);
      assert.ok(
        TholeError.is(await abortsWithin(runtime, lease.stop, 2_000), 'RUN_ABORTED'),
        'stop must be aborted with RUN_ABORTED',
      );
      same((await leasing.current(refTo()))?.invocationId, 'i1');
      await lease.release();
      assert.equal(await leasing.requestStop(refTo(), 'i1'), false);
    },
  },
];
