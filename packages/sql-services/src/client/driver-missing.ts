import { TholeError } from '@thole/core';

/**
 * Returns the error for an optional package that could not be loaded, with the command that installs it. Write `import()` directly in
 * `try`: only then do bundlers accept that a package is not installed.
 */
export function driverMissing(name: string, cause: unknown): TholeError {
  const nextStep = name.startsWith('node:')
    ? 'It needs Node 22.18 or newer.'
    : `Install it with \`npm install ${name}\`.`;
  return new TholeError('DRIVER_MISSING', `${name} could not be loaded. ${nextStep}`, { cause });
}
