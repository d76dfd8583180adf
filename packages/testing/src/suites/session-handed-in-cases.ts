import assert from 'node:assert/strict';
import { append, eventOf, idsOf, made, read, refTo, same, stateOf, writing } from './session-support.ts';
import type { SessionCase } from './session-support.ts';

/** The session and the event that a caller hands in. */
export const sessionHandedInCases: readonly SessionCase[] = [
  {
    id: 'append.handed-in',
    sentence: 'a session that is handed in shows event, merged state, time and seq afterwards, without temp:',
    contracts: [4, 7],
    async check(service) {
      const session = await service.createSession({ ...refTo(), state: { a: 1, 'user:gone': 1 } });
      const [stored] = await append(
        service,
        session,
        writing('e1', { b: 2, 'user:c': 3, 'app:d': 4, 'user:gone': null, 'temp:e': 5 }, { timestamp: 1_700_000_007 }),
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
    id: 'append.handed-in-own-copy',
    sentence: 'the state of a session that was handed in may be changed afterwards: the stored event stays as it is',
    contracts: [7, 9],
    async check(service) {
      const session = await service.createSession(refTo());
      await append(service, session, writing('e1', { cart: { items: [1] } }));
      (session.state['cart'] as { items: number[] }).items.push(2);
      same(session.events[0]!.actions.stateDelta, { cart: { items: [1] } });
      same(await stateOf(service), { cart: { items: [1] } });
    },
  },
  {
    id: 'append.handed-in-repeated',
    sentence: 'a repeated event is shown once in the session that is handed in, and newer state is not rolled back',
    contracts: [7],
    async check(service) {
      const session = await service.createSession(refTo());
      await append(service, session, writing('e1', { a: 1 }), writing('e2', { a: 2 }), writing('e1', { a: 1 }));
      same([idsOf(session.events), session.state], [['e1', 'e2'], { a: 2 }]);
    },
  },
  {
    id: 'append.handed-in-behind',
    sentence: 'a repeated event that the session handed in lacks does not roll back what is newer in it',
    contracts: [7],
    async check(service) {
      await made(service);
      await append(service, refTo(), writing('e1', { a: 1 }), writing('e2', { a: 2 }));
      const windowed = (await service.getSession({ ...refTo(), numRecentEvents: 1 }))!;
      await append(service, windowed, writing('e1', { a: 1 }));
      same(windowed.state, { a: 2 });
      same(windowed.lastSeq, 2);
    },
  },
  {
    id: 'append.nothing-else-written',
    sentence: 'of a session that is handed in nothing is written but the event',
    contracts: [7],
    async check(service) {
      await made(service, refTo(), { a: 1, 'app:b': 1 });
      await append(service, refTo(), eventOf('e1'));
      const session = await read(service);
      session.state = { a: 9, forged: true, 'app:b': 9 };
      session.events = [eventOf('forged')];
      session.lastSeq = 77;
      session.lastUpdateTime = 1_900_000_000;
      await append(service, session, writing('e2', { c: 1 }));
      const stored = await read(service);
      same([idsOf(stored.events), stored.state, stored.lastSeq], [['e1', 'e2'], { a: 1, c: 1, 'app:b': 1 }, 2]);
      assert.ok(stored.lastUpdateTime < 1_900_000_000);
    },
  },
  {
    id: 'append.callers-event',
    sentence:
      'the caller’s event stays as it was and its own: not frozen, without seq, and changing it changes nothing stored',
    contracts: [4, 9],
    async check(service) {
      await made(service);
      const event = writing('e1', { a: { b: 1 }, 'temp:t': 1 });
      const before = structuredClone(event);
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
