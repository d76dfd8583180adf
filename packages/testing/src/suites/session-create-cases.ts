import assert from 'node:assert/strict';
import { TholeError } from '@thole/core';
import { append, eventOf, made, notJson, numbers, read, refTo, refused, same, stateOf } from './session-support.ts';
import type { SessionCase } from './session-support.ts';

export const sessionCreateCases: readonly SessionCase[] = [
  {
    id: 'create.id-made',
    sentence: 'without an id each session gets one of its own, by which it is found',
    contracts: [2],
    async check(service) {
      const user = { appName: 'app', userId: 'u' };
      const [one, other] = [await service.createSession(user), await service.createSession(user)];
      assert.notEqual(one.id, other.id);
      assert.ok(one.id.length > 0);
      same((await read(service, refTo(one.id))).incarnation, one.incarnation);
    },
  },
  {
    id: 'create.begins-empty',
    sentence: 'a new session has no events, no state, lastSeq 0, the time of its making, and is whole',
    contracts: [2, 10, 41],
    async check(service, { runtime }) {
      await runtime.advance(1_250);
      const session = await service.createSession(refTo());
      const { incarnation, ...rest } = session;
      assert.ok(incarnation.length > 0);
      same(rest, {
        id: 's',
        appName: 'app',
        userId: 'u',
        state: {},
        events: [],
        lastUpdateTime: 1_700_000_001.25,
        lastSeq: 0,
      });
    },
  },
  {
    id: 'create.answers-what-is-read',
    sentence: 'what creating answers is what reading answers',
    contracts: [2, 9],
    async check(service) {
      const session = await service.createSession({ ...refTo(), state: { a: 1, 'user:b': 2, 'app:c': 3 } });
      same(await read(service), session);
    },
  },
  {
    id: 'create.taken',
    sentence: 'a taken id is SESSION_ALREADY_EXISTS, and the session that has it stays as it is',
    contracts: [2],
    async check(service) {
      const ref = await made(service, refTo(), { a: 1 });
      await append(service, ref, eventOf('e1'));
      const before = await read(service);
      await refused(
        'SESSION_ALREADY_EXISTS',
        service.createSession({ ...ref, state: { a: 2, 'user:b': 2, 'app:c': 3 } }),
      );
      same(await read(service), before);
    },
  },
  {
    id: 'create.race',
    sentence: 'of twenty that create one id at once, one succeeds and the others hear SESSION_ALREADY_EXISTS',
    contracts: [2],
    async check(service) {
      const results = await Promise.allSettled(
        numbers(20).map((n) => service.createSession({ ...refTo(), state: { n } })),
      );
      const winners = results.filter((result) => result.status === 'fulfilled');
      assert.equal(winners.length, 1);
      for (const result of results) {
        if (result.status === 'rejected')
          assert.ok(TholeError.is(result.reason, 'SESSION_ALREADY_EXISTS'), String(result.reason));
      }
      same(await stateOf(service), winners[0]!.value.state);
    },
  },
  {
    id: 'create.same-id-elsewhere',
    sentence: 'the same id under another user or in another app is another session',
    contracts: [1],
    async check(service) {
      const refs = [refTo('s', 'u1', 'a1'), refTo('s', 'u2', 'a1'), refTo('s', 'u1', 'a2')];
      for (const [i, ref] of refs.entries()) await made(service, ref, { i });
      for (const [i, ref] of refs.entries()) same(await stateOf(service, ref), { i });
    },
  },
  {
    id: 'create.scopes',
    sentence: 'initial state is routed by scope like any delta, and joins what is there',
    contracts: [2, 3],
    async check(service) {
      await made(service, refTo('s1', 'u1'), { own: 1, 'user:name': 'Ada', 'app:mode': 'dark' });
      const second = await service.createSession({ ...refTo('s2', 'u1'), state: { 'user:age': 36 } });
      same(second.state, { 'app:mode': 'dark', 'user:name': 'Ada', 'user:age': 36 });
      same((await service.createSession(refTo('s3', 'u2'))).state, { 'app:mode': 'dark' });
    },
  },
  {
    id: 'create.temp',
    sentence: 'temp: keys of the initial state are stored nowhere',
    contracts: [4],
    async check(service) {
      const session = await service.createSession({ ...refTo(), state: { 'temp:a': 1, b: 2 } });
      same(session.state, { b: 2 });
      same(await stateOf(service), { b: 2 });
    },
  },
  {
    id: 'create.null',
    sentence: 'null in the initial state deletes: nothing of the session, but what app and user have under that key',
    contracts: [2, 6],
    async check(service) {
      await made(service, refTo('s1'), { 'user:a': 1, 'app:b': 1, 'user:stays': 1 });
      same((await service.createSession({ ...refTo('s2'), state: { x: null, 'user:a': null, 'app:b': null } })).state, {
        'user:stays': 1,
      });
    },
  },
  {
    id: 'create.own-copy',
    sentence: 'what is changed in the given or the answered state afterwards is not stored',
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
    id: 'create.refused-state',
    sentence: 'initial state that is not JSON is refused with its path, and nothing is made',
    contracts: [5],
    async check(service) {
      for (const [what, value] of notJson()) {
        const error = await refused(
          'INVALID_INPUT',
          service.createSession({ ...refTo(), state: { 'user:ok': 1, a: value as never } }),
          what,
        );
        assert.match(error.message, /state\["a"\]|state\.a/, `${what}: the message names the path`);
      }
      same(await service.getSession(refTo()), undefined);
      same(await service.getUserState(refTo()), {});
    },
  },
  {
    id: 'create.state-too-large',
    sentence: 'a value of the initial state over the limit is VALUE_TOO_LARGE, and nothing is made',
    contracts: [5],
    async check(service) {
      await refused('VALUE_TOO_LARGE', service.createSession({ ...refTo(), state: { a: 'x'.repeat(1024 * 1024) } }));
      same(await service.getSession(refTo()), undefined);
    },
  },
  {
    id: 'create.aborted',
    sentence: 'a signal that is aborted before the call ends it with the signal’s reason, and nothing is made',
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
