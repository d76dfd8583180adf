import { toWellFormed } from '@thole/core/kit';
import { describe, expect, it } from 'vitest';

describe('toWellFormed', () => {
  it('replaces lone surrogates in texts and names at every depth, and nothing else', () => {
    const bytes = new Uint8Array(2);
    const value = { a: ['cut \ud83d', { '\udc08': '\udc08 🐈' }], bytes, n: 1, none: null, no: undefined };
    const changed = toWellFormed(value);
    expect(changed).toEqual({ a: ['cut \ufffd', { '\ufffd': '\ufffd 🐈' }], bytes, n: 1, none: null, no: undefined });
    expect(changed.bytes).toBe(bytes);
    expect(value.a[0]).toBe('cut \ud83d');
  });

  it('returns a value without lone surrogates itself', () => {
    const value = { a: ['🐈', { b: 1 }] };
    expect(toWellFormed(value)).toBe(value);
    expect(Object.keys(toWellFormed(JSON.parse('{"__proto__":"\\ud83d"}') as object))).toEqual(['__proto__']);
  });
});
