import { ZonedTime } from '@thole/core';
import { isoTime } from '@thole/core/kit';
import { describe, expect, it } from 'vitest';

const at = (iso: string): number => Date.parse(iso) / 1000;

describe('ZonedTime', () => {
  it('returns local time with the offset at that time', () => {
    const berlin = new ZonedTime('Europe/Berlin');
    expect(berlin.isoOf(at('2026-06-30T22:30:00Z'))).toBe('2026-07-01T00:30:00+02:00');
    expect(berlin.isoOf(at('2026-12-31T23:30:00.9Z'))).toBe('2027-01-01T00:30:00+01:00');
    expect(new ZonedTime('Asia/Kathmandu').isoOf(0)).toBe('1970-01-01T05:30:00+05:30');
    expect(new ZonedTime('UTC').isoOf(0)).toBe(isoTime(0));
  });

  it('uses UTC for years without four digits, and returns undefined for invalid times', () => {
    const tokyo = new ZonedTime('Asia/Tokyo');
    for (const seconds of [8.64e12, -8.64e12, -1e11, at('0099-01-01T00:00:00Z'), 3e11])
      expect([seconds, tokyo.isoOf(seconds)]).toEqual([seconds, isoTime(seconds)]);
    for (const seconds of [undefined, Number.NaN, Infinity, 8.65e12]) expect(tokyo.isoOf(seconds)).toBeUndefined();
  });

  it('converts local time back to the instant if clocks do not skip or repeat it', () => {
    const wrong: unknown[] = [];
    for (const name of ['Europe/Berlin', 'America/St_Johns', 'Pacific/Apia', 'Africa/Monrovia']) {
      const zone = new ZonedTime(name);
      for (let seconds = at('2001-01-01T12:00:00Z'); seconds < at('2030-01-01T00:00:00Z'); seconds += 777_777) {
        const wall = Date.parse(`${zone.isoOf(seconds)!.slice(0, 19)}Z`);
        const found = zone.instantOf(wall) / 1000;
        // For a repeated local time, the first instant.
        const isInstant = found === seconds || found === seconds - 3600;
        if (!isInstant || zone.isoOf(found)!.slice(0, 19) !== zone.isoOf(seconds)!.slice(0, 19))
          wrong.push({ name, seconds, found });
      }
    }
    expect(wrong).toEqual([]);
  });

  it.each(['Mars/Olympus', '', 7])('rejects the zone %j', (name) => {
    expect(() => new ZonedTime(name as string)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining('timeZone') }),
    );
  });
});
