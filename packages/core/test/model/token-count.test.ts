import { tokenCount } from '@thole/core/kit';
import { describe, expect, it } from 'vitest';

describe('tokenCount', () => {
  it('returns a count, and undefined for other values', () => {
    expect([0, 7].map((value) => tokenCount({ value }, 'value'))).toEqual([0, 7]);
    for (const value of [-1, NaN, Infinity, '7', null, undefined])
      expect(tokenCount({ value }, 'value')).toBeUndefined();
    for (const source of [undefined, null, 7, 'text', [7]]) expect(tokenCount(source, '0')).toBeUndefined();
  });
});
