import { parseJson } from '@thole/core/kit';
import { describe, expect, it } from 'vitest';

describe('parseJson', () => {
  it('returns the parsed JSON, and undefined for other texts', () => {
    expect([parseJson('{"a":[1]}'), parseJson('null')]).toEqual([{ a: [1] }, null]);
    expect(['', '{', 'a'].map(parseJson)).toEqual([undefined, undefined, undefined]);
  });
});
