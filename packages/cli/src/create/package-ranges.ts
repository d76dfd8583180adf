import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cloneFolder, tarballOf } from '../clone-folder.ts';
import { shellWord } from '../options/shell-word.ts';
import { ownVersion, versionOf } from '../own-version.ts';

type Ranges = { readonly [name: string]: string };

/**
 * Returns `dependencies` of a new project: versions on npm, or packed packages if the command runs from a clone. Then
 * `overrides` make npm use the clone for the dependencies of those packages too. They name each package of the clone, because npm
 * does not install a package that has an override at the top level.
 */
export function packageRanges(names: readonly string[]): {
  dependencies: Ranges;
  overrides?: { readonly [name: string]: Ranges };
} {
  const clone = cloneFolder();
  if (clone === undefined) {
    const rangeOf = (name: string): string => `^${name === '@thole/cli' ? ownVersion() : versionOf(name)}`;
    return { dependencies: Object.fromEntries(names.map((name) => [name, rangeOf(name)])) };
  }
  const packed = readPackages(clone);
  const toRanges = (found: Iterable<string>): Ranges =>
    Object.fromEntries([...found].sort().map((name) => [name, `file:${packed.get(name)!.tarball}`]));
  const overrides = [...packed.keys()].map((name) => [name, toRanges(neededBy(name, packed))] as const);
  return {
    dependencies: toRanges(names),
    overrides: Object.fromEntries(overrides.filter(([, needed]) => Object.keys(needed).length > 0)),
  };
}

/** A package of the clone. */
interface PackedPackage {
  readonly tarball: string;
  /** Names of the packages that it needs or may need. */
  readonly dependencies: readonly string[];
}

/** Returns the packages of the clone by name. */
function readPackages(clone: string): Map<string, PackedPackage> {
  const packages = new Map<string, PackedPackage>();
  for (const folder of readdirSync(join(clone, 'packages'))) {
    const file = join(clone, 'packages', folder, 'package.json');
    if (!existsSync(file)) continue;
    const { name, dependencies, peerDependencies } = JSON.parse(readFileSync(file, 'utf8')) as {
      name: string;
      dependencies?: Ranges;
      peerDependencies?: Ranges;
    };
    const all = Object.keys({ ...dependencies, ...peerDependencies });
    packages.set(name, { tarball: tarballOf(clone, folder), dependencies: all });
  }
  return packages;
}

/** Returns the names of the clone's packages that a package needs, directly or not. */
function neededBy(name: string, packages: ReadonlyMap<string, PackedPackage>): Set<string> {
  const found = new Set<string>();
  const add = (each: string): void => {
    for (const needed of packages.get(each)!.dependencies) {
      if (!packages.has(needed) || needed === name || found.has(needed)) continue;
      found.add(needed);
      add(needed);
    }
  };
  add(name);
  return found;
}

/** Returns what `npm install` needs for a package in this folder of `packages`: its name, or its packed file in the clone. */
export function packageToInstall(folder: string): string {
  const clone = cloneFolder();
  return clone === undefined ? `@thole/${folder}` : shellWord(tarballOf(clone, folder));
}

/** Returns the command that packs the clone's packages. Undefined if it is not needed, or has already run. */
export function commandToPack(): string | undefined {
  const clone = cloneFolder();
  if (clone === undefined || existsSync(tarballOf(clone, 'cli'))) return undefined;
  return `node ${shellWord(join(clone, 'scripts/run.mjs'))} tarballs`;
}
