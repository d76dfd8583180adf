import { createRequire } from 'node:module';

/** The version of this package, of `src` as of `dist`: both stand next to its package.json. */
export function ownVersion(): string {
  return versionIn('../package.json');
}

/** The version of a package that this one depends on. */
export function versionOf(name: string): string {
  return versionIn(`${name}/package.json`);
}

function versionIn(path: string): string {
  return (createRequire(import.meta.url)(path) as { version: string }).version;
}
