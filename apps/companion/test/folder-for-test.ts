import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Creates a folder and deletes it after the test. */
export function folderForTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'thole-companion-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
