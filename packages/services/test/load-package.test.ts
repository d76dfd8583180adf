import { describe, expect, it } from 'vitest';
import { loadPackage } from '../src/load-package.ts';

describe('loadPackage', () => {
  const missing = 'no-such-package';
  const load = () => import(missing) as Promise<unknown>;

  it('throws DRIVER_MISSING with the command that installs the package', async () => {
    await expect(loadPackage(missing, load)).rejects.toMatchObject({
      code: 'DRIVER_MISSING',
      message: 'no-such-package could not be loaded. Install it with `npm install no-such-package`.',
      cause: expect.objectContaining({}) as unknown,
    });
  });

  it('adds the driver of the package to the command', async () => {
    await expect(loadPackage(missing, load, 'pg')).rejects.toThrow('`npm install no-such-package pg`');
  });

  it('returns an installed package', async () => {
    expect(await loadPackage('one', async () => 1)).toBe(1);
  });
});
