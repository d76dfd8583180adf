import type { Runtime } from './runtime.ts';
import { systemRuntime } from './system-runtime.ts';

/** Pauses between attempts in milliseconds. */
const PAUSES_MS = [10, 20, 50, 100, 200, 400, 800];

/**
 * Renames a file or a folder with `rename` of Node on its `platform`. On Windows this fails while a reader or a virus scanner has the file open, or a file
 * of the folder. Then it is tried again for at most about 1.6 seconds.
 */
export async function renameWhenFree(
  rename: (from: string, to: string) => Promise<void>,
  { from, to, platform }: { from: string; to: string; platform: string },
  sleep: Runtime['sleep'] = (ms, signal) => systemRuntime().sleep(ms, signal),
): Promise<void> {
  for (const pause of platform === 'win32' ? PAUSES_MS : []) {
    try {
      return await rename(from, to);
    } catch (error) {
      if (!/^(?:EPERM|EACCES|EBUSY)$/.test(String((error as { code?: unknown }).code))) throw error;
      await sleep(pause);
    }
  }
  return rename(from, to);
}
