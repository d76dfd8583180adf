import assert from 'node:assert/strict';
import { append, eventOf, made, read, refTo, refused, same, stateOf, writing } from './session-support.ts';
import type { SessionCase } from './session-support.ts';

import { ready, request } from './lease-support.ts';

const needs = ['lease'];

/** What a fence lets through, and what it keeps out. */
export const sessionFenceCases: readonly SessionCase[] = [
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
      'an append with the fence of a lease that was taken over, released or never existed is LEASE_LOST and stores nothing, no state either',
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
      const newer = await leasing.lease(refTo(), request('i2'));
      await lost(late.fence, 'taken over');
      await lost(elsewhere.fence, 'of another session');
      await lost('made up', 'made up');
      await lost('', 'empty');
      await newer.release();
      await lost(newer.fence, 'let go');
    },
  },
  {
    id: 'fence.ran-out',
    sentence:
      'a lease that ran out holds as long as no other run asks: its appends are stored, it can be renewed, and then it holds against others',
    contracts: [13],
    needs,
    async check(service, { runtime }) {
      const leasing = await ready(service);
      const lease = await leasing.lease(refTo(), request('i1', { ttlMs: 1_000 }));
      await runtime.advance(30_000);
      const stored = await service.appendEvent({
        session: refTo(),
        event: writing('e1', { a: 1 }),
        fence: lease.fence,
      });
      same([stored.seq, lease.lost.aborted], [1, false]);
      await lease.renew();
      await refused('SESSION_BUSY', leasing.lease(refTo(), request('i2', { policy: 'reject' })));
      await runtime.advance(30_000);
      const newer = await leasing.lease(refTo(), request('i3', { policy: 'reject' }));
      await refused('LEASE_LOST', lease.renew());
      await refused('LEASE_LOST', service.appendEvent({ session: refTo(), event: eventOf('e2'), fence: lease.fence }));
      await newer.release();
      await refused('LEASE_LOST', lease.renew(), 'after the next has ended');
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
];
