import { expect, it } from 'vitest';
import { withoutNulls } from '../../src/http/without-nulls.ts';

it('takes out members that are null, at any depth, and leaves null elements of lists', () => {
  expect(withoutNulls({ a: null, b: { c: null, d: [null, { e: null, f: 1 }] } })).toEqual({
    b: { d: [null, { f: 1 }] },
  });
});

it('touches nothing within maps of others’ names (contract 38)', () => {
  const maps = {
    stateDelta: { a: null },
    args: { a: null },
    response: { a: null },
    customMetadata: { a: null },
    state: { a: null },
  };
  expect(withoutNulls({ deep: { ...maps, gone: null } })).toEqual({ deep: maps });
});

it('keeps a member called __proto__ as plain data', () => {
  const given = JSON.parse('{"gone":null,"__proto__":{"polluted":1}}') as object;
  expect(JSON.stringify(withoutNulls(given))).toBe('{"__proto__":{"polluted":1}}');
});

it('answers the same object where there is nothing to take out', () => {
  const given = { a: 1, b: [{ c: 'd' }], args: { e: null } };
  expect(withoutNulls(given)).toBe(given);
});
