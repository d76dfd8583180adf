import assert from 'node:assert/strict';
import { eventOf, numbers, read, refTo, refused, same } from './session-support.ts';
import type { SessionCase } from './session-support.ts';
import { settles, waits } from './waiting.ts';

import { ready, request } from './lease-support.ts';

const needs = ['lease'];

/** One run at a time: who waits, in which order, and for how long. */
export const sessionLineCases: readonly SessionCase[] = [
  {
    id: 'lease.one-at-a-time',
    sentence: 'a second run waits until the first lets go',
    contracts: [13],
    needs,
    async check(service, { runtime }) {
      const leasing = await ready(service);
      const first = await leasing.lease(refTo(), request('i1'));
      const second = leasing.lease(refTo(), request('i2'));
      await waits(runtime, second, 1_000);
      await first.release();
      const lease = await settles(runtime, second, 5_000);
      assert.notEqual(lease.fence, first.fence);
      same((await leasing.current(refTo()))?.invocationId, 'i2');
    },
  },
  {
    id: 'lease.first-come',
    sentence: 'who waits is served in the order of coming',
    contracts: [13],
    needs,
    async check(service, { runtime }) {
      const leasing = await ready(service);
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
        await waits(runtime, all.at(-1)!);
      }
      await first.release();
      await settles(runtime, Promise.all(all), 20_000);
      same(served, ['i1', 'i2', 'i3', 'i4', 'i5']);
    },
  },
  {
    id: 'lease.never-two',
    sentence: 'of eight that want the session at once never two hold it, and all get their turn',
    contracts: [13],
    needs,
    async check(service, { runtime }) {
      const leasing = await ready(service);
      let holding = 0;
      const most: number[] = [];
      const runs = numbers(8).map(async (n) => {
        const lease = await leasing.lease(refTo(), request(`i${n}`));
        most.push(++holding);
        await service.appendEvent({ session: refTo(), event: eventOf(`e${n}`), fence: lease.fence });
        holding--;
        await lease.release();
      });
      await settles(runtime, Promise.all(runs), 25_000);
      same([Math.max(...most), (await read(service)).lastSeq], [1, 8]);
    },
  },
  {
    id: 'lease.sessions-apart',
    sentence: 'runs of different sessions, users and apps do not wait for each other',
    contracts: [1, 13],
    needs,
    async check(service) {
      const leasing = await ready(service);
      const refs = [refTo('s'), refTo('s2'), refTo('s', 'u2'), refTo('s', 'u', 'a2')];
      const leases = await Promise.all(
        refs.map((ref, i) => leasing.lease(ref, request(`i${i}`, { policy: 'reject' }))),
      );
      assert.equal(leases.length, 4);
    },
  },
  {
    id: 'lease.reject',
    sentence: 'with reject a session that is held is SESSION_BUSY at once, and one that is free is given',
    contracts: [13],
    needs,
    async check(service) {
      const leasing = await ready(service);
      const first = await leasing.lease(refTo(), request('i1', { policy: 'reject' }));
      const error = await refused('SESSION_BUSY', leasing.lease(refTo(), request('i2', { policy: 'reject' })));
      assert.equal(error.retryable, true);
      await first.release();
      await leasing.lease(refTo(), request('i3', { policy: 'reject' }));
    },
  },
  {
    id: 'lease.max-waiting',
    sentence: 'where as many wait as may, the next is SESSION_BUSY at once, and those who wait keep their places',
    contracts: [13],
    needs,
    async check(service, { runtime }) {
      const leasing = await ready(service);
      const first = await leasing.lease(refTo(), request('i0', { maxWaiting: 2 }));
      const waiting = [
        leasing.lease(refTo(), request('i1', { maxWaiting: 2 })),
        leasing.lease(refTo(), request('i2', { maxWaiting: 2 })),
      ];
      await waits(runtime, waiting[1]!);
      await refused('SESSION_BUSY', leasing.lease(refTo(), request('i3', { maxWaiting: 2 })));
      await first.release();
      await (await settles(runtime, waiting[0]!, 5_000)).release();
      await settles(runtime, waiting[1]!, 5_000);
    },
  },
  {
    id: 'lease.wait-ends',
    sentence: 'who has waited for waitMs hears SESSION_BUSY, and is not served afterwards',
    contracts: [13, 43],
    needs,
    async check(service, { runtime }) {
      const leasing = await ready(service);
      const first = await leasing.lease(refTo(), request('i1', { ttlMs: 100_000 }));
      const second = leasing.lease(refTo(), request('i2', { waitMs: 1_000 }));
      await waits(runtime, second, 900);
      await refused('SESSION_BUSY', settles(runtime, second, 1_000));
      await first.release();
      await leasing.lease(refTo(), request('i3', { policy: 'reject' }));
    },
  },
  {
    id: 'lease.wait-aborted',
    sentence: 'a waiting run whose signal is aborted leaves the line with the signal’s reason',
    contracts: [13],
    needs,
    async check(service, { runtime }) {
      const leasing = await ready(service);
      const first = await leasing.lease(refTo(), request('i1'));
      const controller = new AbortController();
      const second = leasing.lease(refTo(), request('i2', { signal: controller.signal }));
      const third = leasing.lease(refTo(), request('i3'));
      await waits(runtime, third);
      const reason = new Error('enough');
      controller.abort(reason);
      await assert.rejects(settles(runtime, second, 1_000), (error) => error === reason);
      await first.release();
      await settles(runtime, third, 5_000);
      same((await leasing.current(refTo()))?.invocationId, 'i3');
    },
  },
  {
    id: 'lease.aborted-before',
    sentence: 'a run whose signal is aborted already gets no lease, whether the session is free or held',
    contracts: [13],
    needs,
    async check(service, { runtime }) {
      const leasing = await ready(service);
      const reason = new Error('enough');
      const asking = (): Promise<unknown> =>
        leasing.lease(refTo(), request('i1', { signal: AbortSignal.abort(reason) }));
      await assert.rejects(settles(runtime, asking(), 1_000), (error) => error === reason);
      same(await leasing.current(refTo()), undefined);
      const held = await leasing.lease(refTo(), request('i2'));
      await assert.rejects(settles(runtime, asking(), 1_000), (error) => error === reason);
      await held.release();
      same(await leasing.current(refTo()), undefined);
    },
  },
];
