import { TholeError } from '@thole/core';

/**
 * Loads an optional package. Throws `DRIVER_MISSING` with the command that installs the package and its driver, if
 * it needs one.
 */
export async function loadPackage<T>(name: string, load: () => Promise<T>, driver?: string): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw packageMissing(name, cause, driver);
  }
}

/**
 * Returns the error for an optional package that could not be loaded. In code that users bundle, write `import()` directly in `try`
 * and throw this error: only then do bundlers accept that a package is not installed.
 */
export function packageMissing(name: string, cause: unknown, driver?: string): TholeError {
  const names = driver === undefined ? name : `${name} ${driver}`;
  return new TholeError('DRIVER_MISSING', `${name} could not be loaded. Install it with \`npm install ${names}\`.`, {
    cause,
  });
}
