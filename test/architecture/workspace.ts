import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The root of the workspace of these tests. A copy of the workspace tests itself. */
export const root: string = join(import.meta.dirname, '..', '..');

export interface Manifest {
  name: string;
  version: string;
  private?: boolean;
  exports?: Record<string, string | Record<string, string>>;
  dependencies?: Record<string, string>;
  scripts?: Record<string, string>;
}

export interface Package {
  /** The folder's name, as in `packages/<folder>`. */
  folder: string;
  manifest: Manifest;
}

const left = new Set(['node_modules', 'dist', '.git', '.tools', '.turbo', 'coverage', '.thole', 'package-lock.json']);

/** Files of a folder and those below, relative to the root with `/`; without what is installed, built or fetched. */
export function filesBelow(folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => !left.has(entry.name))
    .flatMap((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      return entry.isDirectory() ? filesBelow(path) : [path];
    })
    .sort();
}

export function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

export const packages: Package[] = readdirSync(join(root, 'packages'))
  .filter((folder) => existsSync(join(root, 'packages', folder, 'package.json')))
  .sort()
  .map((folder) => ({ folder, manifest: JSON.parse(read(`packages/${folder}/package.json`)) as Manifest }));

/** The TypeScript files in a package's `src`. */
export function sourcesOf(folder: string): string[] {
  return filesBelow(`packages/${folder}/src`).filter((file) => file.endsWith('.ts'));
}
