import assert from 'node:assert/strict';
import type { EventWindow, SessionService } from '@thole/core';
import {
  append,
  eventOf,
  idsOf,
  isDeeplyFrozen,
  made,
  read,
  refTo,
  refused,
  same,
  writing,
} from './session-support.ts';
import type { SessionCase } from './session-support.ts';

export const sessionWindowCases: readonly SessionCase[] = [
  {
    id: 'get.unknown',
    sentence: 'an unknown session, one of another user and one of another app are undefined',
    contracts: [1, 10],
    async check(service) {
      await made(service);
      same(await service.getSession(refTo('other')), undefined);
      same(await service.getSession(refTo('s', 'other')), undefined);
      same(await service.getSession(refTo('s', 'u', 'other')), undefined);
    },
  },
  {
    id: 'get.own-copy',
    sentence:
      'what is changed in an answered session, deep inside its state too, is not stored and no other reader sees it',
    contracts: [9],
    async check(service) {
      await made(service, refTo(), { cart: { items: [1] }, 'app:list': [1] });
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
    sentence: 'events that are read are frozen all the way down',
    contracts: [9],
    async check(service) {
      await made(service);
      await append(service, refTo(), writing('e1', { a: { b: [1] } }, { customMetadata: { deep: { deeper: [1] } } }));
      const session = await read(service);
      assert.ok(isDeeplyFrozen(session.events[0]));
    },
  },
  {
    id: 'get.whole',
    sentence: 'a read without a window, or with one of undefined members, is whole and says nothing of a window',
    contracts: [10],
    async check(service) {
      await timeline(service);
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
  windowed('window.recent', 'the last two of five', { numRecentEvents: 2 }, ['e4', 'e5']),
  windowed(
    'window.recent-more',
    'more than there are is all, and still says that it was a window',
    { numRecentEvents: 9 },
    ['e1', 'e2', 'e3', 'e4', 'e5'],
  ),
  windowed('window.recent-none', 'numRecentEvents 0 is no events', { numRecentEvents: 0 }, []),
  windowed('window.time', 'afterTimestamp is inclusive', { afterTimestamp: 1_700_000_030 }, ['e3', 'e4', 'e5']),
  windowed(
    'window.time-between',
    'a time between two events begins at the later',
    { afterTimestamp: 1_700_000_030.001 },
    ['e4', 'e5'],
  ),
  windowed('window.time-zero', 'afterTimestamp 0 is everything, not nothing', { afterTimestamp: 0 }, [
    'e1',
    'e2',
    'e3',
    'e4',
    'e5',
  ]),
  windowed('window.time-future', 'a time after the last event is no events', { afterTimestamp: 1_800_000_000 }, []),
  windowed('window.seq', 'afterSeq is exclusive', { afterSeq: 3 }, ['e4', 'e5']),
  windowed('window.seq-zero', 'afterSeq 0 is everything', { afterSeq: 0 }, ['e1', 'e2', 'e3', 'e4', 'e5']),
  windowed('window.seq-beyond', 'afterSeq beyond the last is no events', { afterSeq: 5 }, []),
  windowed(
    'window.time-then-tail',
    'first the filter, then the tail',
    { afterTimestamp: 1_700_000_020, numRecentEvents: 2 },
    ['e4', 'e5'],
  ),
  windowed(
    'window.filter-in-tail',
    'the filter takes from the tail what is too old',
    { afterSeq: 4, numRecentEvents: 3 },
    ['e5'],
  ),
  windowed(
    'window.all-three',
    'all three combine',
    { afterSeq: 1, afterTimestamp: 1_700_000_030, numRecentEvents: 2 },
    ['e4', 'e5'],
  ),
  windowed('window.both-filters', 'of two filters both hold', { afterSeq: 3, afterTimestamp: 1_700_000_010 }, [
    'e4',
    'e5',
  ]),
  {
    id: 'window.config',
    sentence: 'a window given as ADK gives it, in config, is the same window',
    contracts: [10],
    async check(service) {
      await timeline(service);
      const session = await service.getSession({ ...refTo(), config: { numRecentEvents: 2 } });
      same([idsOf(session!.events), session!.window], [['e4', 'e5'], { numRecentEvents: 2 }]);
    },
  },
  {
    id: 'window.times-out-of-order',
    sentence: 'times that go back are filtered by value and stay in the order of seq',
    contracts: [8, 10],
    async check(service) {
      await made(service);
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
    sentence: 'a windowed session has the whole state, lastSeq and lastUpdateTime',
    contracts: [10],
    async check(service) {
      await timeline(service);
      const [windowed, whole] = [await service.getSession({ ...refTo(), numRecentEvents: 0 }), await read(service)];
      same({ ...windowed, events: [], window: {} }, { ...whole, events: [], window: {} });
    },
  },
  {
    id: 'window.append-keeps-history',
    sentence: 'an append through a windowed session loses nothing of the history',
    contracts: [7, 10],
    async check(service) {
      await timeline(service);
      const session = (await service.getSession({ ...refTo(), numRecentEvents: 1 }))!;
      await append(service, session, eventOf('e6', { timestamp: 1_700_000_060 }));
      same([idsOf(session.events), session.lastSeq], [['e5', 'e6'], 6]);
      same(idsOf((await read(service)).events), ['e1', 'e2', 'e3', 'e4', 'e5', 'e6']);
    },
  },
  {
    id: 'window.refused',
    sentence: 'a window that is no number of its kind is INVALID_INPUT that names it',
    contracts: [10, 42],
    async check(service) {
      await made(service);
      const bad = {
        numRecentEvents: [-1, 1.5, Number.NaN, '2', null],
        afterSeq: [-1, 0.5, '1', null],
        afterTimestamp: [Number.NaN, Infinity, '0', null],
      };
      for (const [name, values] of Object.entries(bad)) {
        for (const value of values) {
          const error = await refused(
            'INVALID_INPUT',
            service.getSession({ ...refTo(), [name]: value }),
            `${name} ${String(value)}`,
          );
          assert.ok(error.message.includes(name));
        }
      }
    },
  },
];

function windowed(id: string, sentence: string, window: EventWindow, expected: string[]): SessionCase {
  return {
    id,
    sentence,
    contracts: [10],
    async check(service) {
      await timeline(service);
      const session = await service.getSession({ ...refTo(), ...window });
      same([idsOf(session!.events), session!.window], [expected, window]);
    },
  };
}

/** Five events, ten seconds apart. */
async function timeline(service: SessionService): Promise<void> {
  await made(service, refTo(), { initial: true });
  for (let i = 1; i <= 5; i++)
    await append(service, refTo(), writing(`e${i}`, { count: i }, { timestamp: 1_700_000_000 + i * 10 }));
}
