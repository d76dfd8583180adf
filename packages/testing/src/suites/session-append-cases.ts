import assert from 'node:assert/strict';
import { TholeError } from '@thole/core';
import type { Event } from '@thole/core';
import {
  append,
  eventOf,
  idsOf,
  isDeeplyFrozen,
  made,
  numbers,
  read,
  refTo,
  refused,
  same,
  stateOf,
  writing,
} from './session-support.ts';
import type { SessionCase } from './session-support.ts';

export const sessionAppendCases: readonly SessionCase[] = [
  {
    id: 'append.answers-what-is-stored',
    sentence: 'the answered event is the stored one, with its seq, frozen',
    contracts: [7, 9],
    async check(service) {
      await made(service);
      const [stored] = await append(service, refTo(), writing('e1', { a: [1] }));
      same((await read(service)).events, [stored]);
      assert.equal(stored!.seq, 1);
      assert.ok(isDeeplyFrozen(stored));
    },
  },
  {
    id: 'append.seq-counts',
    sentence: 'seq counts 1, 2, 3 … in each session by itself, whatever seq the caller wrote',
    contracts: [8],
    async check(service) {
      const [one, other] = [await made(service, refTo('s1')), await made(service, refTo('s2'))];
      await append(service, one, eventOf('e1', { seq: 41 }), eventOf('e2'));
      await append(service, other, eventOf('e1'));
      await append(service, one, eventOf('e3', { seq: 1 }));
      same(
        (await read(service, one)).events.map((event) => event.seq),
        [1, 2, 3],
      );
      same(
        (await read(service, other)).events.map((event) => event.seq),
        [1],
      );
      assert.equal((await read(service, one)).lastSeq, 3);
    },
  },
  {
    id: 'append.partial',
    sentence: 'a partial event is answered untouched and nothing of it is stored or shown',
    contracts: [7],
    async check(service) {
      const session = await service.createSession(refTo());
      const partial = writing('e1', { a: 1 }, { partial: true });
      assert.equal(await service.appendEvent({ session, event: partial }), partial);
      assert.equal(partial.seq, undefined);
      assert.equal(Object.isFrozen(partial), false);
      same([session.events, session.state], [[], {}]);
      same(await read(service), session);
      const [stored] = await append(service, session, writing('e1', { a: 2 }));
      same([stored!.seq, await stateOf(service)], [1, { a: 2 }]);
    },
  },
  {
    id: 'append.unknown-session',
    sentence:
      'an append to an unknown session, another user’s or a deleted one is SESSION_NOT_FOUND and writes no state in any scope',
    contracts: [1, 7],
    async check(service) {
      await made(service);
      const handedIn = await service.createSession(refTo('gone'));
      await service.deleteSession(refTo('gone'));
      for (const session of [refTo('none'), refTo('s', 'other'), refTo('s', 'u', 'other'), refTo('gone'), handedIn]) {
        await refused(
          'SESSION_NOT_FOUND',
          service.appendEvent({ session, event: writing('e1', { a: 1, 'user:b': 1, 'app:c': 1 }) }),
        );
      }
      same(handedIn.events, []);
      same(await stateOf(service), {});
      same(await service.getUserState({ appName: 'app', userId: 'other' }), {});
    },
  },
  {
    id: 'append.repeated',
    sentence: 'an event id that is stored changes nothing, whatever comes with it, and is answered as stored',
    contracts: [7],
    async check(service) {
      await made(service);
      const [first] = await append(
        service,
        refTo(),
        writing('e1', { a: 1, 'user:b': 1 }),
        writing('e2', { a: 2, 'user:b': 2 }),
      );
      const before = await read(service);
      const again = await service.appendEvent({
        session: refTo(),
        event: writing('e1', { a: 3, 'user:b': 3, 'app:c': 3 }, { timestamp: 1_700_000_999, author: 'other' }),
      });
      same(again, first);
      same(await read(service), before);
    },
  },
  {
    id: 'append.repeated-at-once',
    sentence: 'of twenty that append one event id at once all hear the same stored event, and there is one',
    contracts: [7, 8],
    async check(service) {
      await made(service);
      const answers = await Promise.all(
        numbers(20).map((n) => service.appendEvent({ session: refTo(), event: writing('e1', { n }) })),
      );
      const { events, state, lastSeq } = await read(service);
      same([events.length, lastSeq], [1, 1]);
      for (const answer of answers) same(answer, events[0]);
      same(state, events[0]!.actions.stateDelta);
    },
  },
  {
    id: 'append.id-per-session',
    sentence: 'the same event id in another session is another event',
    contracts: [7],
    async check(service) {
      await made(service, refTo('s1'));
      await made(service, refTo('s2'));
      await append(service, refTo('s1'), writing('e1', { a: 1 }));
      await append(service, refTo('s2'), writing('e1', { a: 2 }));
      same([await stateOf(service, refTo('s1')), await stateOf(service, refTo('s2'))], [{ a: 1 }, { a: 2 }]);
    },
  },
  {
    id: 'append.concurrent',
    sentence: 'a hundred that append at once lose, repeat and reorder nothing: seq is 1 to 100, and every key is there',
    contracts: [6, 8],
    async check(service) {
      await made(service);
      const answers = await Promise.all(
        numbers(100).map((n) => service.appendEvent({ session: refTo(), event: writing(`e${n}`, { [`key${n}`]: n }) })),
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
    sentence: 'writers in different sessions never lose each other’s keys in user: and app: state',
    contracts: [6],
    async check(service) {
      const refs = numbers(12).map((n) => refTo(`s${n}`, `u${n % 2}`));
      await Promise.all(refs.map((ref) => made(service, ref)));
      await Promise.all(
        numbers(4).flatMap((round) =>
          refs.map((ref, i) =>
            service.appendEvent({
              session: ref,
              event: writing(`e${round}`, { [`user:${i}-${round}`]: 1, [`app:${i}-${round}`]: 1 }),
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
    sentence: 'two that hold the same session and append in turn both succeed: no snapshot is too old to append to',
    contracts: [7, 8],
    async check(service) {
      await made(service);
      const [one, other] = [await read(service), await read(service)];
      await append(service, one, writing('e1', { a: 1 }));
      await append(service, other, writing('e2', { b: 2 }));
      await append(service, one, writing('e3', { a: 3 }));
      const whole = await read(service);
      same([idsOf(whole.events), whole.state], [['e1', 'e2', 'e3'], { a: 3, b: 2 }]);
    },
  },
  {
    id: 'append.order-is-seq',
    sentence: 'events with falling and equal times are read in the order they were stored',
    contracts: [8],
    async check(service) {
      await made(service);
      const events = [5, 5, 3, 9, 1].map((time, i) => eventOf(`e${i}`, { timestamp: 1_700_000_000 + time }));
      await append(service, refTo(), ...events);
      same(idsOf((await read(service)).events), idsOf(events));
    },
  },
  {
    id: 'append.long-history',
    sentence: 'a history of 250 events is read whole and in order',
    contracts: [8, 10],
    async check(service) {
      await made(service);
      for (const n of numbers(250)) await service.appendEvent({ session: refTo(), event: eventOf(`e${n}`) });
      same(
        idsOf((await read(service)).events),
        numbers(250).map((n) => `e${n}`),
      );
    },
  },
  {
    id: 'append.time-goes-on',
    sentence: 'lastUpdateTime is the time of the event, and never goes back',
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
      session.incarnation = 'forged';
      await append(service, session, writing('e2', { c: 1 }));
      const stored = await read(service);
      same([idsOf(stored.events), stored.state, stored.lastSeq], [['e1', 'e2'], { a: 1, c: 1, 'app:b': 1 }, 2]);
      assert.ok(stored.lastUpdateTime < 1_900_000_000);
      assert.notEqual(stored.incarnation, 'forged');
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
  {
    id: 'append.temp',
    sentence: 'temp: keys are in no state, in no stored delta and in no answered event',
    contracts: [4],
    async check(service) {
      await made(service);
      const [answered] = await append(
        service,
        refTo(),
        writing('e1', { 'temp:a': 1, b: 1 }),
        writing('e2', { 'temp:only': 1 }),
      );
      const { events, state } = await read(service);
      same(answered!.actions.stateDelta, { b: 1 });
      same(
        events.map((event) => event.actions.stateDelta),
        [{ b: 1 }, {}],
      );
      same(state, { b: 1 });
    },
  },
  {
    id: 'append.all-or-nothing',
    sentence: 'an event of which one part is refused leaves no event, no state in any scope, no time and no seq behind',
    contracts: [5, 7],
    async check(service) {
      await made(service);
      const before = await read(service);
      const bad: Event[] = [
        writing('e1', { a: 1, 'user:b': 1, 'app:c': 1, z: new Date(0) as never }, { timestamp: 1_700_000_500 }),
        writing('e1', { a: 1, 'user:b': 1, z: 'x'.repeat(1024 * 1024) }, { timestamp: 1_700_000_500 }),
        writing('e1', { a: 1, 'app:c': 1 }, { timestamp: 1_700_000_500, customMetadata: { f: (() => 1) as never } }),
      ];
      for (const event of bad) {
        await assert.rejects(service.appendEvent({ session: refTo(), event }), (error) => TholeError.is(error));
        same(await read(service), before);
      }
      same(await service.getUserState(refTo()), {});
      const [stored] = await append(service, refTo(), eventOf('e1'));
      assert.equal(stored!.seq, 1);
    },
  },
  {
    id: 'append.aborted',
    sentence: 'a signal that is aborted before the call ends it with the signal’s reason, and nothing is stored',
    contracts: [7],
    async check(service) {
      await made(service);
      const reason = new Error('enough');
      const doing = service.appendEvent({ session: refTo(), event: eventOf('e1'), signal: AbortSignal.abort(reason) });
      await assert.rejects(doing, (error) => error === reason);
      same((await read(service)).events, []);
    },
  },
  {
    id: 'append.aborted-meanwhile',
    sentence:
      'a signal that ends the wait gives STORE_OUTCOME_UNKNOWN with its cause, or the stored event; asking again with the same id tells, once',
    contracts: [7],
    async check(service) {
      await made(service);
      const controller = new AbortController();
      const doing = service.appendEvent({
        session: refTo(),
        event: writing('e1', { a: 1 }),
        signal: controller.signal,
      });
      const reason = new Error('enough');
      controller.abort(reason);
      const outcome = await doing.catch((error: unknown) => error);
      if (outcome instanceof Error)
        assert.ok(TholeError.is(outcome, 'STORE_OUTCOME_UNKNOWN') && outcome.cause === reason, String(outcome));
      const again = await service.appendEvent({ session: refTo(), event: writing('e1', { a: 1 }) });
      same([again.seq, idsOf((await read(service)).events)], [1, ['e1']]);
    },
  },
  {
    id: 'append.refused-shape',
    sentence: 'an event without id, invocation id, author, time or actions is INVALID_INPUT that names what is missing',
    contracts: [7, 42],
    async check(service) {
      await made(service);
      const bad: [member: string, value: unknown][] = [
        ['id', ''],
        ['id', undefined],
        ['id', 7],
        ['invocationId', undefined],
        ['invocationId', ''],
        ['author', ''],
        ['author', null],
        ['timestamp', undefined],
        ['timestamp', Number.NaN],
        ['timestamp', '2024'],
        ['actions', undefined],
        ['actions', []],
      ];
      for (const [member, value] of bad) {
        const event = { ...eventOf('e1'), [member]: value } as Event;
        const error = await refused(
          'INVALID_INPUT',
          service.appendEvent({ session: refTo(), event }),
          `${member} ${String(value)}`,
        );
        assert.ok(error.message.includes(member), error.message);
      }
      for (const event of [undefined, null, 'e', []] as unknown as Event[]) {
        await refused('INVALID_INPUT', service.appendEvent({ session: refTo(), event }), JSON.stringify(event));
      }
      same((await read(service)).events, []);
    },
  },
];
