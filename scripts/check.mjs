// `pnpm check`: types, lint, format, architecture and unit tests. With `--all` (`npm test`) also the lint rules that need types,
// the build, the slow tests, and the tests on database servers, in a browser and over packed packages. With `--long`
// (`pnpm test:long`) only the unit tests, the slow tests and those on database servers, in their long series. With `--fresh`
// CI's script in a fresh clone with an empty home and empty caches.
// Every step runs even if an earlier one failed. Types, lint and format run beside the tests, which often wait.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkFresh } from './check-fresh.mjs';

const root = join(import.meta.dirname, '..');
if (process.argv.includes('--fresh')) process.exit(await checkFresh(root));

const all = process.argv.includes('--all');
const long = process.argv.includes('--long');
// Tests start the same programs hundreds of times. New in each run: it also gets entries for files in temporary folders.
const compileCache = join(root, '.tools', 'compile-cache');
const tests = step(
  all ? 'all tests: unit, slow, on database servers, in a browser, over packed packages' : 'unit tests',
  all ? 'vitest run' : 'vitest run --project unit',
);
// What is checked is kept in .tools/types, so that only what changed is checked again. One checker: several infer the same types
// again, and the tests use the other cores.
const tsc = 'tsc --checkers 1';
const checks = [
  step('types of packages and their tests', `${tsc} -p tsconfig.packages.json`),
  step('types of apps, scripts and other tests', `${tsc} -p tsconfig.json`),
  ...pages().map((page) => step(`types of ${page}`, `${tsc} -p ${page}/tsconfig.json`)),
  // Rules that need types take ten times as long as all others.
  all ? step('lint', 'oxlint --type-aware') : step('lint without the rules that need types', 'oxlint'),
  step('format', 'oxfmt --check'),
];
const build = step('build of each package', 'turbo run build --continue --concurrency=2 --output-logs=errors-only');
const steps = long
  ? [
      step(
        'unit, slow and database server tests, long series',
        'vitest run --project unit --project slow --project servers',
      ),
    ]
  : [...(all ? [build] : []), ...checks, tests];

announce();
if (all || long) rmSync(compileCache, { recursive: true, force: true });
const failed = [];
if (long) await show(steps[0]);
else {
  if (all) await show(build);
  await Promise.all([inTheBackground(checks), show(tests)]);
}
if (failed.length > 0)
  console.error(`\nFAILED: ${failed.map(({ name, command }) => `${name} (${command})`).join('; ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;

function step(name, command) {
  return { name, command };
}

/** Folders of apps and packages with a page in TypeScript, which has browser types and other options than everything else. */
function pages() {
  return ['packages', 'apps'].flatMap((group) =>
    readdirSync(join(root, group))
      .map((folder) => `${group}/${folder}/page`)
      .filter((page) => existsSync(join(root, page, 'tsconfig.json'))),
  );
}

/** Runs a step and shows its output while it runs. */
async function show(one) {
  console.log(`${place(one)} starts`);
  const start = Date.now();
  const { status } = await run(one.command, 'inherit');
  report(one, status, start);
}

/** Runs steps one after another and shows the output of each when it has ended. */
async function inTheBackground(all) {
  for (const one of all) {
    const start = Date.now();
    const { status, output } = await run(one.command, ['ignore', 'pipe', 'pipe']);
    if (status !== 0) process.stdout.write(`\n${output}`);
    report(one, status, start);
  }
}

function report(one, status, start) {
  if (status !== 0) failed.push(one);
  console.log(`${place(one)} ${status === 0 ? 'passed' : 'FAILED'} in ${((Date.now() - start) / 1000).toFixed(1)} s`);
}

function place(one) {
  return `[${steps.indexOf(one) + 1}/${steps.length}] ${one.name}`;
}

function announce() {
  const title = all ? 'npm test' : long ? 'pnpm test:long' : 'pnpm check';
  console.log(`${title} runs ${steps.length} step${steps.length === 1 ? '' : 's'}:`);
  for (const [index, { name }] of steps.entries()) console.log(`  ${index + 1}. ${name}`);
  if (all) {
    console.log(
      'It takes 7 to 10 minutes on two quiet cores. The first run takes up to 5 minutes longer: as root on Debian or',
    );
    console.log(
      'Ubuntu it installs PostgreSQL, MariaDB, Redis, PgBouncer and Chromium with apt-get, and downloads Bun and Deno.',
    );
    console.log('Elsewhere, tests without their server or browser are skipped and counted at the end.');
  } else if (!long) {
    console.log('It takes about a minute on two cores and needs no network.');
  }
  console.log('Each test file is reported when it ends.\n');
}

function run(command, stdio) {
  // Vitest would also colour its output in files and pipes.
  const env = {
    ...process.env,
    ...(!process.stdout.isTTY && { NO_COLOR: '1' }),
    ...(all && { THOLE_ALL: '1' }),
    ...(long && { THOLE_LONG: '1' }),
    ...((all || long) && { NODE_COMPILE_CACHE: compileCache }),
  };
  return new Promise((resolve) => {
    const child = spawn(command, { cwd: root, env, stdio, shell: true });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
    child.on('error', (error) => resolve({ status: 1, output: error.message }));
    child.on('close', (code) => resolve({ status: code ?? 1, output }));
  });
}
