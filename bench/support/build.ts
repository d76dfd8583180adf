import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../../scripts/fetch-package.mjs';

/** Builds `dist`, for benchmarks of the installed packages. */
export function build(): void {
  const turbo = join(root, 'node_modules/.bin/turbo');
  const flags = ['run', 'build', '--concurrency=2', '--output-logs=errors-only'];
  const { status, stdout } = spawnSync(turbo, flags, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`The build failed:\n${stdout}`);
}
