import { join } from 'node:path';
import { root } from '../architecture/workspace.ts';
import { run } from './workspace-copy.ts';

/** Once before the tests over packed packages, so that none of them reads what another is writing. */
export default async function build(): Promise<void> {
  await run(root, join(root, 'node_modules/.bin/turbo'), [
    'run',
    'build',
    '--concurrency=2',
    '--output-logs=errors-only',
  ]);
}
