// `pnpm check`: types, lint, format, architecture and unit tests. With `--all` (`npm test`) also the build, the slow tests,
// and the tests on database servers, in a browser and over packed packages. With `--long` (`pnpm test:long`) only the tests
// on database servers, in their long series. With `--fresh` CI's script in a fresh clone with an empty home and empty caches.
// Every step runs even if an earlier one failed. Vitest's summary comes last.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkFresh } from './check-fresh.mjs';

if (process.argv.includes('--fresh')) process.exit(await checkFresh(join(import.meta.dirname, '..')));

const all = process.argv.includes('--all');
const long = process.argv.includes('--long');
// Tests start the same programs hundreds of times. New in each run: it also gets entries for files in temporary folders.
const compileCache = join(import.meta.dirname, '..', '.tools', 'compile-cache');
const fast = 'vitest run --project unit --project isolated';
const steps = long
  ? [step('tests on database servers, long series', 'vitest run --project servers')]
  : [
      step(
        all ? 'types and build of each package' : 'types of each package',
        `turbo run check ${all ? 'build ' : ''}--continue --concurrency=2 --output-logs=errors-only`,
      ),
      step('types of tests and scripts', 'tsc -p tsconfig.json'),
      step('lint', 'oxlint'),
      step('format', 'oxfmt --check'),
      all
        ? step('all tests: unit, slow, on database servers, in a browser, over packed packages', 'vitest run')
        : step('unit tests', fast),
    ];

announce();
if (all || long) rmSync(compileCache, { recursive: true, force: true });
const failed = [];
for (const [index, { name, command }] of steps.entries()) {
  const isLast = index === steps.length - 1;
  if (isLast && failed.length > 0) console.error(`\nFAILED before the tests: ${failed.join('; ')}\n`);
  console.log(`[${index + 1}/${steps.length}] ${name}`);
  const start = Date.now();
  const status = await run(command);
  if (status !== 0) failed.push(`${name} (${command})`);
  if (!isLast)
    console.log(`    ${status === 0 ? 'passed' : 'FAILED'} in ${((Date.now() - start) / 1000).toFixed(1)} s`);
}
process.exitCode = failed.length === 0 ? 0 : 1;

function step(name, command) {
  return { name, command };
}

function announce() {
  const title = all ? 'npm test' : long ? 'pnpm test:long' : 'pnpm check';
  console.log(`${title} runs ${steps.length} step${steps.length === 1 ? '' : 's'}:`);
  for (const [index, { name }] of steps.entries()) console.log(`  ${index + 1}. ${name}`);
  if (all) {
    console.log(
      'It takes about 6 minutes on two quiet cores. The first run takes up to 5 minutes longer: as root on Debian or',
    );
    console.log(
      'Ubuntu it installs PostgreSQL, MariaDB, Redis, PgBouncer and Chromium with apt-get, and downloads Bun and Deno.',
    );
    console.log('Elsewhere, tests without their server or browser are skipped and counted at the end.');
  } else if (!long) {
    console.log('It takes less than a minute on two cores and needs no network.');
  }
  console.log('Each test file is reported when it ends.\n');
}

function run(command) {
  // Vitest would also colour its output in files and pipes.
  const env = {
    ...process.env,
    ...(!process.stdout.isTTY && { NO_COLOR: '1' }),
    ...(long && { THOLE_LONG: '1' }),
    ...((all || long) && { NODE_COMPILE_CACHE: compileCache }),
  };
  return new Promise((resolve) => {
    const child = spawn(command, { env, stdio: 'inherit', shell: true });
    child.on('error', () => resolve(1));
    child.on('close', (code) => resolve(code ?? 1));
  });
}
