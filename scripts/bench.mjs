// `pnpm bench [words] [--write] [-- options of a bench]`: runs the benches in bench/ and packages/*/bench one after
// another, each in a separate process on the sources, with NODE_ENV=production. A bench prints its table and exits
// with a code other than 0 if it misses a limit. `--write` writes the tables to docs/benchmarks.md, including missed
// limits, and the figures in README.md.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir, type } from 'node:os';
import { join } from 'node:path';
import { differences, replaceBetween } from './readme-figures.mjs';

const root = join(import.meta.dirname, '..');
const cliArgs = process.argv.slice(2);
// Options other than --write, and everything after the first of them, are passed to the benches.
const passedFrom = cliArgs.findIndex((word) => word.startsWith('--') && word !== '--write');
const args = passedFrom < 0 ? [] : cliArgs.slice(passedFrom).filter((word) => word !== '--');
const write = cliArgs.includes('--write');
const words = cliArgs.slice(0, passedFrom < 0 ? undefined : passedFrom).filter((word) => word !== '--write');
if (write && words.length > 0) throw new Error('--write runs all benches: remove the names of benches.');
const folders = ['bench', ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}/bench`)];
const benches = folders
  .filter((folder) => existsSync(join(root, folder)))
  .flatMap((folder) => readdirSync(join(root, folder)).map((file) => `${folder}/${file}`))
  .filter((file) => /\.bench\.(ts|mjs)$/.test(file))
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort((a, b) => (a < b ? -1 : 1));

const folder = mkdtempSync(join(tmpdir(), 'bench-'));
const rows = join(folder, 'rows');
const env = { ...process.env, NODE_ENV: 'production', BENCH_ROWS: rows };
const failed = [];
for (const bench of benches) {
  console.log(`\n${bench}`);
  const flags = ['--conditions=@thole/source', '--expose-gc', '--disable-warning=ExperimentalWarning'];
  if (spawnSync(process.execPath, [...flags, bench, ...args], { cwd: root, env, stdio: 'inherit' }).status !== 0)
    failed.push(bench);
}
const table = existsSync(rows) ? readFileSync(rows, 'utf8').trimEnd().split('\n') : [];
rmSync(folder, { recursive: true });

console.log(`\n${benches.length - failed.length} passed, ${failed.length} failed`);
for (const bench of failed) console.error(`failed or missed a limit: ${bench}`);
process.exitCode = failed.length === 0 && benches.length > 0 ? 0 : 1;
if (write) writeTable();

function writeTable() {
  const machine = `${type()} ${process.arch}, ${availableParallelism()} cores, Node ${process.versions.node.split('.')[0]}`;
  const lines = [
    `${new Date().toISOString().slice(0, 10)}, ${machine}. Medians; ai is Vercel's AI SDK 7, adk is \`@google/adk\` 2.0.0.`,
    '',
    '| figure | ours | compared with | ratio | limit | |',
    '|---|---|---|---|---|---|',
    ...table.map((line) => `| ${JSON.parse(line).join(' | ')} |`),
  ];
  const benchmarks = join(root, 'docs', 'benchmarks.md');
  writeFileSync(benchmarks, replaceBetween(readFileSync(benchmarks, 'utf8'), 'bench', lines.join('\n')));
  const readme = join(root, 'README.md');
  const figures = differences(readFileSync(benchmarks, 'utf8'));
  writeFileSync(readme, replaceBetween(readFileSync(readme, 'utf8'), 'figures', figures));
}
