import assert from 'node:assert/strict';
import { TholeError } from '@thole/core';
import { append, eventOf, made, read, refTo, refused, same, writing } from './session-support.ts';
import type { SessionCase } from './session-support.ts';
import { aborts, settles, waits } from './waiting.ts';

import { leasingOf, ready, request } from './lease-support.ts';

const needs = ['lease'];

/** What a lease tells, how long it holds, and who holds one. */
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
      'the head moves with an event, with user: and app: state written in another session, whether or not the value is a new one, and with a session created again; otherwise it stays',
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
        () => append(service, refTo('other'), writing('e4', { 'user:a': 1 })),
        () => append(service, refTo('other'), writing('e5', { 'app:a': 1 })),
        () => append(service, refTo('other'), writing('e6', { 'user:none': null })),
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
