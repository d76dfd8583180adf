// `pnpm bench [words]`: runs the benches in bench/ and packages/*/bench, one after the other and each in a process of its
// own, over the sources. A bench prints its table and ends with an exit code other than 0 when it misses a promised figure.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const words = process.argv.slice(2);
const folders = ['bench', ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}/bench`)];
const benches = folders
  .filter((folder) => existsSync(join(root, folder)))
  .flatMap((folder) => readdirSync(join(root, folder)).map((file) => `${folder}/${file}`))
  .filter((file) => /\.bench\.(ts|mjs)$/.test(file))
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort((a, b) => (a < b ? -1 : 1));

const missed = [];
for (const bench of benches) {
  console.log(`\n${bench}`);
  const flags = ['--conditions=@thole/source', '--expose-gc', '--disable-warning=ExperimentalWarning'];
  if (spawnSync(process.execPath, [...flags, bench], { cwd: root, stdio: 'inherit' }).status !== 0) missed.push(bench);
}
console.log(`\n${benches.length - missed.length} passed, ${missed.length} failed`);
for (const bench of missed) console.error(`missed a figure: ${bench}`);
process.exitCode = missed.length === 0 && benches.length > 0 ? 0 : 1;
