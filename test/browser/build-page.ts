import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../architecture/workspace.ts';
import { run } from '../packed/workspace-copy.ts';

/** Builds the page of @thole/dev-ui if it was not built since its sources changed. */
export function buildPage(): Promise<string> {
  const sources = ['page', 'vite.config.ts', 'package.json', '../client/src', '../core/src'];
  return buildChanged(join(root, 'packages/dev-ui'), 'dist/page', sources);
}

/** Builds the page of apps/react-chat if it was not built since its sources changed. Returns its folder. */
export function buildChatPage(): Promise<string> {
  return buildChanged(join(root, 'apps/react-chat'), 'dist', ['page', 'vite.config.ts', 'package.json']);
}

/** Builds with Vite in a temporary folder and renames it, so that no program reads an incomplete build. */
async function buildChanged(folder: string, output: string, sources: readonly string[]): Promise<string> {
  const built = join(folder, output);
  const index = join(built, 'index.html');
  const changed = Math.max(...sources.map((each) => newestBelow(join(folder, each))));
  if (existsSync(index) && statSync(index).mtimeMs > changed) return built;
  const partial = join(folder, 'node_modules', `.page.${process.pid}`);
  // `run` removes vitest's variables: with its NODE_ENV the build would differ.
  await run(folder, join(folder, 'node_modules/.bin/vite'), ['build', '--logLevel', 'error', '--outDir', partial]);
  rmSync(built, { recursive: true, force: true });
  mkdirSync(dirname(built), { recursive: true });
  renameSync(partial, built);
  return built;
}

function newestBelow(path: string): number {
  const { mtimeMs } = statSync(path);
  if (!statSync(path).isDirectory()) return mtimeMs;
  return Math.max(mtimeMs, ...readdirSync(path).map((name) => newestBelow(join(path, name))));
}
