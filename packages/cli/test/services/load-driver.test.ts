import { expect, it } from 'vitest';
import { loadDriver } from '../../src/services/load-driver.ts';

it('names what to install where a driver is missing, and keeps the cause', async () => {
  const missing = 'no-such-driver';
  const loading = loadDriver(missing, () => import(missing) as Promise<unknown>);
  await expect(loading).rejects.toMatchObject({
    code: 'DRIVER_MISSING',
    message: 'no-such-driver could not be loaded: install it with `npm install no-such-driver`.',
    cause: expect.objectContaining({}) as unknown,
  });
});

it('answers the driver that is there', async () => {
  expect(await loadDriver('one', async () => 1)).toBe(1);
});
