import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new folder for a server; whoever starts the server removes it. */
export function temporaryFolder(name: string): string {
  return mkdtempSync(join(realpathSync(tmpdir()), `thole-${name}-`));
}
