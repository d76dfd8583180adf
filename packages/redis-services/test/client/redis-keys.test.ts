import { describe, expect, it } from 'vitest';
import { encodeName, fromAppMember, RedisKeys, toAppMember } from '../../src/client/redis-keys.ts';

const ref = { appName: 'my app', userId: 'a|b', sessionId: '{*}' };

describe('RedisKeys', () => {
  it('puts all of a user under one hash tag, and what is the app’s under another', () => {
    const keys = new RedisKeys('p:');
    expect(keys.session(ref).record).toBe('p:{my%20app|a%7Cb}:s:%7B%2A%7D');
    expect(keys.session(ref).user.list).toBe('p:{my%20app|a%7Cb}:l');
    expect(keys.app('my app').list).toBe('p:{my%20app}:l');
    expect(keys.artifact({ ...ref, filename: 'a:b' })).toBe('p:{my%20app|a%7Cb}:g:%7B%2A%7D:a%3Ab');
    expect(keys.artifact({ appName: 'a', userId: 'u', filename: 'f' })).toBe('p:{a|u}:f:f');
  });

  it('keeps names apart that differ in case, blanks, separators and what looks like an escape (contract 1)', () => {
    const names = [
      'a',
      'A',
      ' a',
      'a ',
      '%41',
      'A%3A',
      'A:',
      'é',
      'e\u0301',
      '*',
      '%2A',
      '🙂',
      '.',
      '..',
      '-',
      '_',
      '~',
      "'",
    ];
    const encoded = names.map(encodeName);
    expect(new Set(encoded).size).toBe(names.length);
    expect(encoded.filter((each) => !/^[\w.%-]+$/.test(each))).toEqual([]);
  });

  it('reads back whose session a member of an app’s list is', () => {
    for (const [sessionId, userId] of [
      ['s', 'u'],
      ['a:b', '\u0001'],
      ['🙂', '"'],
    ] as const)
      expect(fromAppMember(toAppMember({ appName: 'x', userId, sessionId }))).toEqual({ sessionId, userId });
  });
});
