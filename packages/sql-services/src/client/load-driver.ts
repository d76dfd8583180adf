import { TholeError } from '@thole/core';

/** Loads an optional package. Throws `DRIVER_MISSING` with the command that installs it. */
export async function loadDriver<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    const nextStep = name.startsWith('node:')
      ? 'It needs Node 22.18 or newer.'
      : `Install it with \`npm install ${name}\`.`;
    throw new TholeError('DRIVER_MISSING', `${name} could not be loaded. ${nextStep}`, { cause });
  }
}
