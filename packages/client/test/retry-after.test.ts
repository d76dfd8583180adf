import { readRetryAfter as readWithCore } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { readRetryAfter } from '../src/retry-after.ts';

const NOW = Date.parse('2026-11-22T10:00:00Z') / 1000;

describe('readRetryAfter', () => {
  it.each([
    ...['0', '30', '1.5', ' 30 ', '', 'soon', '-5', '1e3', '5s', '0x10', 'Infinity', '2026-11-22', 'Sun, no date GMT'],
    ...['Sun, 22 Nov 2026 10:00:20 GMT', 'Sun, 22 Nov 2026 09:00:00 GMT', 'Sunday, 22-Nov-26 10:00:20 GMT'],
  ])('returns the same as core for %j', (header) => {
    const headers = new Headers({ 'retry-after': header });
    expect(readRetryAfter(headers.get('retry-after'), NOW)).toBe(readWithCore(headers, NOW));
  });

  it('returns milliseconds, and undefined without a header', () => {
    expect(readRetryAfter('30', NOW)).toBe(30_000);
    expect(readRetryAfter('Sun, 22 Nov 2026 10:00:20 GMT', NOW)).toBe(20_000);
    expect(readRetryAfter(null, NOW)).toBeUndefined();
  });
});
