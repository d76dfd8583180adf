import { TholeError } from '@thole/core';

/** Loads an optional package, and only then; `DRIVER_MISSING` names what to install. */
export async function loadDriver<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    const how = name.startsWith('node:') ? 'it needs Node 22.18 or newer' : `install it with \`npm install ${name}\``;
    throw new TholeError('DRIVER_MISSING', `${name} could not be loaded: ${how}.`, { cause });
  }
}
