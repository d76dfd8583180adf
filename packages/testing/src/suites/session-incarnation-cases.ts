import assert from 'node:assert/strict';
import type { SessionRef, SessionService } from '@thole/core';
import { request, setUpLeasing } from './lease-support.ts';
import {
  append,
  eventOf,
  idsOf,
  createSession,
  read,
  refTo,
  rejectsWith,
  same,
  stateOf,
  stateEvent,
} from './session-support.ts';
import type { SessionCase } from './session-support.ts';

/** A session that was deleted and created again with the same id. */
export const sessionIncarnationCases: readonly SessionCase[] = [
  {
    id: 'incarnation.other',
    sentence: 'throws SESSION_NOT_FOUND for another incarnation, and stores nothing',
    contracts: [7],
    async check(service) {
      const old = await replaceSession(service);
      const before = await read(service);
      const event = stateEvent('e1', { a: 1, 'user:b': 1, 'app:c': 1 });
      await rejectsWith('SESSION_NOT_FOUND', service.appendEvent({ ...old, event }));
      await rejectsWith('SESSION_NOT_FOUND', service.appendEvent({ ...old, event: eventOf('plain') }), 'plain');
      same(await read(service), before);
      same(await stateOf(service), {});
    },
  },
  {
    id: 'incarnation.other-known-event',
    sentence: 'throws SESSION_NOT_FOUND for another incarnation, also if it has an event with this id',
    contracts: [7],
    async check(service) {
      const old = await replaceSession(service);
      await append(service, refTo(), eventOf('e1'));
      await rejectsWith('SESSION_NOT_FOUND', service.appendEvent({ ...old, event: eventOf('e1') }));
      same(idsOf((await read(service)).events), ['e1']);
    },
  },
  {
    id: 'incarnation.other-concurrent',
    sentence: 'stores only the concurrent appends that name the current incarnation',
    contracts: [7, 8],
    async check(service) {
      const old = await replaceSession(service);
      const outcomes = await Promise.allSettled(
        Array.from({ length: 8 }, (_, i) =>
          service.appendEvent({ ...(i % 2 ? old : { session: refTo() }), event: eventOf(`e${i}`) }),
        ),
      );
      same(
        outcomes.map(({ status }) => status),
        Array.from({ length: 8 }, (_, i) => (i % 2 ? 'rejected' : 'fulfilled')),
      );
      same(idsOf((await read(service)).events).sort(), ['e0', 'e2', 'e4', 'e6']);
    },
  },
  {
    id: 'incarnation.fence',
    sentence: 'throws SESSION_NOT_FOUND for another incarnation to the lease holder',
    contracts: [7, 13],
    needs: ['lease'],
    async check(service) {
      const leasing = await setUpLeasing(service);
      const lease = await leasing.lease(refTo(), request('i1'));
      assert.ok(lease.head, 'the lease must have the head of the session');
      const { incarnation } = lease.head;
      const { fence } = lease;
      const run = { session: refTo(), incarnation, fence };
      await service.appendEvent({ ...run, event: eventOf('before') });
      await service.deleteSession(refTo());
      await createSession(service);
      const event = stateEvent('e1', { a: 1, 'user:b': 1, 'app:c': 1 });
      await rejectsWith('SESSION_NOT_FOUND', service.appendEvent({ ...run, event }));
      await rejectsWith('SESSION_NOT_FOUND', service.appendEvent({ ...run, event: eventOf('e2') }), 'plain');
      same([idsOf((await read(service)).events), await stateOf(service)], [[], {}]);
      same((await lease.renew())?.incarnation, (await read(service)).incarnation);
      await lease.release();
    },
  },
  {
    id: 'incarnation.session-object',
    sentence: 'checks the incarnation of a given Session, windowed or not',
    contracts: [7],
    async check(service) {
      const created = await service.createSession(refTo());
      const windowed = (await service.getSession({ ...refTo(), numRecentEvents: 0 }))!;
      await append(service, created, eventOf('e1'));
      await service.deleteSession(refTo());
      await createSession(service);
      await rejectsWith('SESSION_NOT_FOUND', append(service, created, eventOf('e2')));
      await rejectsWith('SESSION_NOT_FOUND', append(service, windowed, eventOf('e2')), 'windowed');
      same([idsOf(created.events), (await read(service)).lastSeq], [['e1'], 0]);
    },
  },
  {
    id: 'incarnation.same',
    sentence: 'stores and repeats an event with the current incarnation or without one',
    contracts: [7],
    async check(service) {
      await replaceSession(service);
      const { incarnation } = await read(service);
      const named = { session: refTo(), incarnation };
      const stored = await service.appendEvent({
        ...named,
        event: stateEvent('e1', { a: 1, 'user:b': 1, 'app:c': 1 }),
      });
      same(await service.appendEvent({ ...named, event: stateEvent('e1', { a: 1 }) }), stored);
      await append(service, refTo(), eventOf('e2'));
      await service.appendEvent({ ...named, event: eventOf('e3') });
      same(idsOf((await read(service)).events), ['e1', 'e2', 'e3']);
    },
  },
  {
    id: 'incarnation.update-state',
    sentence: 'throws SESSION_NOT_FOUND in updateState for another incarnation',
    contracts: [7, 12],
    async check(service) {
      const old = await replaceSession(service);
      await rejectsWith(
        'SESSION_NOT_FOUND',
        service.updateState({ ...refTo(), incarnation: old.incarnation, stateDelta: { a: 1 } }),
      );
      same(await stateOf(service), {});
      await service.updateState({ ...refTo(), stateDelta: { a: 2 } });
      same(await stateOf(service), { a: 2 });
    },
  },
  {
    id: 'incarnation.invalid',
    sentence: 'throws INVALID_INPUT for an incarnation that is empty or not a string',
    contracts: [1],
    async check(service) {
      await createSession(service);
      for (const incarnation of ['', 7, null] as string[]) {
        const named = { session: refTo(), incarnation };
        await rejectsWith(
          'INVALID_INPUT',
          service.appendEvent({ ...named, event: eventOf('e1') }),
          String(incarnation),
        );
      }
      assert.equal((await read(service)).lastSeq, 0);
    },
  },
];

/** Creates a session, deletes it and creates it again. Returns the key, and the incarnation of the first one. */
async function replaceSession(service: SessionService): Promise<{ session: SessionRef; incarnation: string }> {
  const { incarnation } = await service.createSession(refTo());
  await service.deleteSession(refTo());
  await createSession(service);
  return { session: refTo(), incarnation };
}
