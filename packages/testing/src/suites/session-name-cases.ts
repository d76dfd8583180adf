import assert from 'node:assert/strict';
import type { SessionRef, SessionService } from '@thole/core';
import { append, eventOf, createSession, read, refTo, rejectsWith, same, stateOf } from './session-support.ts';
import type { SessionCase } from './session-support.ts';

const oddNames = [
  'a:b',
  'a/b',
  '/',
  '..',
  '.',
  '../../etc',
  'a\\b',
  '*',
  'a*',
  '?',
  '[a-z]',
  '{x}',
  '{',
  '}',
  '%',
  '%41',
  'A%3Ab',
  '_',
  '__',
  '$',
  '#',
  '&',
  '+',
  'A',
  'a',
  ' a',
  'a ',
  ' ',
  '\t',
  '\n',
  '\u0001',
  '\u007f',
  '"',
  "'",
  "'; DROP TABLE sessions; --",
  '`',
  '|',
  ',',
  ';',
  '","',
  '\u001f',
  '\u2028',
  '\u202e',
  'é',
  'e\u0301',
  'ß',
  'SS',
  'İ',
  'ı',
  '日本語',
  '🙂',
  '𝒳',
  'CON',
  'nul',
  'null',
  'undefined',
  '0',
  '-1',
  'true',
  '[object Object]',
  'temp:',
  'app:x',
  'user:x',
  'user_state',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'x'.repeat(512),
  'é'.repeat(256),
];

const invalidNames: [kind: string, value: unknown][] = [
  ['empty', ''],
  ['513 bytes', 'x'.repeat(513)],
  ['514 bytes in 257 characters', 'é'.repeat(257)],
  ['NUL', 'a\0b'],
  ['a lone high surrogate', 'a\ud800'],
  ['a lone low surrogate', '\udc00a'],
  ['a number', 7],
  ['null', null],
  ['an object', {}],
];

type NamePart = keyof SessionRef;
const parts: readonly NamePart[] = ['appName', 'userId', 'sessionId'];

/** Names of apps, users and sessions. */
export const sessionNameCases: readonly SessionCase[] = [
  ...parts.map((part): SessionCase => ({
    id: `names.odd-${part}`,
    sentence: `keeps every odd ${part} apart from all others`,
    contracts: [1],
    async check(service) {
      const refs = oddNames.map((name) => ({ ...refTo(), [part]: name }));
      for (const [i, ref] of refs.entries()) {
        await createSession(service, ref, { i });
        await append(service, ref, eventOf(`event-${i}`));
      }
      for (const [i, ref] of refs.entries()) {
        const session = await read(service, ref);
        same(
          [session.appName, session.userId, session.id, session.state, session.events.map((event) => event.id)],
          [ref.appName, ref.userId, ref.sessionId, { i }, [`event-${i}`]],
          JSON.stringify(oddNames[i]),
        );
        if (part !== 'sessionId') same((await service.listSessions(ref)).total, 1, JSON.stringify(oddNames[i]));
      }
      for (const [i, ref] of refs.entries()) {
        assert.equal(await service.deleteSession(ref), true, JSON.stringify(oddNames[i]));
        same(await service.getSession(ref), undefined);
        const next = refs[i + 1];
        if (next) same(await stateOf(service, next), { i: i + 1 });
      }
    },
  })),
  {
    id: 'names.not-joined',
    sentence: 'keeps names apart that would be equal if they were joined by a separator',
    contracts: [1],
    async check(service) {
      const refs: SessionRef[] = [];
      for (const separator of [':', '/', '|', ',', '-', '_', '.', ' ', '\n', '\u001f', '","', '::', '}:{']) {
        refs.push(
          refTo('d', `b${separator}c`, 'a'),
          refTo('d', 'c', `a${separator}b`),
          refTo(`c${separator}d`, 'b', 'a'),
        );
      }
      for (const [i, ref] of refs.entries()) await createSession(service, ref, { i, [`user:${i}`]: i });
      for (const [i, ref] of refs.entries()) assert.equal((await stateOf(service, ref))['i'], i);
      same(Object.keys(await service.getUserState(refs[0]!)), ['user:0']);
    },
  },
  {
    id: 'names.no-patterns',
    sentence: 'finds, lists and deletes only the exact name, also if it has wildcard characters',
    contracts: [1],
    async check(service) {
      await createSession(service, refTo('s', 'victim'), { 'user:a': 1 });
      for (const pattern of ['*', '%', '_', '?', 'v*', 'v%', 'victi_', 'victi?', '[v]ictim', '.*']) {
        same((await service.listSessions({ appName: 'app', userId: pattern })).total, 0, pattern);
        await service.deleteUserData({ appName: 'app', userId: pattern });
        assert.equal(await service.deleteSession(refTo('s', pattern)), false, pattern);
        assert.equal(await service.deleteSession(refTo(pattern, 'victim')), false, pattern);
        same(await service.getUserState({ appName: 'app', userId: pattern }), {}, pattern);
      }
      same(await stateOf(service, refTo('s', 'victim')), { 'user:a': 1 });
    },
  },
  ...parts.map((part): SessionCase => ({
    id: `names.invalid-${part}`,
    sentence: `throws INVALID_INPUT in every call for an invalid ${part}, without its value`,
    contracts: [1, 42],
    async check(service) {
      for (const [kind, value] of invalidNames) {
        const ref = { ...refTo(), [part]: value } as SessionRef;
        for (const [method, call] of callsWith(service, ref, part)) {
          const error = await rejectsWith('INVALID_INPUT', call(), `${method} with ${kind}`);
          assert.ok(
            error.message.includes(part),
            `${method} with ${kind}: the message must name ${part}, but it is: ${error.message}`,
          );
        }
      }
      same((await service.listSessions({ appName: 'app' })).total, 0);
    },
  })),
];

function callsWith(
  service: SessionService,
  ref: SessionRef,
  part: NamePart,
): [name: string, call: () => Promise<unknown>][] {
  const calls: [string, () => Promise<unknown>][] = [
    ['createSession', () => service.createSession(ref)],
    ['getSession', () => service.getSession(ref)],
    ['deleteSession', () => service.deleteSession(ref)],
    ['appendEvent', () => service.appendEvent({ session: ref, event: eventOf('e') })],
    ['updateState', () => service.updateState({ ...ref, stateDelta: { a: 1 } })],
  ];
  if (part !== 'sessionId') {
    calls.push(
      ['listSessions', () => service.listSessions(ref)],
      ['getUserState', () => service.getUserState(ref)],
      ['deleteUserData', () => service.deleteUserData(ref)],
    );
  }
  return calls;
}
