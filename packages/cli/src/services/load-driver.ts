import { TholeError } from '@thole/core';

/** Loads what speaks to a database; `DRIVER_MISSING` names what to install. */
export async function loadDriver<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw new TholeError('DRIVER_MISSING', `${name} could not be loaded: install it with \`npm install ${name}\`.`, {
      cause,
    });
  }
}
