import assert from 'node:assert/strict';
import type { SessionRef, SessionService } from '@thole/core';
import { request, ready } from './lease-support.ts';
import { append, eventOf, idsOf, made, read, refTo, refused, same, stateOf, writing } from './session-support.ts';
import type { SessionCase } from './session-support.ts';

/** A session that was deleted and created again under its id. */
export const sessionIncarnationCases: readonly SessionCase[] = [
  {
    id: 'incarnation.other',
    sentence:
      'an append that names the incarnation of a deleted session is SESSION_NOT_FOUND in the session created again under its id, and stores nothing',
    contracts: [7],
    async check(service) {
      const old = await replaced(service);
      const before = await read(service);
      const event = writing('e1', { a: 1, 'user:b': 1, 'app:c': 1 });
      await refused('SESSION_NOT_FOUND', service.appendEvent({ ...old, event }));
      await refused('SESSION_NOT_FOUND', service.appendEvent({ ...old, event: eventOf('plain') }), 'plain');
      same(await read(service), before);
      same(await stateOf(service), {});
    },
  },
  {
    id: 'incarnation.other-known-event',
    sentence: 'the same is true for an event whose id the new session has',
    contracts: [7],
    async check(service) {
      const old = await replaced(service);
      await append(service, refTo(), eventOf('e1'));
      await refused('SESSION_NOT_FOUND', service.appendEvent({ ...old, event: eventOf('e1') }));
      same(idsOf((await read(service)).events), ['e1']);
    },
  },
  {
    id: 'incarnation.other-concurrent',
    sentence: 'appends of both incarnations at the same time: those of the new one are stored, the others are refused',
    contracts: [7, 8],
    async check(service) {
      const old = await replaced(service);
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
    sentence: 'the same is true for a run that still holds the lease',
    contracts: [7, 13],
    needs: ['lease'],
    async check(service) {
      const leasing = await ready(service);
      const lease = await leasing.lease(refTo(), request('i1'));
      const { incarnation } = lease.head!;
      const { fence } = lease;
      const run = { session: refTo(), incarnation, fence };
      await service.appendEvent({ ...run, event: eventOf('before') });
      await service.deleteSession(refTo());
      await made(service);
      const event = writing('e1', { a: 1, 'user:b': 1, 'app:c': 1 });
      await refused('SESSION_NOT_FOUND', service.appendEvent({ ...run, event }));
      await refused('SESSION_NOT_FOUND', service.appendEvent({ ...run, event: eventOf('e2') }), 'plain');
      same([idsOf((await read(service)).events), await stateOf(service)], [[], {}]);
      same((await lease.renew())?.incarnation, (await read(service)).incarnation);
      await lease.release();
    },
  },
  {
    id: 'incarnation.session-object',
    sentence: 'a Session that was read names its incarnation, windowed or not',
    contracts: [7],
    async check(service) {
      const created = await service.createSession(refTo());
      const windowed = (await service.getSession({ ...refTo(), numRecentEvents: 0 }))!;
      await append(service, created, eventOf('e1'));
      await service.deleteSession(refTo());
      await made(service);
      await refused('SESSION_NOT_FOUND', append(service, created, eventOf('e2')));
      await refused('SESSION_NOT_FOUND', append(service, windowed, eventOf('e2')), 'windowed');
      same([idsOf(created.events), (await read(service)).lastSeq], [['e1'], 0]);
    },
  },
  {
    id: 'incarnation.same',
    sentence: 'the incarnation that the session has stores and repeats an event; so does a reference without one',
    contracts: [7],
    async check(service) {
      await replaced(service);
      const { incarnation } = await read(service);
      const named = { session: refTo(), incarnation };
      const stored = await service.appendEvent({ ...named, event: writing('e1', { a: 1, 'user:b': 1, 'app:c': 1 }) });
      same(await service.appendEvent({ ...named, event: writing('e1', { a: 1 }) }), stored);
      await append(service, refTo(), eventOf('e2'));
      await service.appendEvent({ ...named, event: eventOf('e3') });
      same(idsOf((await read(service)).events), ['e1', 'e2', 'e3']);
    },
  },
  {
    id: 'incarnation.update-state',
    sentence: 'updateState refuses another incarnation too',
    contracts: [7, 12],
    async check(service) {
      const old = await replaced(service);
      await refused(
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
    sentence: 'an incarnation that is not a string, or an empty one, is INVALID_INPUT',
    contracts: [1],
    async check(service) {
      await made(service);
      for (const incarnation of ['', 7, null] as string[]) {
        const named = { session: refTo(), incarnation };
        await refused('INVALID_INPUT', service.appendEvent({ ...named, event: eventOf('e1') }), String(incarnation));
      }
      assert.equal((await read(service)).lastSeq, 0);
    },
  },
];

/** Creates a session, deletes it and creates it again. Returns the key, and the incarnation of the first one. */
async function replaced(service: SessionService): Promise<{ session: SessionRef; incarnation: string }> {
  const { incarnation } = await service.createSession(refTo());
  await service.deleteSession(refTo());
  await made(service);
  return { session: refTo(), incarnation };
}
