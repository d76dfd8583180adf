import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';
import './provided.ts';

/** Waits for the app that `install-app.ts` installs once for all test files, and copies it. A test may change its copy. */
export async function copyApp(to: string): Promise<void> {
  const folder = inject('packed');
  while (!existsSync(join(folder, 'installed'))) {
    const failed = join(folder, 'failed');
    if (existsSync(failed)) throw new Error(readFileSync(failed, 'utf8'));
    await sleep(200);
  }
  copy(join(folder, 'my-app'), to, false);
}

/**
 * Copies a folder. Files of installed packages become hard links, because there are 20,000 of them: npm replaces these files and
 * never writes into them.
 */
function copy(from: string, to: string, isPackage: boolean): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copy(source, target, isPackage || from.endsWith('node_modules'));
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else if (isPackage) linkSync(source, target);
    else copyFileSync(source, target);
  }
}
