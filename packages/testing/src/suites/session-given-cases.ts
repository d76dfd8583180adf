import assert from 'node:assert/strict';
import { thawJson } from '@thole/core/kit';
import type { Event, JsonObject } from '@thole/core';
import { append, eventOf, idsOf, createSession, read, refTo, same, stateOf, stateEvent } from './session-support.ts';
import type { SessionCase } from './session-support.ts';

/** The `Session` and the event that the caller passes to `appendEvent`. */
export const sessionGivenCases: readonly SessionCase[] = [
  {
    id: 'append.given-session',
    sentence: 'adds the event, state, time and seq to the given session, without temp: keys',
    contracts: [4, 7],
    async check(service) {
      const session = await service.createSession({ ...refTo(), state: { a: 1, 'user:gone': 1 } });
      const [stored] = await append(
        service,
        session,
        stateEvent(
          'e1',
          { b: 2, 'user:c': 3, 'app:d': 4, 'user:gone': null, 'temp:e': 5 },
          { timestamp: 1_700_000_007 },
        ),
      );
      same(session.events, [stored]);
      same(
        [session.state, session.lastUpdateTime, session.lastSeq],
        [{ a: 1, b: 2, 'user:c': 3, 'app:d': 4 }, 1_700_000_007, 1],
      );
      same(await read(service), session);
    },
  },
  {
    id: 'append.given-session-own-copy',
    sentence: 'does not change stored events when the state of the given session is changed',
    contracts: [7, 9],
    async check(service) {
      const session = await service.createSession(refTo());
      await append(service, session, stateEvent('e1', { cart: { items: [1] } }));
      (session.state['cart'] as { items: number[] }).items.push(2);
      same(session.events[0]!.actions.stateDelta, { cart: { items: [1] } });
      same(await stateOf(service), { cart: { items: [1] } });
    },
  },
  {
    id: 'append.given-session-repeated',
    sentence: 'adds a repeated event to the given session once, and keeps its newer state',
    contracts: [7],
    async check(service) {
      const session = await service.createSession(refTo());
      await append(
        service,
        session,
        stateEvent('e1', { a: 1 }),
        stateEvent('e2', { a: 2 }),
        stateEvent('e1', { a: 1 }),
      );
      same([idsOf(session.events), session.state], [['e1', 'e2'], { a: 2 }]);
    },
  },
  {
    id: 'append.given-session-behind',
    sentence: 'keeps newer state of a given session that lacks the repeated event',
    contracts: [7],
    async check(service) {
      await createSession(service);
      await append(service, refTo(), stateEvent('e1', { a: 1 }), stateEvent('e2', { a: 2 }));
      const windowed = (await service.getSession({ ...refTo(), numRecentEvents: 1 }))!;
      await append(service, windowed, stateEvent('e1', { a: 1 }));
      same(windowed.state, { a: 2 });
      same(windowed.lastSeq, 2);
    },
  },
  {
    id: 'append.stores-only-event',
    sentence: 'stores only the event, not other changes of the given session',
    contracts: [7],
    async check(service) {
      await createSession(service, refTo(), { a: 1, 'app:b': 1 });
      await append(service, refTo(), eventOf('e1'));
      const session = await read(service);
      session.state = { a: 9, forged: true, 'app:b': 9 };
      session.events = [eventOf('forged')];
      session.lastSeq = 77;
      session.lastUpdateTime = 1_900_000_000;
      await append(service, session, stateEvent('e2', { c: 1 }));
      const stored = await read(service);
      same([idsOf(stored.events), stored.state, stored.lastSeq], [['e1', 'e2'], { a: 1, c: 1, 'app:b': 1 }, 2]);
      assert.ok(stored.lastUpdateTime < 1_900_000_000, 'lastUpdateTime must not be the time of the given session');
    },
  },
  {
    id: 'append.given-event',
    sentence: 'keeps the given event unfrozen and without seq, and stores no later change of it',
    contracts: [4, 9],
    async check(service) {
      await createSession(service);
      const event = stateEvent('e1', { a: { b: 1 }, 'temp:t': 1 });
      const before = thawJson(event as unknown as JsonObject) as unknown as Event;
      await append(service, refTo(), event);
      same(event, before);
      (event.actions.stateDelta['a'] as { b: number }).b = 2;
      event.content!.parts![0]!.text = 'changed';
      event.author = 'changed';
      const [stored] = (await read(service)).events;
      same(
        [stored!.author, stored!.content?.parts, stored!.actions.stateDelta],
        ['agent', [{ text: 'e1' }], { a: { b: 1 } }],
      );
    },
  },
];
