import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../architecture/workspace.ts';
import { run } from '../packed/workspace-copy.ts';

const folder = join(root, 'packages/dev-ui');
const sources = ['page', 'vite.config.ts', 'package.json', '../client/src', '../core/src'];

/** Builds the page of @thole/dev-ui if it was not built since its sources changed; aside, so that no reader sees half of it. */
export async function buildPage(): Promise<void> {
  const built = join(folder, 'dist/page');
  const index = join(built, 'index.html');
  const changed = Math.max(...sources.map((each) => newestBelow(join(folder, each))));
  if (existsSync(index) && statSync(index).mtimeMs > changed) return;
  const making = `${built}.${process.pid}`;
  // Without what vitest tells its children: its NODE_ENV would make it another page.
  await run(folder, join(folder, 'node_modules/.bin/vite'), ['build', '--logLevel', 'error', '--outDir', making]);
  rmSync(built, { recursive: true, force: true });
  renameSync(making, built);
}

function newestBelow(path: string): number {
  const { mtimeMs } = statSync(path);
  if (!statSync(path).isDirectory()) return mtimeMs;
  return Math.max(mtimeMs, ...readdirSync(path).map((name) => newestBelow(join(path, name))));
}
