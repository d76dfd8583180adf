import { describe, expect, it } from 'vitest';
import { groupByDay } from '../page/sessions/group-by-day.ts';

const at = (...date: [number, number, number, number, number]): number => new Date(...date).getTime() / 1_000;
const now = new Date(2026, 2, 30, 0, 30);

describe('groupByDay', () => {
  it('groups sessions by the days of the reader’s time zone', () => {
    const times = [at(2026, 2, 30, 0, 10), at(2026, 2, 29, 23, 50), at(2026, 2, 29, 0, 0), at(2026, 2, 28, 23, 59)];
    const groups = groupByDay(times, (time) => time, now);
    expect(groups.map(({ day, items }) => [day, items.length])).toEqual([
      ['today', 1],
      ['yesterday', 2],
      [new Date(2026, 2, 28).toLocaleDateString(undefined, { weekday: 'long' }), 1],
    ]);
  });

  it('shows a weekday only within a week, and the year only if it differs', () => {
    const [week, year] = groupByDay([at(2026, 2, 23, 9, 0), at(2025, 11, 31, 9, 0)], (time) => time, now);
    expect(week!.day).toBe(new Date(2026, 2, 23).toLocaleDateString(undefined, { day: 'numeric', month: 'long' }));
    expect(year!.day).toContain('2025');
  });

  it('groups a session with a later time under today', () => {
    expect(groupByDay([at(2026, 2, 31, 5, 0)], (time) => time, now)[0]!.day).toBe('today');
  });

  it('returns no groups without sessions', () => {
    expect(groupByDay([], () => 0, now)).toEqual([]);
  });
});
