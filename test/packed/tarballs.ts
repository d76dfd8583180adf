import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packages, root } from '../architecture/workspace.ts';
import type { Package } from '../architecture/workspace.ts';
import { run } from './workspace-copy.ts';

export const published: readonly Package[] = packages.filter(({ manifest }) => !manifest.private);

/** Folder of the tarballs that `build.ts` has packed. Tests only read them. */
const tarballFolder = join(root, '.tools/tarballs');
/** Path of the tarball of each package, by its name. */
export const packed: ReadonlyMap<string, string> = new Map(
  published.map(({ folder, manifest }) => [manifest.name, join(tarballFolder, `${folder}.tgz`)]),
);

/** Installs some of the tarballs with npm in a new project. Packages that these depend on come from tarballs, too. */
export async function installWith(
  folder: string,
  names: readonly string[],
  tarballs: ReadonlyMap<string, string>,
): Promise<void> {
  const fileOf = (name: string): string => `file:${tarballs.get(name)}`;
  const dependencies = Object.fromEntries(names.map((name) => [name, fileOf(name)]));
  const overrides = Object.fromEntries(
    [...tarballs.keys()].map((name) => [name, names.includes(name) ? `$${name}` : fileOf(name)]),
  );
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'consumer', private: true, type: 'module', dependencies, overrides }),
  );
  await run(folder, 'npm', [
    'install',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    '--loglevel=error',
  ]);
}

/** Links a package that is already installed in the workspace into a project. */
export function linkInstalled(folder: string, name: string): void {
  const installedIn = ['.', ...packages.map(({ folder: each }) => `packages/${each}`), 'apps/concierge'].find((each) =>
    hasPackage(join(root, each, 'node_modules'), name),
  );
  if (installedIn === undefined) throw new Error(`${name} is not installed anywhere in the workspace.`);
  const target = join(folder, 'node_modules', name);
  mkdirSync(dirname(target), { recursive: true });
  symlinkSync(join(root, installedIn, 'node_modules', name), target, 'dir');
}

function hasPackage(modules: string, name: string): boolean {
  try {
    readdirSync(join(modules, name));
    return true;
  } catch {
    return false;
  }
}
