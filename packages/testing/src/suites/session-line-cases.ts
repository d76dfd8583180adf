import assert from 'node:assert/strict';
import { eventOf, numbers, read, refTo, rejectsWith, same } from './session-support.ts';
import type { SessionCase } from './session-support.ts';
import { settlesWithin, staysPending } from './waiting.ts';

import { setUpLeasing, request } from './lease-support.ts';

const needs = ['lease'];

/** One run at a time: order, number and time limits of waiting runs. */
export const sessionLineCases: readonly SessionCase[] = [
  {
    id: 'lease.one-at-a-time',
    sentence: 'keeps a second run waiting until the first run releases the session',
    contracts: [13],
    needs,
    async check(service, { runtime }) {
      const leasing = await setUpLeasing(service);
      const first = await leasing.lease(refTo(), request('i1'));
      const second = leasing.lease(refTo(), request('i2'));
      await staysPending(runtime, second, 1_000);
      await first.release();
      const lease = await settlesWithin(runtime, second, 5_000);
      assert.notEqual(lease.fence, first.fence);
      same((await leasing.current(refTo()))?.invocationId, 'i2');
    },
  },
  {
    id: 'lease.order',
    sentence: 'grants the session to waiting runs in the order of their requests',
    contracts: [13],
    needs,
    async check(service, { runtime }) {
      const leasing = await setUpLeasing(service);
      const first = await leasing.lease(refTo(), request('i0'));
      const served: string[] = [];
      const all: Promise<void>[] = [];
      for (const n of numbers(5)) {
        all.push(
          leasing.lease(refTo(), request(`i${n}`)).then(async (lease) => {
            served.push(`i${n}`);
            await lease.release();
          }),
        );
        await staysPending(runtime, all.at(-1)!);
      }
      await first.release();
      await settlesWithin(runtime, Promise.all(all), 20_000);
      same(served, ['i1', 'i2', 'i3', 'i4', 'i5']);
    },
  },
  {
    id: 'lease.never-two',
    sentence: 'grants a session to eight concurrent runs one after the other',
    contracts: [13],
    needs,
    async check(service, { runtime }) {
      const leasing = await setUpLeasing(service);
      let holding = 0;
      const holders: number[] = [];
      const runs = numbers(8).map(async (n) => {
        const lease = await leasing.lease(refTo(), request(`i${n}`));
        holders.push(++holding);
        await service.appendEvent({ session: refTo(), event: eventOf(`e${n}`), fence: lease.fence });
        holding--;
        await lease.release();
      });
      await settlesWithin(runtime, Promise.all(runs), 25_000);
      same([Math.max(...holders), (await read(service)).lastSeq], [1, 8]);
    },
  },
  {
    id: 'lease.sessions-apart',
    sentence: 'grants sessions with different names, users and apps at the same time',
    contracts: [1, 13],
    needs,
    async check(service) {
      const leasing = await setUpLeasing(service);
      const refs = [refTo('s'), refTo('s2'), refTo('s', 'u2'), refTo('s', 'u', 'a2')];
      const leases = await Promise.all(
        refs.map((ref, i) => leasing.lease(ref, request(`i${i}`, { policy: 'reject' }))),
      );
      assert.equal(leases.length, 4);
    },
  },
  {
    id: 'lease.reject',
    sentence: 'throws SESSION_BUSY at once with reject if the session is held; grants it if it is free',
    contracts: [13],
    needs,
    async check(service) {
      const leasing = await setUpLeasing(service);
      const first = await leasing.lease(refTo(), request('i1', { policy: 'reject' }));
      const error = await rejectsWith('SESSION_BUSY', leasing.lease(refTo(), request('i2', { policy: 'reject' })));
      assert.equal(error.retryable, true);
      await first.release();
      await leasing.lease(refTo(), request('i3', { policy: 'reject' }));
    },
  },
  {
    id: 'lease.max-waiting',
    sentence: 'throws SESSION_BUSY to a further run if maxWaiting runs wait; these keep their places',
    contracts: [13],
    needs,
    async check(service, { runtime }) {
      const leasing = await setUpLeasing(service);
      const first = await leasing.lease(refTo(), request('i0', { maxWaiting: 2 }));
      const waiting = [
        leasing.lease(refTo(), request('i1', { maxWaiting: 2 })),
        leasing.lease(refTo(), request('i2', { maxWaiting: 2 })),
      ];
      await staysPending(runtime, waiting[1]!);
      await rejectsWith('SESSION_BUSY', leasing.lease(refTo(), request('i3', { maxWaiting: 2 })));
      await first.release();
      await (await settlesWithin(runtime, waiting[0]!, 5_000)).release();
      await settlesWithin(runtime, waiting[1]!, 5_000);
    },
  },
  {
    id: 'lease.wait-limit',
    sentence: 'throws SESSION_BUSY after waitMs, and does not grant the session afterwards',
    contracts: [13, 43],
    needs,
    async check(service, { runtime }) {
      const leasing = await setUpLeasing(service);
      const first = await leasing.lease(refTo(), request('i1', { ttlMs: 100_000 }));
      const second = leasing.lease(refTo(), request('i2', { waitMs: 1_000 }));
      await staysPending(runtime, second, 900);
      await rejectsWith('SESSION_BUSY', settlesWithin(runtime, second, 1_000));
      await first.release();
      await leasing.lease(refTo(), request('i3', { policy: 'reject' }));
    },
  },
  {
    id: 'lease.wait-aborted',
    sentence: 'throws the reason of the signal to a waiting run, which leaves the line',
    contracts: [13],
    needs,
    async check(service, { runtime }) {
      const leasing = await setUpLeasing(service);
      const first = await leasing.lease(refTo(), request('i1'));
      const controller = new AbortController();
      const second = leasing.lease(refTo(), request('i2', { signal: controller.signal }));
      const third = leasing.lease(refTo(), request('i3'));
      await staysPending(runtime, third);
      const reason = new Error('enough');
      controller.abort(reason);
      await assert.rejects(settlesWithin(runtime, second, 1_000), (error) => error === reason);
      await first.release();
      await settlesWithin(runtime, third, 5_000);
      same((await leasing.current(refTo()))?.invocationId, 'i3');
    },
  },
  {
    id: 'lease.aborted-before',
    sentence: 'throws the reason of a signal that is already aborted, and grants nothing',
    contracts: [13],
    needs,
    async check(service, { runtime }) {
      const leasing = await setUpLeasing(service);
      const reason = new Error('enough');
      const requestLease = (): Promise<unknown> =>
        leasing.lease(refTo(), request('i1', { signal: AbortSignal.abort(reason) }));
      await assert.rejects(settlesWithin(runtime, requestLease(), 1_000), (error) => error === reason);
      same(await leasing.current(refTo()), undefined);
      const held = await leasing.lease(refTo(), request('i2'));
      await assert.rejects(settlesWithin(runtime, requestLease(), 1_000), (error) => error === reason);
      await held.release();
      same(await leasing.current(refTo()), undefined);
    },
  },
];
