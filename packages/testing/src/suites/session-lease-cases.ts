import assert from 'node:assert/strict';
import { TholeError } from '@thole/core';
import { append, eventOf, createSession, read, refTo, rejectsWith, same, stateEvent } from './session-support.ts';
import type { SessionCase } from './session-support.ts';
import { abortsWithin, settlesWithin, staysPending } from './waiting.ts';

import { leasingOf, setUpLeasing, request } from './lease-support.ts';

const needs = ['lease'];

/** Heads, expiry, renewal and release of leases, and lists of leases. */
export const sessionLeaseCases: readonly SessionCase[] = [
  {
    id: 'lease.head',
    sentence: 'returns the head of the session, or undefined if it does not exist',
    contracts: [13],
    needs,
    async check(service) {
      const leasing = leasingOf(service);
      const missing = await leasing.lease(refTo('none'), request('i0'));
      same(missing.head, undefined);
      await createSession(service);
      await append(service, refTo(), eventOf('e1'), eventOf('e2'));
      const { incarnation } = await read(service);
      const lease = await leasing.lease(refTo(), request('i1'));
      same([lease.head?.incarnation, lease.head?.lastSeq], [incarnation, 2]);
    },
  },
  {
    id: 'lease.head-moves',
    sentence: 'returns another head after each event, write to user: or app: state, or new creation',
    contracts: [13],
    needs,
    async check(service) {
      await createSession(service, refTo());
      await createSession(service, refTo('other'));
      const head = async (): Promise<string> => {
        const lease = await leasingOf(service).lease(refTo(), request('i'));
        await lease.release();
        assert.ok(lease.head, 'the lease must have the head of the session');
        const { incarnation, lastSeq, appVersion, userVersion } = lease.head;
        return JSON.stringify([incarnation, lastSeq, appVersion, userVersion]);
      };
      const heads = [await head()];
      same(await head(), heads[0]);
      await append(service, refTo('other'), stateEvent('own', { a: 1 }));
      same(await head(), heads[0]);
      for (const change of [
        () => append(service, refTo(), eventOf('e1')),
        () => append(service, refTo('other'), stateEvent('e2', { 'user:a': 1 })),
        () => append(service, refTo('other'), stateEvent('e3', { 'app:a': 1 })),
        () => append(service, refTo('other'), stateEvent('e4', { 'user:a': 1 })),
        () => append(service, refTo('other'), stateEvent('e5', { 'app:a': 1 })),
        () => append(service, refTo('other'), stateEvent('e6', { 'user:none': null })),
        () => service.createSession({ ...refTo('third'), state: { 'user:b': 1 } }),
        () => service.deleteSession(refTo()).then(() => service.createSession(refTo())),
      ]) {
        await change();
        const now = await head();
        assert.ok(!heads.includes(now), `the head must change, but it is an earlier head: ${now}`);
        heads.push(now);
      }
    },
  },
  {
    id: 'lease.expired',
    sentence: 'grants an expired lease to the waiting run and notifies the holder with LEASE_LOST',
    contracts: [13, 43],
    needs,
    async check(service, { runtime }) {
      const leasing = await setUpLeasing(service);
      const first = await leasing.lease(refTo(), request('i1', { ttlMs: 5_000 }));
      const second = leasing.lease(refTo(), request('i2', { waitMs: 20_000 }));
      await staysPending(runtime, second, 4_000);
      await settlesWithin(runtime, second, 4_000);
      assert.ok(
        TholeError.is(await abortsWithin(runtime, first.lost, 5_000), 'LEASE_LOST'),
        'lost must be aborted with LEASE_LOST',
      );
      await rejectsWith('LEASE_LOST', first.renew());
    },
  },
  {
    id: 'lease.renewed',
    sentence: 'extends a lease by ttlMs from the renewal',
    contracts: [13],
    needs,
    async check(service, { runtime }) {
      const leasing = await setUpLeasing(service);
      const first = await leasing.lease(refTo(), request('i1', { ttlMs: 5_000 }));
      for (let i = 0; i < 3; i++) {
        await runtime.advance(4_000);
        await first.renew();
      }
      await runtime.advance(4_000);
      await rejectsWith('SESSION_BUSY', leasing.lease(refTo(), request('i2', { policy: 'reject' })));
      await runtime.advance(2_000);
      await leasing.lease(refTo(), request('i3', { policy: 'reject' }));
      await rejectsWith('LEASE_LOST', first.renew());
    },
  },
  {
    id: 'lease.release-twice',
    sentence: 'does not release the lease of another run, also if a release is repeated or late',
    contracts: [13],
    needs,
    async check(service, { runtime }) {
      const leasing = await setUpLeasing(service);
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
    id: 'lease.release-if-last-seq',
    sentence: 'keeps a lease if its release names another lastSeq, and releases it with the right one',
    contracts: [13],
    needs,
    async check(service, { runtime }) {
      const leasing = await setUpLeasing(service);
      const lease = await leasing.lease(refTo(), request('i1'));
      const next = leasing.lease(refTo(), request('i2'));
      await append(service, refTo(), eventOf('from outside'));
      same(await lease.release({ ifLastSeq: 0 }), false);
      await staysPending(runtime, next, 1_000);
      same((await lease.renew())?.lastSeq, 1);
      await service.appendEvent({ session: refTo(), event: eventOf('answer'), fence: lease.fence });
      assert.equal(lease.lost.aborted, false);
      same(await lease.release({ ifLastSeq: 2 }), true);
      same(await lease.release({ ifLastSeq: 0 }), true, 'a repeated release');
      await (await settlesWithin(runtime, next, 5_000)).release();
    },
  },
  {
    id: 'lease.current',
    sentence: 'returns key, invocation, holder and expiry in seconds, and undefined after the release',
    contracts: [13, 41],
    needs,
    async check(service) {
      const leasing = await setUpLeasing(service);
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
    sentence: 'lists the leases of an app, expired ones too',
    contracts: [13],
    needs,
    async check(service, { runtime }) {
      const leasing = await setUpLeasing(service);
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
    sentence: 'leaves no timer and no sleep after all leases are released',
    contracts: [43],
    needs,
    async check(service, { runtime }) {
      const leasing = await setUpLeasing(service);
      const before = runtime.pending;
      const first = await leasing.lease(refTo(), request('i1'));
      const second = leasing.lease(refTo(), request('i2'));
      await staysPending(runtime, second);
      await first.release();
      await (await settlesWithin(runtime, second, 5_000)).release();
      await runtime.advance(0);
      assert.equal(runtime.pending, before);
    },
  },
];
