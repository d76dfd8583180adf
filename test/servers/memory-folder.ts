import { readFileSync, statfsSync } from 'node:fs';

const path = '/dev/shm';

/**
 * Returns Linux's folder for files in memory, as a place for temporary files: SQLite waits for the disk at each write. Undefined
 * without such a folder, if it has less than 1 GiB of free space, if programs cannot be started from it, or if `TMPDIR` is set.
 */
export function memoryFolder(): string | undefined {
  if (process.env.TMPDIR !== undefined) return undefined;
  try {
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find((line) => line.split(' ')[1] === path);
    const { bavail, bsize } = statfsSync(path);
    return mount !== undefined && !/\b(?:noexec|ro)\b/.test(mount) && bavail * bsize >= 2 ** 30 ? path : undefined;
  } catch {
    return undefined;
  }
}
