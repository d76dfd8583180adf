import assert from 'node:assert/strict';
import {
  append,
  eventOf,
  isDeeplyFrozen,
  createSession,
  numbers,
  read,
  refTo,
  rejectsWith,
  same,
  stateOf,
  stateEvent,
} from './session-support.ts';
import type { SessionCase } from './session-support.ts';
import { reopen } from './reopen.ts';

/** Several instances over one storage, and sessions that expire. */
export const sessionDurableCases: readonly SessionCase[] = [
  {
    id: 'durable.reopened',
    sentence: 'returns every member unchanged to another instance over the same storage',
    contracts: [7, 9],
    needs: ['durable'],
    async check(service, t) {
      await createSession(service, refTo(), { a: { b: [null] }, 'user:c': 1, 'app:d': 1 });
      await append(service, refTo(), stateEvent('e1', { e: 1 }, { customMetadata: { deep: [{}] } }));
      const other = await reopen(t);
      const session = await read(other);
      same(session, await read(service));
      assert.ok(session.events.every(isDeeplyFrozen), 'the events must be deeply frozen');
      await rejectsWith('SESSION_ALREADY_EXISTS', other.createSession(refTo()));
    },
  },
  {
    id: 'durable.two-writers',
    sentence: 'stores all events of two instances without a gap in seq; both recognize repeated ids',
    contracts: [6, 7, 8],
    needs: ['durable'],
    async check(service, t) {
      await createSession(service);
      const both = [service, await reopen(t)];
      await Promise.all(
        numbers(20).flatMap((n) =>
          both.map((each, i) =>
            each.appendEvent({ session: refTo(), event: stateEvent(`e${i}-${n}`, { [`user:${i}-${n}`]: n }) }),
          ),
        ),
      );
      await both[0]!.appendEvent({ session: refTo(), event: eventOf('same') });
      await both[1]!.appendEvent({ session: refTo(), event: eventOf('same') });
      const { events, state } = await read(both[1]!);
      same(
        events.map((event) => event.seq),
        numbers(41),
      );
      assert.equal(Object.keys(state).length, 40);
    },
  },
  {
    id: 'ttl.sliding',
    sentence: 'deletes a session 60 seconds after its last event',
    contracts: [14],
    needs: ['ttl-60s'],
    async check(service, { runtime }) {
      await createSession(service);
      await runtime.advance(50_000);
      await append(service, refTo(), eventOf('e1', { timestamp: runtime.now() }));
      await runtime.advance(50_000);
      same((await read(service)).lastSeq, 1);
      await runtime.advance(61_000);
      same(await service.getSession(refTo()), undefined);
      same(await service.listSessions({ appName: 'app' }), { sessions: [], total: 0 });
      await rejectsWith('SESSION_NOT_FOUND', service.appendEvent({ session: refTo(), event: eventOf('e2') }));
    },
  },
  {
    id: 'ttl.shared-state-stays',
    sentence: 'keeps user: and app: state when a session expires',
    contracts: [14],
    needs: ['ttl-60s'],
    async check(service, { runtime }) {
      await createSession(service, refTo('s1'), { own: 1, 'user:a': 1, 'app:b': 1 });
      await runtime.advance(120_000);
      await createSession(service, refTo('s2'));
      same(await stateOf(service, refTo('s2')), { 'app:b': 1, 'user:a': 1 });
    },
  },
];
