import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../../scripts/fetch-package.mjs';

/** Brings `dist` up to date, for what is measured as it is installed. */
export function build(): void {
  const turbo = join(root, 'node_modules/.bin/turbo');
  const flags = ['run', 'build', '--concurrency=2', '--output-logs=errors-only'];
  // Only what went wrong, and not into the table.
  execFileSync(turbo, flags, { cwd: root, stdio: ['ignore', 2, 2] });
}
