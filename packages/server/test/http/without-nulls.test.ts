import { describe, expect, it } from 'vitest';
import { withoutNulls } from '../../src/http/without-nulls.ts';

describe('withoutNulls', () => {
  it('removes null members at any depth, but no null elements of lists', () => {
    expect(withoutNulls({ a: null, b: { c: null, d: [null, { e: null, f: 1 }] } })).toEqual({
      b: { d: [null, { f: 1 }] },
    });
  });

  it('changes nothing inside opaque fields (contract 38)', () => {
    const maps = {
      stateDelta: { a: null },
      args: { a: null },
      response: { a: null },
      customMetadata: { a: null },
      state: { a: null },
    };
    expect(withoutNulls({ deep: { ...maps, gone: null } })).toEqual({ deep: maps });
  });

  it('keeps a member named __proto__ as plain data', () => {
    const value = JSON.parse('{"gone":null,"__proto__":{"polluted":1}}') as object;
    expect(JSON.stringify(withoutNulls(value))).toBe('{"__proto__":{"polluted":1}}');
  });

  it('returns the same object if there is nothing to remove', () => {
    const value = { a: 1, b: [{ c: 'd' }], args: { e: null } };
    expect(withoutNulls(value)).toBe(value);
  });
});
