import assert from 'node:assert/strict';
import { TholeError } from '@thole/core';
import type { Lease } from '@thole/core';
import { eventOf, idsOf, read, refTo, refused, same } from './session-support.ts';
import type { SessionCase } from './session-support.ts';
import { aborts, settles, waits } from './waiting.ts';

import { ready, request } from './lease-support.ts';

const needs = ['lease'];

/** Asking the holder to stop. */
export const sessionInterruptCases: readonly SessionCase[] = [
  {
    id: 'lease.interrupt',
    sentence:
      'interrupt asks the holder to stop, and the newer run begins once it has let go, before those who waited longer',
    contracts: [13],
    needs,
    async check(service, { runtime }) {
      const leasing = await ready(service);
      const first = await leasing.lease(refTo(), request('i1'));
      const queued = leasing.lease(refTo(), request('i2'));
      await waits(runtime, queued);
      const newer = leasing.lease(refTo(), request('i3', { policy: 'interrupt' }));
      assert.ok(TholeError.is(await aborts(runtime, first.stop, 2_000), 'RUN_INTERRUPTED'));
      await waits(runtime, newer);
      await service.appendEvent({ session: refTo(), event: eventOf('cleanup'), fence: first.fence });
      await first.release();
      const lease = await settles(runtime, newer, 5_000);
      await waits(runtime, queued);
      await lease.release();
      await settles(runtime, queued, 5_000);
      same(idsOf((await read(service)).events), ['cleanup']);
    },
  },
  {
    id: 'lease.interrupt-newest',
    sentence:
      'of several that interrupt while the holder closes the newest runs; each that it overtakes ends with RUN_INTERRUPTED before the holder releases, and those that queue keep their places',
    contracts: [13],
    needs,
    async check(service, { runtime }) {
      const leasing = await ready(service);
      const interrupting = (id: string): Promise<Lease> =>
        leasing.lease(refTo(), request(id, { policy: 'interrupt', maxWaiting: 2 }));
      const first = await leasing.lease(refTo(), request('i1'));
      const queued = leasing.lease(refTo(), request('queued'));
      await waits(runtime, queued);
      const second = interrupting('i2');
      await aborts(runtime, first.stop, 2_000);
      const third = interrupting('i3');
      await refused('RUN_INTERRUPTED', settles(runtime, second, 2_000), 'second');
      await waits(runtime, third);
      const fourth = interrupting('i4');
      await refused('RUN_INTERRUPTED', settles(runtime, third, 2_000), 'third');
      await waits(runtime, fourth);
      await service.appendEvent({ session: refTo(), event: eventOf('cleanup'), fence: first.fence });
      await first.release();
      const lease = await settles(runtime, fourth, 2_000);
      same((await leasing.current(refTo()))?.invocationId, 'i4');
      await waits(runtime, queued);
      await lease.release();
      await (await settles(runtime, queued, 5_000)).release();
      await leasing.lease(refTo(), request('i5', { policy: 'reject' }));
    },
  },
  {
    id: 'lease.interrupt-ends',
    sentence: 'a holder that does not let go within cleanupMs loses its lease, though it renews',
    contracts: [13],
    needs,
    async check(service, { runtime }) {
      const leasing = await ready(service);
      const first = await leasing.lease(refTo(), request('i1', { ttlMs: 60_000 }));
      const newer = leasing.lease(refTo(), request('i2', { policy: 'interrupt', cleanupMs: 2_000, waitMs: 30_000 }));
      await aborts(runtime, first.stop, 1_000);
      await first.renew().catch(() => {});
      await settles(runtime, newer, 4_000);
      await refused(
        'LEASE_LOST',
        service.appendEvent({ session: refTo(), event: eventOf('late'), fence: first.fence }),
      );
      await refused('LEASE_LOST', first.renew());
    },
  },
  {
    id: 'lease.on-end',
    sentence: 'onEnd is called once for a request to stop and once for the loss, with the errors of the signals',
    contracts: [13],
    needs,
    async check(service, { runtime }) {
      const leasing = await ready(service);
      const heard: string[] = [];
      const lease = await leasing.lease(
        refTo(),
        request('i1', { ttlMs: 1_000, onEnd: (error) => heard.push(error.code) }),
      );
      await leasing.requestStop(refTo(), 'i1');
      await leasing.requestStop(refTo(), 'i1');
      await aborts(runtime, lease.stop, 1_000);
      const next = leasing.lease(refTo(), request('i2'));
      await aborts(runtime, lease.lost, 5_000);
      await (await settles(runtime, next, 5_000)).release();
      same(heard, ['RUN_ABORTED', 'LEASE_LOST']);
    },
  },
  {
    id: 'lease.interrupt-free',
    sentence: 'interrupt on a session that nobody holds is given at once',
    contracts: [13],
    needs,
    async check(service) {
      const leasing = await ready(service);
      const lease = await leasing.lease(refTo(), request('i1', { policy: 'interrupt' }));
      assert.equal(lease.stop.aborted, false);
    },
  },
  {
    id: 'lease.request-stop',
    sentence: 'asking to stop reaches the holder and only the holder, who keeps the lease until it lets go',
    contracts: [13],
    needs,
    async check(service, { runtime }) {
      const leasing = await ready(service);
      assert.equal(await leasing.requestStop(refTo(), 'i1'), false);
      const lease = await leasing.lease(refTo(), request('i1'));
      assert.equal(await leasing.requestStop(refTo(), 'other'), false);
      assert.equal(await leasing.requestStop(refTo('s', 'u2'), 'i1'), false);
      assert.equal(lease.stop.aborted, false);
      assert.equal(await leasing.requestStop(refTo(), 'i1'), true);
      assert.ok(TholeError.is(await aborts(runtime, lease.stop, 2_000), 'RUN_ABORTED'));
      same((await leasing.current(refTo()))?.invocationId, 'i1');
      await lease.release();
      assert.equal(await leasing.requestStop(refTo(), 'i1'), false);
    },
  },
];
