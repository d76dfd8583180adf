import { TholeError } from '@thole/core';

/** Loads a database driver. Throws `DRIVER_MISSING` with the command that installs it. */
export async function loadDriver<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw new TholeError('DRIVER_MISSING', `${name} could not be loaded. Install it with \`npm install ${name}\`.`, {
      cause,
    });
  }
}
