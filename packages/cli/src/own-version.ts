import { createRequire } from 'node:module';

/** Returns the version of this package. `src` and `dist` are both next to its package.json. */
export function ownVersion(): string {
  return versionIn('../package.json');
}

/** Returns the version of a package that this one depends on. */
export function versionOf(name: string): string {
  return versionIn(`${name}/package.json`);
}

function versionIn(path: string): string {
  return (createRequire(import.meta.url)(path) as { version: string }).version;
}
