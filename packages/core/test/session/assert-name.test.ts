import { assertName, assertSessionRef, MAX_NAME_BYTES, sessionKeyOf } from '@thole/core/kit';
import { describe, expect, it } from 'vitest';

describe('assertName', () => {
  it('accepts any character up to 512 bytes (contract 1)', () => {
    for (const name of ['a', ' ', 'a:b/c*{}%', '日本', '🙂', 'x'.repeat(MAX_NAME_BYTES), '🙂'.repeat(128)])
      expect(() => assertName('userId', name)).not.toThrow();
  });

  it.each([
    ['', 'userId must not be empty.'],
    ['x'.repeat(513), 'userId must be at most 512 bytes long.'],
    ['🙂'.repeat(129), 'userId must be at most 512 bytes long.'],
    ['a\0', 'userId must not contain a NUL character.'],
    ['\udc00', 'userId must be well-formed Unicode'],
    [7, 'userId must be a string, got a number.'],
  ])('rejects %j (contract 1)', (name, message) => {
    expect(() => assertName('userId', name)).toThrow(message);
  });

  it('names the wrong part of a session key', () => {
    expect(() => assertSessionRef({ appName: 'a', userId: 'u', sessionId: '' })).toThrow('sessionId');
  });

  it('returns different keys for different triples (contract 1)', () => {
    const triples = [
      ['a', 'b","c', 'd'],
      ['a', 'b', 'c","d'],
      ['a","b', 'c', 'd'],
    ].map(([appName, userId, sessionId]) => ({ appName: appName!, userId: userId!, sessionId: sessionId! }));
    expect(new Set(triples.map(sessionKeyOf)).size).toBe(3);
  });
});
