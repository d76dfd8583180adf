import { sep } from 'node:path';
import type { Runtime } from '@thole/core';
import { watch } from 'chokidar';

const LEFT_OUT = new Set(['node_modules', '.git', '.thole', 'dist', 'coverage']);
const WATCHED = /\.(?:[cm]?[jt]s|json|md|txt|ya?ml)$|(?:^|[\\/])\.env$/;
const SAVED = /\.session\.json$/;
/** Editors write a file in several steps, and tools many files at once. */
const QUIET_MS = 100;

/**
 * Calls back when files below a folder have changed: sources, texts and `.env`, but not what is installed, built or stored. Several
 * changes at once are one call. Resolves when it watches; the answered function ends it.
 */
export async function watchFiles(
  root: string,
  { runtime, changed }: { runtime: Runtime; changed: () => void },
): Promise<() => Promise<void>> {
  const watcher = watch(root, {
    ignoreInitial: true,
    ignored: (path, stats) => {
      const below = path.slice(root.length).split(sep);
      if (below.some((part) => LEFT_OUT.has(part))) return true;
      return stats?.isFile() === true && (!WATCHED.test(path) || SAVED.test(path));
    },
  });
  let cancel: (() => void) | undefined;
  watcher.on('all', () => {
    cancel?.();
    cancel = runtime.timer(QUIET_MS, changed);
  });
  // A folder that cannot be watched is not reloaded; that is no reason to stop serving.
  watcher.on('error', (error) => runtime.logger.warn('A folder cannot be watched.', { error: String(error) }));
  await new Promise<void>((resolve) => void watcher.once('ready', resolve));
  return async () => {
    cancel?.();
    await watcher.close();
  };
}
