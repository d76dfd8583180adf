import assert from 'node:assert/strict';
import { TholeError } from '@thole/core';
import type { Event } from '@thole/core';
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
  stateOf,
  writing,
} from './session-support.ts';
import type { SessionCase } from './session-support.ts';

/** One append: what is stored, answered and refused. */
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
