import { applyDelta, mergeScopes, scopeOf, splitByScope } from '@thole/core/kit';
import type { StateMap } from '@thole/core';
import { describe, expect, it } from 'vitest';

describe('scopeOf', () => {
  it('returns the scope of the first prefix (contract 3)', () => {
    const keys = ['a', 'app:a', 'user:a', 'temp:a', 'user:temp:a', 'app.a', 'App:a', 'user', ':a', ''];
    expect(keys.map(scopeOf)).toEqual([
      'session',
      'app',
      'user',
      'temp',
      'user',
      'session',
      'session',
      'session',
      'session',
      'session',
    ]);
  });
});

describe('splitByScope', () => {
  it('drops temp: keys and returns only changed scopes (contract 3, 4)', () => {
    expect(splitByScope({ a: 1, 'user:b': null, 'temp:c': 3, 'user:temp:d': 4 })).toEqual({
      session: { a: 1 },
      user: { b: null, 'temp:d': 4 },
    });
    expect(splitByScope({ 'temp:a': 1 })).toEqual({});
  });
});

describe('mergeScopes', () => {
  it('returns the state that splitByScope has split', () => {
    const state = JSON.parse('{"a":1,"user:b":2,"app:c":3,"__proto__":4,"user:__proto__":5}') as StateMap;
    expect(mergeScopes(splitByScope(state))).toEqual(state);
  });
});

describe('applyDelta', () => {
  it('sets, replaces whole values, and deletes with null (contract 6)', () => {
    const state: StateMap = { a: 1, b: { x: 1, y: 2 }, c: 3 };
    applyDelta(state, { a: null, b: { z: 1 }, none: null, d: 4 });
    expect(state).toEqual({ b: { z: 1 }, c: 3, d: 4 });
  });

  it('sets and deletes __proto__ and constructor as plain keys (contract 5)', () => {
    const state: StateMap = {};
    const delta = JSON.parse('{"__proto__":{"a":1},"constructor":2}') as StateMap;
    applyDelta(state, delta);
    expect(JSON.stringify(state)).toBe('{"__proto__":{"a":1},"constructor":2}');
    expect(state['a']).toBeUndefined();
    applyDelta(state, JSON.parse('{"__proto__":null,"constructor":null}') as StateMap);
    expect(Object.keys(state)).toEqual([]);
    applyDelta(state, undefined);
    expect(Object.getPrototypeOf(state)).toBe(Object.prototype);
  });
});
