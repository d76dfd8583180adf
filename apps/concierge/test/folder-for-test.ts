import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder of the test's own, which goes with it. */
export function folderForTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'thole-concierge-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
