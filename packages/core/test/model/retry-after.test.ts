import { readRetryAfter } from '@thole/core';
import { describe, expect, it } from 'vitest';

const NOW = Date.parse('2026-11-22T10:00:00Z') / 1000;
const read = (headers: Record<string, string>): number | undefined => readRetryAfter(new Headers(headers), NOW);

describe('readRetryAfter', () => {
  it.each<[string, Record<string, string>, number]>([
    ['whole seconds', { 'retry-after': '30' }, 30_000],
    ['zero seconds', { 'retry-after': '0' }, 0],
    ['seconds with a fraction, which some servers send', { 'retry-after': '1.5' }, 1500],
    ['milliseconds in a separate header', { 'retry-after-ms': '250' }, 250],
    ['milliseconds before seconds', { 'retry-after': '1', 'retry-after-ms': '250' }, 250],
    ['seconds if the milliseconds are invalid', { 'retry-after': '2', 'retry-after-ms': 'soon' }, 2000],
    ['a date', { 'retry-after': 'Sun, 22 Nov 2026 10:00:20 GMT' }, 20_000],
    [
      'a date by the clock of the server',
      { 'retry-after': 'Sun, 22 Nov 2026 10:15:20 GMT', date: 'Sun, 22 Nov 2026 10:15:10 GMT' },
      10_000,
    ],
    ['a date that has passed as 0', { 'retry-after': 'Sun, 22 Nov 2026 09:00:00 GMT' }, 0],
  ])('reads %s', (_what, headers, expected) => {
    expect(read(headers)).toBe(expected);
  });

  it.each(['', 'soon', '-5', '1e3', '5s', '0x10', 'Infinity', '2026-11-22', 'Sun, no date GMT'])(
    'ignores the invalid value %j',
    (value) => {
      expect(read({ 'retry-after': value })).toBeUndefined();
    },
  );

  it('returns undefined without a header', () => {
    expect(read({ date: 'Sun, 22 Nov 2026 10:00:20 GMT' })).toBeUndefined();
  });
});
