import { describe, expect, it } from 'vitest';
import { secondsOf } from '../../src/llm/iso-date.ts';

describe('secondsOf', () => {
  it.each([
    ['2024', Date.UTC(2024, 0)],
    ['2024-03', Date.UTC(2024, 2)],
    ['2024-02-29', Date.UTC(2024, 1, 29)],
    ['2024-12-31T23:30:00-02:00', Date.UTC(2025, 0, 1, 1, 30)],
  ])('reads %s', (text, milliseconds) => {
    expect(secondsOf(text)).toBe(milliseconds / 1000);
  });

  it.each([
    '2024-02-31',
    '2023-02-29',
    '2024-02-30T10:00:00Z',
    '2024-04-31T10:00:00+02:00',
    '2024-13',
    'March 2024',
    7,
  ])('returns undefined for %s', (text) => {
    expect(secondsOf(text)).toBeUndefined();
  });
});
