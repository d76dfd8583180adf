import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Returns a new folder for a server. The caller removes it. */
export function temporaryFolder(name: string): string {
  return mkdtempSync(join(realpathSync(tmpdir()), `thole-${name}-`));
}

/** Waits until a folder is filled. Removes the folder and throws the error if that fails. */
export async function removeIfFailed(folder: string, filling: Promise<unknown>): Promise<void> {
  try {
    await filling;
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}
