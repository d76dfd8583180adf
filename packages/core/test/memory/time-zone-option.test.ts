import type { TimeZoneOption, UserRef } from '@thole/core';
import { createTimeZoneReader } from '@thole/core/kit';
import { describe, expect, it } from 'vitest';

const user = { appName: 'hotel', userId: 'ada' };

describe('createTimeZoneReader', () => {
  const nameIn = async (option: unknown): Promise<string | undefined> =>
    (await createTimeZoneReader(option)(user))?.timeZone;

  it('returns the same zone for all users if the option is a name', async () => {
    expect(await nameIn('Asia/Tokyo')).toBe('Asia/Tokyo');
  });

  it('calls a function with the user and returns the zone that it names', async () => {
    const calls: UserRef[] = [];
    const option: TimeZoneOption = async ({ appName, userId }) => {
      calls.push({ appName, userId });
      return userId === 'ada' ? 'Asia/Tokyo' : undefined;
    };
    expect(await nameIn(option)).toBe('Asia/Tokyo');
    expect(await createTimeZoneReader(option)({ ...user, userId: 'bob' })).toBeUndefined();
    expect(calls).toEqual([user, { ...user, userId: 'bob' }]);
  });

  it('returns undefined, which means UTC, without an option', async () => {
    expect(await nameIn(undefined)).toBeUndefined();
  });

  it.each([['Mars/Olympus'], [''], [7], [null]])('throws INVALID_INPUT for the option %j', (option) => {
    expect(() => createTimeZoneReader(option)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining('timeZone') }),
    );
  });

  it.each([['Mars/Olympus'], [''], [7], [null]])(
    'rejects with INVALID_INPUT if the function returns %j',
    async (name) => {
      await expect(nameIn(() => name)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    },
  );
});
