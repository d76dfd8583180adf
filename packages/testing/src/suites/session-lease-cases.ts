import assert from 'node:assert/strict';
import { TholeError } from '@thole/core';
import type { LeaseRequest, Leasing, SessionService } from '@thole/core';
import {
  append,
  eventOf,
  idsOf,
  made,
  numbers,
  read,
  refTo,
  refused,
  same,
  stateOf,
  writing,
} from './session-support.ts';
import type { SessionCase } from './session-support.ts';
import { aborts, settles, waits } from './waiting.ts';

const needs = ['lease'];

export const sessionLeaseCases: readonly SessionCase[] = [
  {
    id: 'lease.head',
    sentence: 'a lease tells how the session stands at that moment; there is no head where there is no session',
    contracts: [13],
    needs,
    async check(service) {
      const leasing = leasingOf(service);
      const nobody = await leasing.lease(refTo('none'), request('i0'));
      same(nobody.head, undefined);
      await made(service);
      await append(service, refTo(), eventOf('e1'), eventOf('e2'));
      const { incarnation } = await read(service);
      const lease = await leasing.lease(refTo(), request('i1'));
      same([lease.head?.incarnation, lease.head?.lastSeq], [incarnation, 2]);
    },
  },
  {
    id: 'lease.head-moves',
    sentence:
      'the head moves with an event, with user: and app: state written in another session, and with a session made anew; otherwise it stays',
    contracts: [13],
    needs,
    async check(service) {
      await made(service, refTo());
      await made(service, refTo('other'));
      const head = async (): Promise<string> => {
        const lease = await leasingOf(service).lease(refTo(), request('i'));
        await lease.release();
        return JSON.stringify([
          lease.head!.incarnation,
          lease.head!.lastSeq,
          lease.head!.appVersion,
          lease.head!.userVersion,
        ]);
      };
      const heads = [await head()];
      same(await head(), heads[0]);
      await append(service, refTo('other'), writing('own', { a: 1 }));
      same(await head(), heads[0]);
      for (const moving of [
        () => append(service, refTo(), eventOf('e1')),
        () => append(service, refTo('other'), writing('e2', { 'user:a': 1 })),
        () => append(service, refTo('other'), writing('e3', { 'app:a': 1 })),
        () => service.createSession({ ...refTo('third'), state: { 'user:b': 1 } }),
        () => service.deleteSession(refTo()).then(() => service.createSession(refTo())),
      ]) {
        await moving();
        const now = await head();
        assert.ok(!heads.includes(now), `the head moved: ${now}`);
        heads.push(now);
      }
    },
  },
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
  {
    id: 'lease.expiry-wakes',
    sentence:
      'a lease that is not renewed runs out: who waits gets it then, and the holder’s lost signal says LEASE_LOST',
    contracts: [13, 43],
    needs,
    async check(service, { runtime }) {
      const leasing = await ready(service);
      const first = await leasing.lease(refTo(), request('i1', { ttlMs: 5_000 }));
      const second = leasing.lease(refTo(), request('i2', { waitMs: 20_000 }));
      await waits(runtime, second, 4_000);
      await settles(runtime, second, 4_000);
      assert.ok(TholeError.is(await aborts(runtime, first.lost, 5_000), 'LEASE_LOST'));
      await refused('LEASE_LOST', first.renew());
    },
  },
  {
    id: 'lease.renewed',
    sentence: 'a lease that is renewed holds for another ttlMs from then on',
    contracts: [13],
    needs,
    async check(service, { runtime }) {
      const leasing = await ready(service);
      const first = await leasing.lease(refTo(), request('i1', { ttlMs: 5_000 }));
      for (let i = 0; i < 3; i++) {
        await runtime.advance(4_000);
        await first.renew();
      }
      await runtime.advance(4_000);
      await refused('SESSION_BUSY', leasing.lease(refTo(), request('i2', { policy: 'reject' })));
      await runtime.advance(2_000);
      await leasing.lease(refTo(), request('i3', { policy: 'reject' }));
      await refused('LEASE_LOST', first.renew());
    },
  },
  {
    id: 'lease.release-twice',
    sentence: 'letting go twice, or after the lease was lost, takes nothing from the one who holds it now',
    contracts: [13],
    needs,
    async check(service, { runtime }) {
      const leasing = await ready(service);
      const first = await leasing.lease(refTo(), request('i1'));
      await first.release();
      const second = await leasing.lease(refTo(), request('i2', { ttlMs: 1_000 }));
      await first.release();
      same((await leasing.current(refTo()))?.invocationId, 'i2');
      await runtime.advance(2_000);
      const third = await leasing.lease(refTo(), request('i3'));
      await second.release();
      same((await leasing.current(refTo()))?.invocationId, 'i3');
      await third.renew();
    },
  },
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
  {
    id: 'lease.current',
    sentence:
      'who holds a session can be asked: key, invocation, holder and the end in seconds; nobody once it is let go',
    contracts: [13, 41],
    needs,
    async check(service) {
      const leasing = await ready(service);
      same(await leasing.current(refTo()), undefined);
      const lease = await leasing.lease(refTo(), request('i1', { ttlMs: 5_000 }));
      same(await leasing.current(refTo()), {
        key: refTo(),
        invocationId: 'i1',
        holder: 'runner-1',
        expiresAt: 1_700_000_005,
        expired: false,
      });
      await lease.release();
      same(await leasing.current(refTo()), undefined);
    },
  },
  {
    id: 'lease.listed',
    sentence: 'an app’s leases are listed, those of crashed runs as expired, and no other app’s',
    contracts: [13],
    needs,
    async check(service, { runtime }) {
      const leasing = await ready(service);
      await leasing.lease(refTo('s1'), request('crashed', { ttlMs: 1_000 }));
      await leasing.lease(refTo('s2', 'u2'), request('alive', { ttlMs: 60_000 }));
      await leasing.lease(refTo('s3', 'u', 'other'), request('elsewhere'));
      await runtime.advance(2_000);
      const found = (await Array.fromAsync(leasing.leases('app'))).map((info) => [
        info.invocationId,
        info.key.sessionId,
        info.expired,
      ]);
      same(
        found.sort((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1)),
        [
          ['alive', 's2', false],
          ['crashed', 's1', true],
        ],
      );
    },
  },
  {
    id: 'fence.holds',
    sentence: 'appends with the fence of the lease that holds are stored',
    contracts: [13],
    needs,
    async check(service) {
      const leasing = await ready(service);
      const lease = await leasing.lease(refTo(), request('i1'));
      const stored = await service.appendEvent({
        session: refTo(),
        event: writing('e1', { a: 1 }),
        fence: lease.fence,
      });
      same([stored.seq, await stateOf(service)], [1, { a: 1 }]);
    },
  },
  {
    id: 'fence.lost',
    sentence:
      'an append with the fence of a lease that ran out, was taken over, let go or never was is LEASE_LOST and stores nothing, no state either',
    contracts: [7, 13],
    needs,
    async check(service, { runtime }) {
      const leasing = await ready(service);
      await made(service, refTo('other'));
      const elsewhere = await leasing.lease(refTo('other'), request('i0', { ttlMs: 60_000 }));
      const late = await leasing.lease(refTo(), request('i1', { ttlMs: 1_000 }));
      await runtime.advance(1_500);
      const lost = async (fence: string, what: string): Promise<void> => {
        const event = writing(`e-${what}`, { a: 1, 'user:b': 1, 'app:c': 1 }, { timestamp: 1_700_000_900 });
        const before = await read(service);
        await refused('LEASE_LOST', service.appendEvent({ session: refTo(), event, fence }), what);
        same(await read(service), before, what);
      };
      await lost(late.fence, 'ran out');
      const newer = await leasing.lease(refTo(), request('i2'));
      await lost(late.fence, 'taken over');
      await lost(elsewhere.fence, 'of another session');
      await lost('made up', 'made up');
      await newer.release();
      await lost(newer.fence, 'let go');
    },
  },
  {
    id: 'fence.lost-after-stored',
    sentence: 'a run that asks again, with a lost lease, for an event that was stored hears that it was stored',
    contracts: [7, 13],
    needs,
    async check(service, { runtime }) {
      const leasing = await ready(service);
      const lease = await leasing.lease(refTo(), request('i1', { ttlMs: 1_000 }));
      const stored = await service.appendEvent({
        session: refTo(),
        event: writing('e1', { a: 1 }),
        fence: lease.fence,
      });
      await runtime.advance(1_500);
      await leasing.lease(refTo(), request('i2'));
      same(await service.appendEvent({ session: refTo(), event: writing('e1', { a: 1 }), fence: lease.fence }), stored);
    },
  },
  {
    id: 'fence.out-of-band',
    sentence: 'writers without a fence are never blocked by a run and never break it',
    contracts: [12, 13],
    needs,
    async check(service) {
      const leasing = await ready(service);
      const lease = await leasing.lease(refTo(), request('i1'));
      await service.updateState({ ...refTo(), stateDelta: { a: 1 } });
      await append(service, refTo(), eventOf('outside'));
      const stored = await service.appendEvent({ session: refTo(), event: eventOf('inside'), fence: lease.fence });
      same(stored.seq, 3);
      await lease.renew();
      assert.equal(lease.lost.aborted, false);
    },
  },
  {
    id: 'fence.deleted-session',
    sentence: 'a run whose session is deleted hears SESSION_NOT_FOUND at its next append, though it holds the lease',
    contracts: [7, 13],
    needs,
    async check(service) {
      const leasing = await ready(service);
      const lease = await leasing.lease(refTo(), request('i1'));
      await service.deleteSession(refTo());
      await refused(
        'SESSION_NOT_FOUND',
        service.appendEvent({ session: refTo(), event: eventOf('e1'), fence: lease.fence }),
      );
      await lease.release();
    },
  },
  {
    id: 'lease.leaves-no-timers',
    sentence: 'once everyone has let go no timer and no sleep is left waiting',
    contracts: [43],
    needs,
    async check(service, { runtime }) {
      const leasing = await ready(service);
      const before = runtime.pending;
      const first = await leasing.lease(refTo(), request('i1'));
      const second = leasing.lease(refTo(), request('i2'));
      await waits(runtime, second);
      await first.release();
      await (await settles(runtime, second, 5_000)).release();
      await runtime.advance(0);
      assert.equal(runtime.pending, before);
    },
  },
];

function leasingOf(service: SessionService): Leasing {
  assert.ok(service.leasing, 'the service has no leasing: do not claim lease');
  return service.leasing;
}

async function ready(service: SessionService): Promise<Leasing> {
  await made(service);
  return leasingOf(service);
}

function request(invocationId: string, more: Partial<LeaseRequest> = {}): LeaseRequest {
  return {
    invocationId,
    holder: 'runner-1',
    policy: 'queue',
    waitMs: 30_000,
    maxWaiting: 16,
    ttlMs: 30_000,
    cleanupMs: 5_000,
    ...more,
  };
}
