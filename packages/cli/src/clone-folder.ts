import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Returns the folder of the clone that this command runs from. Undefined if the command is installed as a package. */
export function cloneFolder(): string | undefined {
  const folder = join(dirname(fileURLToPath(import.meta.url)), '../../..');
  const isClone = ['pnpm-workspace.yaml', 'packages/cli/package.json'].every((file) => existsSync(join(folder, file)));
  return isClone ? folder : undefined;
}

/** Returns the path of a packed package in the clone. `scripts/tarballs.mjs` writes it. */
export function tarballOf(clone: string, folder: string): string {
  return join(clone, '.tools/tarballs', `${folder}.tgz`);
}
