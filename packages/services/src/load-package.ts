import { TholeError } from '@thole/core';

/**
 * Loads an optional package. Throws `DRIVER_MISSING` with the command that installs the package and its driver, if
 * it needs one.
 */
export async function loadPackage<T>(name: string, load: () => Promise<T>, driver?: string): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    const names = driver === undefined ? name : `${name} ${driver}`;
    throw new TholeError('DRIVER_MISSING', `${name} could not be loaded. Install it with \`npm install ${names}\`.`, {
      cause,
    });
  }
}
