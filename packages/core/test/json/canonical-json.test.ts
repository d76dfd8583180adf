import { canonicalJson } from '@thole/core/kit';
import { describe, expect, it } from 'vitest';

describe('canonicalJson', () => {
  it('returns the same text for objects with another order of names, also inside lists', () => {
    expect(canonicalJson({ b: [{ y: 1, x: null }], a: 'é' })).toBe('{"a":"é","b":[{"x":null,"y":1}]}');
    expect(canonicalJson({ a: [1, 2] })).not.toBe(canonicalJson({ a: [2, 1] }));
    expect(canonicalJson(undefined)).toBe('null');
  });
});
