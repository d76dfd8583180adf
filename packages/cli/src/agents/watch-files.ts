import type { Runtime } from '@thole/core';
import { watch } from 'chokidar';

const IGNORED_FOLDERS = new Set(['node_modules', '.git', '.thole', 'dist', 'coverage']);
const WATCHED = /\.(?:[cm]?[jt]s|json|md|txt|ya?ml)$|(?:^|[\\/])\.env$/;
const SAVED_SESSION = /\.session\.json$/;
/**
 * Time without further changes, in milliseconds, after which changes are reported. Editors write a file in several steps, and
 * tools write many files.
 */
const QUIET_MS = 100;

/**
 * Calls `onChange` when files below a folder change: sources, texts and `.env`, but no installed, built or stored
 * files. Several changes in a row are one call. Resolves when watching has started; the returned function stops it.
 */
export async function watchFiles(
  root: string,
  { runtime, onChange }: { runtime: Runtime; onChange: () => void },
): Promise<() => Promise<void>> {
  const watcher = watch(root, {
    ignoreInitial: true,
    ignored: (path, stats) => isIgnored(path.slice(root.length), stats?.isFile() === true),
  });
  let cancel: (() => void) | undefined;
  watcher.on('all', () => {
    cancel?.();
    cancel = runtime.timer(QUIET_MS, onChange);
  });
  // Serving continues without reloads if a folder cannot be watched.
  watcher.on('error', (error) => runtime.logger.warn('A folder cannot be watched.', { error: String(error) }));
  await new Promise<void>((resolve) => void watcher.once('ready', resolve));
  return async () => {
    cancel?.();
    await watcher.close();
  };
}

/** True if changes of a file or folder are not reported. The path is relative to the root. On Windows it contains `/` too. */
export function isIgnored(path: string, isFile: boolean): boolean {
  if (path.split(/[\\/]/).some((segment) => IGNORED_FOLDERS.has(segment))) return true;
  return isFile && (!WATCHED.test(path) || SAVED_SESSION.test(path));
}
