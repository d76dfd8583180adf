import assert from 'node:assert/strict';
import { TholeError } from '@thole/core';
import type { Event } from '@thole/core';
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
  stateOf,
  stateEvent,
} from './session-support.ts';
import type { SessionCase } from './session-support.ts';

/** `appendEvent` of one event. */
export const sessionAppendCases: readonly SessionCase[] = [
  {
    id: 'append.returns-stored',
    sentence: 'returns the stored event, with its seq and frozen',
    contracts: [7, 9],
    async check(service) {
      await createSession(service);
      const [stored] = await append(service, refTo(), stateEvent('e1', { a: [1] }));
      same((await read(service)).events, [stored]);
      assert.equal(stored!.seq, 1);
      assert.ok(isDeeplyFrozen(stored), 'the returned event must be deeply frozen');
    },
  },
  {
    id: 'append.seq-counts',
    sentence: 'numbers the events of each session 1, 2, 3 …, whatever seq the caller set',
    contracts: [8],
    async check(service) {
      const [one, other] = [await createSession(service, refTo('s1')), await createSession(service, refTo('s2'))];
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
    sentence: 'returns a partial event unchanged, and stores no part of it',
    contracts: [7],
    async check(service) {
      const session = await service.createSession(refTo());
      const partial = stateEvent('e1', { a: 1 }, { partial: true });
      assert.equal(await service.appendEvent({ session, event: partial }), partial);
      assert.equal(partial.seq, undefined);
      assert.equal(Object.isFrozen(partial), false);
      same([session.events, session.state], [[], {}]);
      same(await read(service), session);
      const [stored] = await append(service, session, stateEvent('e1', { a: 2 }));
      same([stored!.seq, await stateOf(service)], [1, { a: 2 }]);
    },
  },
  {
    id: 'append.unknown-session',
    sentence: 'throws SESSION_NOT_FOUND for an unknown, foreign or deleted session, and writes no state',
    contracts: [1, 7],
    async check(service) {
      await createSession(service);
      const deleted = await service.createSession(refTo('gone'));
      await service.deleteSession(refTo('gone'));
      for (const session of [refTo('none'), refTo('s', 'other'), refTo('s', 'u', 'other'), refTo('gone'), deleted]) {
        await rejectsWith(
          'SESSION_NOT_FOUND',
          service.appendEvent({ session, event: stateEvent('e1', { a: 1, 'user:b': 1, 'app:c': 1 }) }),
        );
      }
      same(deleted.events, []);
      same(await stateOf(service), {});
      same(await service.getUserState({ appName: 'app', userId: 'other' }), {});
    },
  },
  {
    id: 'append.temp',
    sentence: 'keeps temp: keys out of the state, the stored deltas and the returned events',
    contracts: [4],
    async check(service) {
      await createSession(service);
      const [returned] = await append(
        service,
        refTo(),
        stateEvent('e1', { 'temp:a': 1, b: 1 }),
        stateEvent('e2', { 'temp:only': 1 }),
      );
      const { events, state } = await read(service);
      same(returned!.actions.stateDelta, { b: 1 });
      same(
        events.map((event) => event.actions.stateDelta),
        [{ b: 1 }, {}],
      );
      same(state, { b: 1 });
    },
  },
  {
    id: 'append.all-or-nothing',
    sentence: 'stores no event, state, time or seq if one part of the event is rejected',
    contracts: [5, 7],
    async check(service) {
      await createSession(service);
      const before = await read(service);
      const bad: Event[] = [
        stateEvent('e1', { a: 1, 'user:b': 1, 'app:c': 1, z: new Date(0) as never }, { timestamp: 1_700_000_500 }),
        stateEvent('e1', { a: 1, 'user:b': 1, z: 'x'.repeat(1024 * 1024) }, { timestamp: 1_700_000_500 }),
        stateEvent('e1', { a: 1, 'app:c': 1 }, { timestamp: 1_700_000_500, customMetadata: { f: (() => 1) as never } }),
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
    sentence: 'throws the reason of a signal that is already aborted, and stores nothing',
    contracts: [7],
    async check(service) {
      await createSession(service);
      const reason = new Error('enough');
      const call = service.appendEvent({ session: refTo(), event: eventOf('e1'), signal: AbortSignal.abort(reason) });
      await assert.rejects(call, (error) => error === reason);
      same((await read(service)).events, []);
    },
  },
  {
    id: 'append.aborted-during-call',
    sentence: 'returns the event or throws STORE_OUTCOME_UNKNOWN if aborted; a retry stores it once',
    contracts: [7],
    async check(service) {
      await createSession(service);
      const controller = new AbortController();
      const call = service.appendEvent({
        session: refTo(),
        event: stateEvent('e1', { a: 1 }),
        signal: controller.signal,
      });
      const reason = new Error('enough');
      controller.abort(reason);
      const outcome = await call.catch((error: unknown) => error);
      if (outcome instanceof Error)
        assert.ok(
          TholeError.is(outcome, 'STORE_OUTCOME_UNKNOWN') && outcome.cause === reason,
          `got ${String(outcome)}`,
        );
      const again = await service.appendEvent({ session: refTo(), event: stateEvent('e1', { a: 1 }) });
      same([again.seq, idsOf((await read(service)).events)], [1, ['e1']]);
    },
  },
  {
    id: 'append.invalid-event',
    sentence: 'throws INVALID_INPUT that names a missing id, invocation, author, time or actions, or wrong content',
    contracts: [7, 42],
    async check(service) {
      await createSession(service);
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
        ['content', 'x'],
        ['content', { parts: 'x' }],
        ['content', { parts: [null] }],
        ['content', { parts: [{ text: 5 }] }],
      ];
      for (const [member, value] of bad) {
        const event = { ...eventOf('e1'), [member]: value } as Event;
        const error = await rejectsWith(
          'INVALID_INPUT',
          service.appendEvent({ session: refTo(), event }),
          `${member} ${String(value)}`,
        );
        assert.ok(error.message.includes(member), `the message must name ${member}: ${error.message}`);
      }
      for (const event of [undefined, null, 'e', []] as unknown as Event[]) {
        await rejectsWith('INVALID_INPUT', service.appendEvent({ session: refTo(), event }), JSON.stringify(event));
      }
      same((await read(service)).events, []);
    },
  },
  {
    id: 'append.invalid-options',
    sentence: 'throws INVALID_INPUT for invalid ifHeldBy or marks, and for fence with ifHeldBy',
    contracts: [7, 42],
    async check(service) {
      await createSession(service);
      const invalid: [name: string, options: object][] = [
        ['ifHeldBy', { ifHeldBy: '' }],
        ['ifHeldBy', { ifHeldBy: 7 }],
        ['fence', { ifHeldBy: 'i1', fence: 'f1' }],
        ['marks', { marks: 7 }],
        ['unfinised', { marks: { unfinised: 'i1' } }],
        ['unfinished', { marks: { unfinished: '' } }],
        ['unfinished', { marks: { unfinished: 'a\0' } }],
        ['wakeAt', { marks: { wakeAt: Number.NaN } }],
        ['wakeAt', { marks: { wakeAt: '5' } }],
        ['openInterrupts', { marks: { openInterrupts: -1 } }],
        ['openInterrupts', { marks: { openInterrupts: null } }],
      ];
      for (const [name, options] of invalid) {
        const label = JSON.stringify(options);
        const call = service.appendEvent({ session: refTo(), event: eventOf('e1'), ...options });
        const error = await rejectsWith('INVALID_INPUT', call, label);
        assert.ok(error.message.includes(name), `${label}: ${error.message}`);
      }
      same((await read(service)).events, []);
    },
  },
];
