import { describe, expect, it } from 'vitest';
import { encodeName, fromAppMember, RedisKeys, toAppMember } from '../../src/client/redis-keys.ts';

const ref = { appName: 'my app', userId: 'a|b', sessionId: '{*}' };

describe('RedisKeys', () => {
  it('uses one hash tag for all keys of a user, and another for the keys of the app', () => {
    const keys = new RedisKeys('p:');
    expect(keys.session(ref).record).toBe('p:{my%20app|a%7Cb}:s:%7B%2A%7D');
    expect(keys.session(ref).user.list).toBe('p:{my%20app|a%7Cb}:l');
    expect(keys.app('my app').list).toBe('p:{my%20app}:l');
    expect(keys.artifact({ ...ref, filename: 'a:b' })).toBe('p:{my%20app|a%7Cb}:g:%7B%2A%7D:a%3Ab');
    expect(keys.artifact({ appName: 'a', userId: 'u', filename: 'f' })).toBe('p:{a|u}:f:f');
  });
});

describe('encodeName', () => {
  it('returns different texts for names that differ in case, blanks or separators (contract 1)', () => {
    const plain = ['a', 'A', ' a', 'a ', 'é', 'e\u0301', '🙂', '.', '..', '-', '_', '~', "'", '*', 'A:'];
    const names = [...plain, '%41', 'A%3A', '%2A'];
    const encoded = names.map(encodeName);
    expect(new Set(encoded).size).toBe(names.length);
    expect(encoded.filter((each) => !/^[\w.%-]+$/.test(each))).toEqual([]);
  });
});

describe('fromAppMember', () => {
  it('returns the session and the user that toAppMember joined', () => {
    for (const [sessionId, userId] of [
      ['s', 'u'],
      ['a:b', '\u0001'],
      ['🙂', '"'],
    ] as const)
      expect(fromAppMember(toAppMember({ appName: 'x', userId, sessionId }))).toEqual({ sessionId, userId });
  });
});
