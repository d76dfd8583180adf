// `node scripts/run.mjs tarballs`: builds all packages and packs them into `.tools/tarballs/<folder>.tgz`, to install them from a clone.
// File names have no version, so that commands in READMEs stay correct. `--built` packs without building first.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '..');

/** Returns the published packages: `{ folder, name, version }`. */
export function publishedPackages() {
  return readdirSync(join(root, 'packages')).flatMap((folder) => {
    const file = join(root, 'packages', folder, 'package.json');
    const manifest = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { private: true };
    return manifest.private ? [] : [{ folder, name: manifest.name, version: manifest.version }];
  });
}

/** Packs every published package. Returns the path of each tarball by the name of its package. Throws if a package is not built. */
export function packAll(into) {
  rmSync(into, { recursive: true, force: true });
  mkdirSync(into, { recursive: true });
  // `npm pack` would keep `workspace:` ranges and the source condition.
  const tarballs = publishedPackages().map(({ folder, name }) => {
    const file = join(into, `${folder}.tgz`);
    execute(`pnpm pack --out "${file}"`, join(root, 'packages', folder));
    return [name, file];
  });
  return new Map(tarballs);
}

/** Builds every package. */
function buildAll() {
  execute('turbo run build --concurrency=2 --output-logs=errors-only', root);
}

/** Runs a command. Throws with its output if it fails. */
function execute(command, cwd) {
  const { status, stdout, stderr } = spawnSync(command, { cwd, encoding: 'utf8', shell: true });
  if (status !== 0) throw new Error(`"${command}" failed in ${cwd}:\n${stdout}${stderr}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  if (!process.argv.includes('--built')) buildAll();
  const into = join(root, '.tools', 'tarballs');
  console.log(`Packed ${packAll(into).size} packages into ${into}`);
}
