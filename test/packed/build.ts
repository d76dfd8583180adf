import { join } from 'node:path';
import { root } from '../architecture/workspace.ts';
import { run } from './workspace-copy.ts';

/** Builds and packs all packages once, before the tests over packed packages, so that no test reads while another writes. */
export default async function build(): Promise<void> {
  await run(root, join(root, 'node_modules/.bin/turbo'), [
    'run',
    'build',
    '--concurrency=2',
    '--output-logs=errors-only',
  ]);
  await run(root, process.execPath, ['scripts/tarballs.mjs', '--built']);
}
