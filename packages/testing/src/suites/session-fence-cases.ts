import assert from 'node:assert/strict';
import type { Event } from '@thole/core';
import {
  append,
  eventOf,
  createSession,
  read,
  refTo,
  rejectsWith,
  same,
  stateOf,
  stateEvent,
} from './session-support.ts';
import type { SessionCase } from './session-support.ts';

import { setUpLeasing, request } from './lease-support.ts';

const needs = ['lease'];

/** Appends with and without the fence of a lease. */
export const sessionFenceCases: readonly SessionCase[] = [
  {
    id: 'fence.stores',
    sentence: 'stores appends with the fence of the current lease',
    contracts: [13],
    needs,
    async check(service) {
      const leasing = await setUpLeasing(service);
      const lease = await leasing.lease(refTo(), request('i1'));
      const stored = await service.appendEvent({
        session: refTo(),
        event: stateEvent('e1', { a: 1 }),
        fence: lease.fence,
      });
      same([stored.seq, await stateOf(service)], [1, { a: 1 }]);
    },
  },
  {
    id: 'fence.lost',
    sentence: 'throws LEASE_LOST for the fence of a replaced, released or unknown lease; stores nothing',
    contracts: [7, 13],
    needs,
    async check(service, { runtime }) {
      const leasing = await setUpLeasing(service);
      await createSession(service, refTo('other'));
      const elsewhere = await leasing.lease(refTo('other'), request('i0', { ttlMs: 60_000 }));
      const late = await leasing.lease(refTo(), request('i1', { ttlMs: 1_000 }));
      await runtime.advance(1_500);
      const lost = async (fence: string, what: string): Promise<void> => {
        const event = stateEvent(`e-${what}`, { a: 1, 'user:b': 1, 'app:c': 1 }, { timestamp: 1_700_000_900 });
        const before = await read(service);
        await rejectsWith('LEASE_LOST', service.appendEvent({ session: refTo(), event, fence }), what);
        same(await read(service), before, what);
      };
      const newer = await leasing.lease(refTo(), request('i2'));
      await lost(late.fence, 'taken over');
      await lost(elsewhere.fence, 'of another session');
      await lost('made up', 'made up');
      await lost('', 'empty');
      await newer.release();
      await lost(newer.fence, 'released');
    },
  },
  {
    id: 'fence.expired',
    sentence: 'accepts and renews an expired lease until another run requests the session',
    contracts: [13],
    needs,
    async check(service, { runtime }) {
      const leasing = await setUpLeasing(service);
      const lease = await leasing.lease(refTo(), request('i1', { ttlMs: 1_000 }));
      await runtime.advance(30_000);
      const stored = await service.appendEvent({
        session: refTo(),
        event: stateEvent('e1', { a: 1 }),
        fence: lease.fence,
      });
      same([stored.seq, lease.lost.aborted], [1, false]);
      await lease.renew();
      await rejectsWith('SESSION_BUSY', leasing.lease(refTo(), request('i2', { policy: 'reject' })));
      await runtime.advance(30_000);
      const newer = await leasing.lease(refTo(), request('i3', { policy: 'reject' }));
      await rejectsWith('LEASE_LOST', lease.renew());
      await rejectsWith(
        'LEASE_LOST',
        service.appendEvent({ session: refTo(), event: eventOf('e2'), fence: lease.fence }),
      );
      await newer.release();
      await rejectsWith('LEASE_LOST', lease.renew(), 'after the next lease has ended');
    },
  },
  {
    id: 'fence.lost-after-stored',
    sentence: 'returns the stored event to a run that repeats an append after losing its lease',
    contracts: [7, 13],
    needs,
    async check(service, { runtime }) {
      const leasing = await setUpLeasing(service);
      const lease = await leasing.lease(refTo(), request('i1', { ttlMs: 1_000 }));
      const stored = await service.appendEvent({
        session: refTo(),
        event: stateEvent('e1', { a: 1 }),
        fence: lease.fence,
      });
      await runtime.advance(1_500);
      await leasing.lease(refTo(), request('i2'));
      same(
        await service.appendEvent({ session: refTo(), event: stateEvent('e1', { a: 1 }), fence: lease.fence }),
        stored,
      );
    },
  },
  {
    id: 'fence.out-of-band',
    sentence: 'stores appends without a fence while a run holds the session; the run is not affected',
    contracts: [12, 13],
    needs,
    async check(service) {
      const leasing = await setUpLeasing(service);
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
    sentence: 'throws SESSION_NOT_FOUND to the lease holder if the session was deleted',
    contracts: [7, 13],
    needs,
    async check(service) {
      const leasing = await setUpLeasing(service);
      const lease = await leasing.lease(refTo(), request('i1'));
      await service.deleteSession(refTo());
      await rejectsWith(
        'SESSION_NOT_FOUND',
        service.appendEvent({ session: refTo(), event: eventOf('e1'), fence: lease.fence }),
      );
      await lease.release();
    },
  },
  {
    id: 'fence.if-held-by',
    sentence: 'stores an event with ifHeldBy while that invocation runs, and throws NOT_RUNNING otherwise',
    contracts: [7, 13],
    needs,
    async check(service, { runtime }) {
      const leasing = await setUpLeasing(service);
      const send = (id: string, ifHeldBy: string): Promise<Event> =>
        service.appendEvent({ session: refTo(), event: stateEvent(id, { a: id, 'user:b': id }), ifHeldBy });
      await rejectsWith('NOT_RUNNING', send('e1', 'i1'), 'no lease');
      const lease = await leasing.lease(refTo(), request('i1', { ttlMs: 5_000 }));
      await rejectsWith('NOT_RUNNING', send('e1', 'i2'), 'another invocation');
      same((await send('e1', 'i1')).seq, 1);
      await runtime.advance(6_000);
      await rejectsWith('NOT_RUNNING', send('e2', 'i1'), 'expired');
      await lease.renew();
      same((await send('e2', 'i1')).seq, 2);
      await leasing.requestStop(refTo(), 'i1');
      await rejectsWith('NOT_RUNNING', send('e3', 'i1'), 'stop requested');
      same((await send('e2', 'i1')).seq, 2, 'a stored event is returned again');
      await lease.release();
      await rejectsWith('NOT_RUNNING', send('e3', 'i1'), 'released');
      same([(await read(service)).lastSeq, await stateOf(service)], [2, { a: 'e2', 'user:b': 'e2' }]);
    },
  },
];
