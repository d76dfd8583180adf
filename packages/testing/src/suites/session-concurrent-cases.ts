import assert from 'node:assert/strict';
import {
  append,
  eventOf,
  idsOf,
  createSession,
  numbers,
  read,
  refTo,
  same,
  stateOf,
  stateEvent,
} from './session-support.ts';
import type { SessionCase } from './session-support.ts';

/** Repeated and concurrent calls of `appendEvent`. */
export const sessionConcurrentCases: readonly SessionCase[] = [
  {
    id: 'append.repeated',
    sentence: 'returns the stored event for a known id and changes nothing',
    contracts: [7],
    async check(service) {
      await createSession(service);
      const [first] = await append(
        service,
        refTo(),
        stateEvent('e1', { a: 1, 'user:b': 1 }),
        stateEvent('e2', { a: 2, 'user:b': 2 }),
      );
      const before = await read(service);
      const again = await service.appendEvent({
        session: refTo(),
        event: stateEvent('e1', { a: 3, 'user:b': 3, 'app:c': 3 }, { timestamp: 1_700_000_999, author: 'other' }),
      });
      same(again, first);
      same(await read(service), before);
    },
  },
  {
    id: 'append.repeated-concurrent',
    sentence: 'stores one event for twenty concurrent appends of one id, and returns it to all',
    contracts: [7, 8],
    async check(service) {
      await createSession(service);
      const answers = await Promise.all(
        numbers(20).map((n) => service.appendEvent({ session: refTo(), event: stateEvent('e1', { n }) })),
      );
      const { events, state, lastSeq } = await read(service);
      same([events.length, lastSeq], [1, 1]);
      for (const answer of answers) same(answer, events[0]);
      same(state, events[0]!.actions.stateDelta);
    },
  },
  {
    id: 'append.id-per-session',
    sentence: 'stores one event id in two sessions as two events',
    contracts: [7],
    async check(service) {
      await createSession(service, refTo('s1'));
      await createSession(service, refTo('s2'));
      await append(service, refTo('s1'), stateEvent('e1', { a: 1 }));
      await append(service, refTo('s2'), stateEvent('e1', { a: 2 }));
      same([await stateOf(service, refTo('s1')), await stateOf(service, refTo('s2'))], [{ a: 1 }, { a: 2 }]);
    },
  },
  {
    id: 'append.concurrent',
    sentence: 'stores a hundred concurrent appends once each, with seq 1 to 100 and every key',
    contracts: [6, 8],
    async check(service) {
      await createSession(service);
      const answers = await Promise.all(
        numbers(100).map((n) =>
          service.appendEvent({ session: refTo(), event: stateEvent(`e${n}`, { [`key${n}`]: n }) }),
        ),
      );
      const { events, state, lastSeq } = await read(service);
      same(
        events.map((event) => event.seq),
        numbers(100),
      );
      same(new Set(idsOf(events)).size, 100);
      assert.equal(lastSeq, 100);
      for (const answer of answers) assert.equal(events[answer.seq! - 1]!.id, answer.id);
      for (const n of numbers(100)) assert.equal(state[`key${n}`], n);
    },
  },
  {
    id: 'append.concurrent-scopes',
    sentence: 'keeps all user: and app: keys of concurrent writers in different sessions',
    contracts: [6],
    async check(service) {
      const refs = numbers(12).map((n) => refTo(`s${n}`, `u${n % 2}`));
      await Promise.all(refs.map((ref) => createSession(service, ref)));
      await Promise.all(
        numbers(4).flatMap((round) =>
          refs.map((ref, i) =>
            service.appendEvent({
              session: ref,
              event: stateEvent(`e${round}`, { [`user:${i}-${round}`]: 1, [`app:${i}-${round}`]: 1 }),
            }),
          ),
        ),
      );
      const keys = Object.keys(await stateOf(service, refs[0]!));
      assert.equal(keys.filter((key) => key.startsWith('app:')).length, 48);
      assert.equal(keys.filter((key) => key.startsWith('user:')).length, 24);
    },
  },
  {
    id: 'append.concurrent-handles',
    sentence: 'stores appends of two callers that hold copies of the same session',
    contracts: [7, 8],
    async check(service) {
      await createSession(service);
      const [one, other] = [await read(service), await read(service)];
      await append(service, one, stateEvent('e1', { a: 1 }));
      await append(service, other, stateEvent('e2', { b: 2 }));
      await append(service, one, stateEvent('e3', { a: 3 }));
      const whole = await read(service);
      same([idsOf(whole.events), whole.state], [['e1', 'e2', 'e3'], { a: 3, b: 2 }]);
    },
  },
  {
    id: 'append.order-is-seq',
    sentence: 'returns events with equal and decreasing times in the order of their seq',
    contracts: [8],
    async check(service) {
      await createSession(service);
      const events = [5, 5, 3, 9, 1].map((time, i) => eventOf(`e${i}`, { timestamp: 1_700_000_000 + time }));
      await append(service, refTo(), ...events);
      same(idsOf((await read(service)).events), idsOf(events));
    },
  },
  {
    id: 'append.long-history',
    sentence: 'returns a history of 250 events completely and in order',
    contracts: [8, 10],
    async check(service) {
      await createSession(service);
      for (const n of numbers(250)) await service.appendEvent({ session: refTo(), event: eventOf(`e${n}`) });
      same(
        idsOf((await read(service)).events),
        numbers(250).map((n) => `e${n}`),
      );
    },
  },
  {
    id: 'append.last-update-time',
    sentence: 'sets lastUpdateTime to the time of the event and never decreases it',
    contracts: [7, 8],
    async check(service) {
      const session = await service.createSession(refTo());
      const times: number[] = [];
      for (const [i, time] of [10.125, 5, 10.125, 20].entries()) {
        await append(service, session, eventOf(`e${i}`, { timestamp: 1_700_000_000 + time }));
        const stored = await read(service);
        assert.equal(session.lastUpdateTime, stored.lastUpdateTime);
        times.push(stored.lastUpdateTime - 1_700_000_000);
      }
      same(times, [10.125, 10.125, 10.125, 20]);
    },
  },
];
