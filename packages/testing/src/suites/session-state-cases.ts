import assert from 'node:assert/strict';
import {
  append,
  createSession,
  jsonValues,
  notJson,
  read,
  refTo,
  rejectsWith,
  same,
  stateOf,
  stateEvent,
} from './session-support.ts';
import type { SessionCase } from './session-support.ts';

const oddKeys = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'length',
  ' ',
  'a.b',
  '$set',
  'a"b',
  "a'b",
  'a\nb',
  '🙂',
  '%',
  '*',
  '0',
  '-1',
  'e\u0301',
  'é',
];

/** State by scope, `updateState` and the data of a user. */
export const sessionStateCases: readonly SessionCase[] = [
  {
    id: 'state.scopes',
    sentence: 'shares app: keys in the app and user: keys between the sessions of a user',
    contracts: [3],
    async check(service) {
      const refs = [refTo('s1', 'u1'), refTo('s2', 'u1'), refTo('s3', 'u2'), refTo('s1', 'u1', 'other')];
      for (const ref of refs) await createSession(service, ref);
      await append(service, refs[0]!, stateEvent('e1', { own: 1, 'user:mine': 2, 'app:ours': 3 }));
      const states = await Promise.all(refs.map((ref) => stateOf(service, ref)));
      same(states, [
        { own: 1, 'user:mine': 2, 'app:ours': 3 },
        { 'user:mine': 2, 'app:ours': 3 },
        { 'app:ours': 3 },
        {},
      ]);
    },
  },
  {
    id: 'state.first-prefix',
    sentence: 'reads only the first prefix as a scope; dots and case have no meaning',
    contracts: [3],
    async check(service) {
      await createSession(service, refTo('s1'));
      await createSession(service, refTo('s2'));
      const delta = {
        'user:temp:a': 1,
        'app:user:b': 2,
        'user:app:c': 3,
        'user.d': 4,
        'App:e': 5,
        'x:user:f': 6,
        user: 7,
        app: 8,
        temp: 9,
        'user:': 10,
        'app:': 11,
        '': 12,
      };
      await append(service, refTo('s1'), stateEvent('e1', delta));
      same(await stateOf(service, refTo('s1')), delta);
      same(Object.keys(await stateOf(service, refTo('s2'))).sort(), [
        'app:',
        'app:user:b',
        'user:',
        'user:app:c',
        'user:temp:a',
      ]);
    },
  },
  {
    id: 'state.no-shadow',
    sentence: 'stores one name in three scopes as three keys',
    contracts: [3],
    async check(service) {
      await createSession(service);
      await append(
        service,
        refTo(),
        stateEvent('e1', { x: 'own', 'user:x': 'user', 'app:x': 'app' }),
        stateEvent('e2', { 'user:x': null }),
      );
      same(await stateOf(service), { 'app:x': 'app', x: 'own' });
    },
  },
  {
    id: 'state.null-deletes',
    sentence: 'deletes a key that is null in each scope, and keeps null inside a value',
    contracts: [6],
    async check(service) {
      await createSession(service, refTo(), { a: 1, 'user:b': 1, 'app:c': 1 });
      await append(
        service,
        refTo(),
        stateEvent('e1', { a: null, 'user:b': null, 'app:c': null, none: null, kept: { x: null, y: [null] } }),
      );
      same(await stateOf(service), { kept: { x: null, y: [null] } });
      same((await read(service)).events[0]!.actions.stateDelta['a'], null);
    },
  },
  {
    id: 'state.replaces',
    sentence: 'replaces a value completely, without merging',
    contracts: [6],
    async check(service) {
      await createSession(service);
      const [before, after] = [
        { a: { x: 1, y: 2 }, list: [1, 2, 3], 'user:m': { p: 1 } },
        { a: { x: 9 }, list: [4], 'user:m': { q: 2 } },
      ];
      await append(service, refTo(), stateEvent('e1', before), stateEvent('e2', after));
      same(await stateOf(service), { 'user:m': { q: 2 }, a: { x: 9 }, list: [4] });
    },
  },
  {
    id: 'state.last-write-wins',
    sentence: 'keeps the write that was stored last, whatever its time is',
    contracts: [6, 8],
    async check(service) {
      await createSession(service);
      await append(
        service,
        refTo(),
        stateEvent('e1', { a: 'first' }, { timestamp: 1_700_000_900 }),
        stateEvent('e2', { a: 'last' }, { timestamp: 1_700_000_100 }),
      );
      same(await stateOf(service), { a: 'last' });
    },
  },
  {
    id: 'state.json-values',
    sentence: 'returns every JSON value unchanged from every scope',
    contracts: [5],
    async check(service) {
      await createSession(service);
      for (const prefix of ['', 'user:', 'app:']) {
        const delta = Object.fromEntries(Object.entries(jsonValues).map(([key, value]) => [prefix + key, value]));
        await append(service, refTo(), stateEvent(`e${prefix}`, delta));
        const state = await stateOf(service);
        for (const [key, value] of Object.entries(delta)) same(state[key], value, key);
      }
    },
  },
  {
    id: 'state.key-order',
    sentence: 'returns the keys of state in the order of their code units',
    contracts: [3],
    async check(service) {
      const session = await service.createSession({ ...refTo(), state: { z: 1, 'user:z': 1, 'app:z': 1 } });
      await append(
        service,
        session,
        stateEvent('e1', { bb: 1, a: 1, 'user:b': 1, 'user:a': 1, 'app:b': 1, é: 1, B: 1 }),
      );
      await append(service, session, stateEvent('e2', { aa: 1, z: 2, a: null }), stateEvent('e3', { a: 1 }));
      const keys = ['B', 'a', 'aa', 'app:b', 'app:z', 'bb', 'user:a', 'user:b', 'user:z', 'z', 'é'];
      const fresh = await service.getSession(refTo());
      const { sessions } = await service.listSessions(refTo());
      const users = await service.getUserState(refTo());
      same(
        [fresh!, sessions[0]!, session].map(({ state }) => Object.keys(state)),
        [keys, keys, keys],
      );
      same(Object.keys(users), ['user:a', 'user:b', 'user:z']);
    },
  },
  {
    id: 'state.odd-keys',
    sentence: 'accepts keys with any text: names of prototypes, spaces, quotes, dots, dollars',
    contracts: [5],
    async check(service) {
      await createSession(service);
      for (const prefix of ['', 'user:', 'app:']) {
        const delta = Object.fromEntries(oddKeys.map((key, i) => [prefix + key, i]));
        await append(service, refTo(), stateEvent(`set${prefix}`, delta));
        same(await stateOf(service), delta);
        await append(
          service,
          refTo(),
          stateEvent(`delete${prefix}`, Object.fromEntries(Object.keys(delta).map((key) => [key, null]))),
        );
        same(await stateOf(service), {});
      }
      assert.equal(({} as { polluted?: unknown }).polluted, undefined);
    },
  },
  {
    id: 'state.many-keys',
    sentence: 'stores hundreds of keys in one event, also in concurrent ones, and keeps all other keys',
    contracts: [3, 6, 8],
    async check(service) {
      const keys = Array.from({ length: 240 }, (_, i) => oddKeys[i] ?? `k${i}`);
      await createSession(service, refTo(), { kept: 'é"', k100: 'old', k101: [] });
      await append(service, refTo(), stateEvent('set', Object.fromEntries(keys.map((key, i) => [key, { i }]))));
      const expected = Object.fromEntries(keys.map((key, i) => [key, { i }]));
      same(await stateOf(service), { kept: 'é"', ...expected });
      const deltas = Array.from({ length: 4 }, (_, n) =>
        Object.fromEntries(keys.map((key, i) => [i % 2 === 0 ? key : `${key}/${n}`, i % 2 === 0 ? null : n])),
      );
      await Promise.all(deltas.map((delta, n) => append(service, refTo(), stateEvent(`e${n}`, delta))));
      const odd = keys.filter((_, i) => i % 2 === 1);
      const added = deltas.flatMap((_, n) => odd.map((key) => [`${key}/${n}`, n] as const));
      const kept = odd.map((key) => [key, expected[key]!] as const);
      const session = await read(service, refTo());
      same([session.state, session.lastSeq], [Object.fromEntries([['kept', 'é"'], ...kept, ...added]), 5]);
    },
  },
  {
    id: 'update.is-an-event',
    sentence: 'stores an event of system or the given author, with its state by scope',
    contracts: [12],
    async check(service, { runtime }) {
      await createSession(service, refTo('s1'));
      await createSession(service, refTo('s2'));
      await runtime.advance(3_000);
      const one = await service.updateState({ ...refTo('s1'), stateDelta: { a: 1, 'user:b': 2, 'temp:c': 3 } });
      const other = await service.updateState({ ...refTo('s1'), stateDelta: { a: null }, author: 'support' });
      const session = await read(service, refTo('s1'));
      same(session.events, [one, other]);
      same([one.author, other.author, one.seq, other.seq, one.timestamp], ['system', 'support', 1, 2, 1_700_000_003]);
      same([one.actions.stateDelta, session.lastUpdateTime], [{ a: 1, 'user:b': 2 }, 1_700_000_003]);
      same([session.state, await stateOf(service, refTo('s2'))], [{ 'user:b': 2 }, { 'user:b': 2 }]);
    },
  },
  {
    id: 'update.invalid',
    sentence: 'throws SESSION_NOT_FOUND without a session, INVALID_INPUT for a delta that is not JSON',
    contracts: [5, 12],
    async check(service) {
      await rejectsWith('SESSION_NOT_FOUND', service.updateState({ ...refTo(), stateDelta: { 'user:a': 1 } }));
      await createSession(service);
      for (const [kind, value] of notJson())
        await rejectsWith(
          'INVALID_INPUT',
          service.updateState({ ...refTo(), stateDelta: { a: value as never } }),
          kind,
        );
      for (const delta of [null, [], 'a', 7] as never[])
        await rejectsWith('INVALID_INPUT', service.updateState({ ...refTo(), stateDelta: delta }), String(delta));
      same([await stateOf(service), await service.getUserState(refTo())], [{}, {}]);
    },
  },
  {
    id: 'user-state.read',
    sentence: 'returns a copy of the user: keys with prefix, and nothing for an unknown user',
    contracts: [9, 12],
    async check(service) {
      await createSession(service, refTo(), { own: 1, 'user:a': { b: [1] }, 'app:c': 1 });
      const user = { appName: 'app', userId: 'u' };
      const state = await service.getUserState(user);
      same(state, { 'user:a': { b: [1] } });
      (state['user:a'] as { b: number[] }).b.push(2);
      same(await service.getUserState(user), { 'user:a': { b: [1] } });
      same(await service.getUserState({ appName: 'app', userId: 'unknown' }), {});
      same(await service.getUserState({ appName: 'other', userId: 'u' }), {});
    },
  },
  {
    id: 'user-data.deleted',
    sentence: 'deletes sessions and state of one user in one app, and nothing else',
    contracts: [12, 30],
    async check(service) {
      await createSession(service, refTo('s1', 'u1'), { 'user:a': 1, 'app:b': 1, own: 1 });
      await createSession(service, refTo('s2', 'u1'));
      await createSession(service, refTo('s1', 'u2'), { 'user:a': 2 });
      await createSession(service, refTo('s1', 'u1', 'other'), { 'user:a': 3 });
      await append(service, refTo('s1', 'u1'), stateEvent('e1', { c: 1 }));
      for (let i = 0; i < 2; i++) await service.deleteUserData({ appName: 'app', userId: 'u1' });
      same(await service.getSession(refTo('s1', 'u1')), undefined);
      same(
        (await service.listSessions({ appName: 'app' })).sessions.map((session) => session.userId),
        ['u2'],
      );
      same(await service.getUserState({ appName: 'app', userId: 'u1' }), {});
      same(await stateOf(service, refTo('s1', 'u2')), { 'app:b': 1, 'user:a': 2 });
      same(await stateOf(service, refTo('s1', 'u1', 'other')), { 'user:a': 3 });
      const again = await service.createSession(refTo('s1', 'u1'));
      same([again.state, again.events, again.lastSeq], [{ 'app:b': 1 }, [], 0]);
    },
  },
];
