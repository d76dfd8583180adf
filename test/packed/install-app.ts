import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../architecture/workspace.ts';
import { commandsUnder } from '../docs/page.ts';
import { run } from './workspace-copy.ts';

/** The README's commands from the clone to the end, one in each line. */
export const readmeCommands: readonly string[] = commandsUnder('README.md', 'Install from a clone').flatMap((line) =>
  line.split(' && '),
);
/** Those that make and install the app. The three before them clone, build and pack. */
const appCommands = readmeCommands.slice(3, 8);

/**
 * Installs all tarballs in an app, with the README's commands. Never rejects: it leaves a file `installed` or `failed`, so
 * that tests in other processes may wait for it.
 */
export async function installApp(folder: string): Promise<void> {
  mkdirSync(join(folder, 'thole/.tools'), { recursive: true });
  symlinkSync(join(root, '.tools/tarballs'), join(folder, 'thole/.tools/tarballs'), 'dir');
  try {
    await run(join(folder, 'thole'), 'sh', ['-e', '-c', appCommands.join('\n')]);
    writeFileSync(join(folder, 'installed'), '');
  } catch (error) {
    writeFileSync(join(folder, 'failed'), String(error));
  }
}
