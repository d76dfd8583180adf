import assert from 'node:assert/strict';
import { TholeError } from '@thole/core';
import {
  append,
  createSession,
  eventOf,
  notJson,
  numbers,
  read,
  refTo,
  rejectsWith,
  same,
  stateOf,
} from './session-support.ts';
import type { SessionCase } from './session-support.ts';

/** `createSession`. */
export const sessionCreateCases: readonly SessionCase[] = [
  {
    id: 'create.new-id',
    sentence: 'creates a new id for each session without an id, and stores the session with it',
    contracts: [2],
    async check(service) {
      const user = { appName: 'app', userId: 'u' };
      const [one, other] = [await service.createSession(user), await service.createSession(user)];
      assert.notEqual(one.id, other.id);
      assert.ok(one.id.length > 0, 'the id must not be empty');
      same((await read(service, refTo(one.id))).incarnation, one.incarnation);
    },
  },
  {
    id: 'create.empty',
    sentence: 'creates a session without events and state, with lastSeq 0 and the current time',
    contracts: [2, 10, 41],
    async check(service, { runtime }) {
      await runtime.advance(1_250);
      const session = await service.createSession(refTo());
      const { incarnation, marks: _, ...rest } = session;
      assert.ok(incarnation.length > 0, 'the incarnation must not be empty');
      same(rest, {
        id: 's',
        appName: 'app',
        userId: 'u',
        state: {},
        initialState: {},
        events: [],
        lastUpdateTime: 1_700_000_001.25,
        lastSeq: 0,
      });
    },
  },
  {
    id: 'create.returns-stored',
    sentence: 'returns the same session as getSession',
    contracts: [2, 9],
    async check(service) {
      const session = await service.createSession({ ...refTo(), state: { a: 1, 'user:b': 2, 'app:c': 3 } });
      same(await read(service), session);
    },
  },
  {
    id: 'create.taken',
    sentence: 'throws SESSION_ALREADY_EXISTS for an existing id and does not change that session',
    contracts: [2],
    async check(service) {
      const ref = await createSession(service, refTo(), { a: 1 });
      await append(service, ref, eventOf('e1'));
      const before = await read(service);
      await rejectsWith(
        'SESSION_ALREADY_EXISTS',
        service.createSession({ ...ref, state: { a: 2, 'user:b': 2, 'app:c': 3 } }),
      );
      same(await read(service), before);
    },
  },
  {
    id: 'create.race',
    sentence: 'creates one session for twenty concurrent calls with one id, and rejects the others',
    contracts: [2],
    async check(service) {
      const results = await Promise.allSettled(
        numbers(20).map((n) => service.createSession({ ...refTo(), state: { n } })),
      );
      const winners = results.filter((result) => result.status === 'fulfilled');
      assert.equal(winners.length, 1);
      for (const result of results) {
        if (result.status === 'rejected')
          assert.ok(TholeError.is(result.reason, 'SESSION_ALREADY_EXISTS'), `got ${String(result.reason)}`);
      }
      same(await stateOf(service), winners[0]!.value.state);
    },
  },
  {
    id: 'create.same-id-elsewhere',
    sentence: 'creates separate sessions for one id of two users and of two apps',
    contracts: [1],
    async check(service) {
      const refs = [refTo('s', 'u1', 'a1'), refTo('s', 'u2', 'a1'), refTo('s', 'u1', 'a2')];
      for (const [i, ref] of refs.entries()) await createSession(service, ref, { i });
      for (const [i, ref] of refs.entries()) same(await stateOf(service, ref), { i });
    },
  },
  {
    id: 'create.scopes',
    sentence: 'adds the initial state to the stored state of its scopes',
    contracts: [2, 3],
    async check(service) {
      await createSession(service, refTo('s1', 'u1'), { own: 1, 'user:name': 'Ada', 'app:mode': 'dark' });
      const second = await service.createSession({ ...refTo('s2', 'u1'), state: { 'user:age': 36 } });
      same(second.state, { 'app:mode': 'dark', 'user:name': 'Ada', 'user:age': 36 });
      same((await service.createSession(refTo('s3', 'u2'))).state, { 'app:mode': 'dark' });
    },
  },
  {
    id: 'create.temp',
    sentence: 'does not store temp: keys of the initial state',
    contracts: [4],
    async check(service) {
      const session = await service.createSession({ ...refTo(), state: { 'temp:a': 1, b: 2 } });
      same(session.state, { b: 2 });
      same(await stateOf(service), { b: 2 });
    },
  },
  {
    id: 'create.null',
    sentence: 'deletes user: and app: keys that are null in the initial state, and no others',
    contracts: [2, 6],
    async check(service) {
      await createSession(service, refTo('s1'), { 'user:a': 1, 'app:b': 1, 'user:stays': 1 });
      same((await service.createSession({ ...refTo('s2'), state: { x: null, 'user:a': null, 'app:b': null } })).state, {
        'user:stays': 1,
      });
    },
  },
  {
    id: 'create.own-copy',
    sentence: 'does not store later changes of the given or the returned state',
    contracts: [9],
    async check(service) {
      const state = { list: [1], 'user:map': { a: 1 } };
      const session = await service.createSession({ ...refTo(), state });
      state.list.push(2);
      (session.state['user:map'] as { a: number }).a = 2;
      session.state['new'] = true;
      same(await stateOf(service), { list: [1], 'user:map': { a: 1 } });
    },
  },
  {
    id: 'create.invalid-state',
    sentence: 'throws INVALID_INPUT with the path for a state value that is not JSON; creates nothing',
    contracts: [5],
    async check(service) {
      for (const [kind, value] of notJson()) {
        const error = await rejectsWith(
          'INVALID_INPUT',
          service.createSession({ ...refTo(), state: { 'user:ok': 1, a: value as never } }),
          kind,
        );
        assert.match(error.message, /state\["a"\]|state\.a/, `${kind}: the message must name the path`);
      }
      same(await service.getSession(refTo()), undefined);
      same(await service.getUserState(refTo()), {});
    },
  },
  {
    id: 'create.state-too-large',
    sentence: 'throws VALUE_TOO_LARGE for a state value over the limit, and creates nothing',
    contracts: [5],
    async check(service) {
      await rejectsWith(
        'VALUE_TOO_LARGE',
        service.createSession({ ...refTo(), state: { a: 'x'.repeat(1024 * 1024) } }),
      );
      same(await service.getSession(refTo()), undefined);
    },
  },
  {
    id: 'create.aborted',
    sentence: 'throws the reason of a signal that is already aborted, and creates nothing',
    contracts: [7],
    async check(service) {
      const reason = new Error('enough');
      await assert.rejects(
        service.createSession({ ...refTo(), signal: AbortSignal.abort(reason) }),
        (error) => error === reason,
      );
      same(await service.getSession(refTo()), undefined);
    },
  },
];
