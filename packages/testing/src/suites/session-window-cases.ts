import assert from 'node:assert/strict';
import type { EventWindow, SessionService } from '@thole/core';
import {
  append,
  eventOf,
  idsOf,
  isDeeplyFrozen,
  createSession,
  read,
  refTo,
  rejectsWith,
  same,
  stateEvent,
} from './session-support.ts';
import type { SessionCase } from './session-support.ts';

/** `getSession` with and without a window. */
export const sessionWindowCases: readonly SessionCase[] = [
  {
    id: 'get.unknown',
    sentence: 'returns undefined for an unknown session, and for one of another user or app',
    contracts: [1, 10],
    async check(service) {
      await createSession(service);
      same(await service.getSession(refTo('other')), undefined);
      same(await service.getSession(refTo('s', 'other')), undefined);
      same(await service.getSession(refTo('s', 'u', 'other')), undefined);
    },
  },
  {
    id: 'get.own-copy',
    sentence: 'does not store changes of a returned session or show them to other readers',
    contracts: [9],
    async check(service) {
      await createSession(service, refTo(), { cart: { items: [1] }, 'app:list': [1] });
      await append(service, refTo(), eventOf('e1'));
      const [one, other] = [await read(service), await read(service)];
      (one.state['cart'] as { items: number[] }).items.push(2);
      (one.state['app:list'] as number[]).push(2);
      delete one.state['cart'];
      one.events.length = 0;
      one.lastSeq = 99;
      for (const session of [other, await read(service)]) {
        same(
          [session.state, idsOf(session.events), session.lastSeq],
          [{ cart: { items: [1] }, 'app:list': [1] }, ['e1'], 1],
        );
      }
    },
  },
  {
    id: 'get.frozen-events',
    sentence: 'returns deeply frozen events',
    contracts: [9],
    async check(service) {
      await createSession(service);
      await append(
        service,
        refTo(),
        stateEvent('e1', { a: { b: [1] } }, { customMetadata: { deep: { deeper: [1] } } }),
      );
      const session = await read(service);
      assert.ok(isDeeplyFrozen(session.events[0]), 'the returned event must be deeply frozen');
    },
  },
  {
    id: 'get.whole',
    sentence: 'returns all events without a window, or with undefined members, and no window member',
    contracts: [10],
    async check(service) {
      await createFiveEvents(service);
      const session = await service.getSession({
        ...refTo(),
        numRecentEvents: undefined,
        afterTimestamp: undefined,
        afterSeq: undefined,
      });
      assert.equal(session!.events.length, 5);
      assert.equal('window' in session!, false);
    },
  },
  windowCase('window.recent', 'returns the last two of five events', { numRecentEvents: 2 }, ['e4', 'e5']),
  windowCase(
    'window.recent-more',
    'returns all events and the window if numRecentEvents is greater than their count',
    { numRecentEvents: 9 },
    ['e1', 'e2', 'e3', 'e4', 'e5'],
  ),
  windowCase('window.recent-none', 'returns no events for numRecentEvents 0', { numRecentEvents: 0 }, []),
  windowCase('window.time', 'returns the event at afterTimestamp and later ones', { afterTimestamp: 1_700_000_030 }, [
    'e3',
    'e4',
    'e5',
  ]),
  windowCase(
    'window.time-between',
    'starts with the later event for a time between two events',
    { afterTimestamp: 1_700_000_030.001 },
    ['e4', 'e5'],
  ),
  windowCase('window.time-zero', 'returns all events for afterTimestamp 0', { afterTimestamp: 0 }, [
    'e1',
    'e2',
    'e3',
    'e4',
    'e5',
  ]),
  windowCase(
    'window.time-future',
    'returns no events for a time after the last one',
    { afterTimestamp: 1_800_000_000 },
    [],
  ),
  windowCase('window.seq', 'returns events with a greater seq than afterSeq', { afterSeq: 3 }, ['e4', 'e5']),
  windowCase('window.seq-zero', 'returns all events for afterSeq 0', { afterSeq: 0 }, ['e1', 'e2', 'e3', 'e4', 'e5']),
  windowCase('window.seq-beyond', 'returns no events if afterSeq is the last seq', { afterSeq: 5 }, []),
  windowCase(
    'window.time-then-tail',
    'applies numRecentEvents after the filter',
    { afterTimestamp: 1_700_000_020, numRecentEvents: 2 },
    ['e4', 'e5'],
  ),
  windowCase(
    'window.filter-in-tail',
    'returns fewer events than numRecentEvents if the filter excludes some',
    { afterSeq: 4, numRecentEvents: 3 },
    ['e5'],
  ),
  windowCase(
    'window.all-three',
    'applies all three members together',
    { afterSeq: 1, afterTimestamp: 1_700_000_030, numRecentEvents: 2 },
    ['e4', 'e5'],
  ),
  windowCase('window.both-filters', 'applies both filters', { afterSeq: 3, afterTimestamp: 1_700_000_010 }, [
    'e4',
    'e5',
  ]),
  {
    id: 'window.config',
    sentence: 'accepts a window in config, as ADK does',
    contracts: [10],
    async check(service) {
      await createFiveEvents(service);
      const session = await service.getSession({ ...refTo(), config: { numRecentEvents: 2 } });
      same([idsOf(session!.events), session!.window], [['e4', 'e5'], { numRecentEvents: 2 }]);
    },
  },
  {
    id: 'window.times-out-of-order',
    sentence: 'filters decreasing times by value and keeps the order of seq',
    contracts: [8, 10],
    async check(service) {
      await createSession(service);
      const times = [50, 10, 40, 20, 30];
      for (const [i, time] of times.entries())
        await append(service, refTo(), eventOf(`e${i + 1}`, { timestamp: 1_700_000_000 + time }));
      const from = async (p: EventWindow): Promise<string[]> =>
        idsOf((await service.getSession({ ...refTo(), ...p }))!.events);
      same(await from({ afterTimestamp: 1_700_000_030 }), ['e1', 'e3', 'e5']);
      same(await from({ afterTimestamp: 1_700_000_030, numRecentEvents: 2 }), ['e3', 'e5']);
      same(await from({ afterTimestamp: 1_700_000_020, afterSeq: 2 }), ['e3', 'e4', 'e5']);
    },
  },
  {
    id: 'window.rest-whole',
    sentence: 'returns the complete state, lastSeq and lastUpdateTime with a window',
    contracts: [10],
    async check(service) {
      await createFiveEvents(service);
      const [windowed, complete] = [await service.getSession({ ...refTo(), numRecentEvents: 0 }), await read(service)];
      same({ ...windowed, events: [], window: {} }, { ...complete, events: [], window: {} });
    },
  },
  {
    id: 'window.append-keeps-history',
    sentence: 'keeps the complete history when a windowed session is appended to',
    contracts: [7, 10],
    async check(service) {
      await createFiveEvents(service);
      const session = (await service.getSession({ ...refTo(), numRecentEvents: 1 }))!;
      await append(service, session, eventOf('e6', { timestamp: 1_700_000_060 }));
      same([idsOf(session.events), session.lastSeq], [['e5', 'e6'], 6]);
      same(idsOf((await read(service)).events), ['e1', 'e2', 'e3', 'e4', 'e5', 'e6']);
    },
  },
  {
    id: 'window.invalid',
    sentence: 'throws INVALID_INPUT that names an invalid member of the window',
    contracts: [10, 42],
    async check(service) {
      await createSession(service);
      const bad = {
        numRecentEvents: [-1, 1.5, Number.NaN, '2', null],
        afterSeq: [-1, 0.5, '1', null],
        afterTimestamp: [Number.NaN, Infinity, '0', null],
      };
      for (const [name, values] of Object.entries(bad)) {
        for (const value of values) {
          const error = await rejectsWith(
            'INVALID_INPUT',
            service.getSession({ ...refTo(), [name]: value }),
            `${name} ${String(value)}`,
          );
          assert.ok(error.message.includes(name), `the message must name ${name}: ${error.message}`);
        }
      }
    },
  },
];

function windowCase(id: string, sentence: string, window: EventWindow, expected: string[]): SessionCase {
  return {
    id,
    sentence,
    contracts: [10],
    async check(service) {
      await createFiveEvents(service);
      const session = await service.getSession({ ...refTo(), ...window });
      same([idsOf(session!.events), session!.window], [expected, window]);
    },
  };
}

/** Creates a session with five events, ten seconds apart. */
async function createFiveEvents(service: SessionService): Promise<void> {
  await createSession(service, refTo(), { initial: true });
  for (let i = 1; i <= 5; i++)
    await append(service, refTo(), stateEvent(`e${i}`, { count: i }, { timestamp: 1_700_000_000 + i * 10 }));
}
