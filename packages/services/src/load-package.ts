import { TholeError } from '@thole/core';

/**
 * Loads an optional package. Throws `DRIVER_MISSING` with the command that installs it, together with the driver that it
 * needs, if any.
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
