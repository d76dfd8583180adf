import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

const packages = join(import.meta.dirname, '..', '..', '..');

/** Creates a folder with these files. It is removed after the test. */
export function temporaryFolder(files: { readonly [path: string]: string } = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'thole-cli-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  writeFiles(folder, files);
  return folder;
}

export function writeFiles(folder: string, files: { readonly [path: string]: string }): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** Links packages of the workspace into a folder. */
export function linkPackages(folder: string, ...names: string[]): void {
  mkdirSync(join(folder, 'node_modules', '@thole'), { recursive: true });
  for (const name of names) symlinkSync(join(packages, name), join(folder, 'node_modules', '@thole', name), 'dir');
}
