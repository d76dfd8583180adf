import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { cloneFolder, tarballOf } from '../clone-folder.ts';
import { ownVersion, versionOf } from '../own-version.ts';

type Ranges = { readonly [name: string]: string };

/**
 * Returns `dependencies` of a new project: versions on npm, or packed packages if the command runs from a clone. Then
 * `overrides` make npm use the clone for the dependencies of those packages too.
 */
export function packageRanges(names: readonly string[]): { dependencies: Ranges; overrides?: Ranges } {
  const clone = cloneFolder();
  if (clone === undefined) {
    const rangeOf = (name: string): string => `^${name === '@thole/cli' ? ownVersion() : versionOf(name)}`;
    return { dependencies: Object.fromEntries(names.map((name) => [name, rangeOf(name)])) };
  }
  const packed = readdirSync(join(clone, 'packages'))
    .filter((folder) => existsSync(join(clone, 'packages', folder, 'package.json')))
    .map((folder) => [folder === 'thole' ? folder : `@thole/${folder}`, `file:${tarballOf(clone, folder)}`] as const);
  const files = new Map(packed);
  return {
    dependencies: Object.fromEntries(names.map((name) => [name, files.get(name)!])),
    overrides: Object.fromEntries(packed.filter(([name]) => !names.includes(name))),
  };
}

/** Returns the command that packs the clone's packages. Undefined if it is not needed, or has already run. */
export function commandToPack(): string | undefined {
  const clone = cloneFolder();
  if (clone === undefined || existsSync(tarballOf(clone, 'cli'))) return undefined;
  return `node ${join(clone, 'scripts/run.mjs')} tarballs`;
}
