import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { root } from '../architecture/workspace.ts';
import { installApp } from './install-app.ts';
import './provided.ts';
import { run, temporaryFolder } from './workspace-copy.ts';

/**
 * Builds and packs all packages once, before the tests of this project read the tarballs. Also starts to install the app that
 * many of them need.
 */
export default async function build(project: TestProject): Promise<() => Promise<void>> {
  await run(root, join(root, 'node_modules/.bin/turbo'), [
    'run',
    'build',
    '--concurrency=2',
    '--output-logs=errors-only',
  ]);
  await run(root, process.execPath, ['scripts/tarballs.mjs', '--built']);
  const { folder, remove } = temporaryFolder('packed');
  project.provide('packed', folder);
  const installed = installApp(folder);
  return async () => {
    await installed;
    remove();
  };
}
