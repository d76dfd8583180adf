import { describe, expect, it } from 'vitest';
import { loadDriver } from '../../src/services/load-driver.ts';

describe('loadDriver', () => {
  it('names the command that installs a missing driver, with the cause', async () => {
    const missing = 'no-such-driver';
    const loading = loadDriver(missing, () => import(missing) as Promise<unknown>);
    await expect(loading).rejects.toMatchObject({
      code: 'DRIVER_MISSING',
      message: 'no-such-driver could not be loaded. Install it with `npm install no-such-driver`.',
      cause: expect.objectContaining({}) as unknown,
    });
  });

  it('returns an installed driver', async () => {
    expect(await loadDriver('one', async () => 1)).toBe(1);
  });
});
