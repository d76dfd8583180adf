// `pnpm check`: types, lint, format, architecture and unit tests. With `--all` (`npm test`) the build, the tests on
// database servers and those over packed packages as well. Every step runs whatever became of those before, and vitest's
// closing lines are the last. With `--long` (`pnpm test:long`) the tests on database servers alone, in their long series.
// With `--fresh` CI's script in a fresh clone, with an empty home directory and empty caches.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { checkFresh } from './check-fresh.mjs';

if (process.argv.includes('--fresh')) process.exit(await checkFresh(join(import.meta.dirname, '..')));

const all = process.argv.includes('--all');
const long = process.argv.includes('--long');
const short = [
  `turbo run check ${all ? 'build ' : ''}--continue --concurrency=2 --output-logs=errors-only`,
  'tsc -p tsconfig.json',
  'oxlint',
  'oxfmt --check',
  all ? 'vitest run' : 'vitest run --project unit --project isolated',
];
const steps = long ? ['vitest run --project servers'] : short;

// vitest colours what it writes into files and pipes too.
const env = {
  ...process.env,
  ...(!process.stdout.isTTY && { NO_COLOR: '1' }),
  ...(long && { THOLE_LONG: '1' }),
};
const failed = [];
for (const step of steps) {
  if (step === steps.at(-1) && failed.length > 0) console.error(`\nfailed before the tests: ${failed.join(', ')}\n`);
  const begin = Date.now();
  const { status } = spawnSync(step, { env, stdio: 'inherit', shell: true });
  if (status !== 0) failed.push(step);
  if (step !== steps.at(-1))
    console.log(`${status === 0 ? 'passed' : 'FAILED'} in ${((Date.now() - begin) / 1000).toFixed(1)} s: ${step}`);
}
process.exitCode = failed.length === 0 ? 0 : 1;
