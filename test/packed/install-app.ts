import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
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
    const install = appCommands.at(-1)!;
    await run(join(folder, 'thole'), 'sh', ['-e', '-c', appCommands.slice(0, -1).join('\n')]);
    await installPackages(join(folder, 'my-app'), install);
    writeFileSync(join(folder, 'installed'), '');
  } catch (error) {
    writeFileSync(join(folder, 'failed'), String(error));
  }
}

/**
 * For some minutes after a release, a registry may name a version of a package without those that it depends on. npm answers
 * ETARGET then. The last of the four attempts ends before the tests stop waiting for the app.
 */
async function installPackages(app: string, command: string): Promise<void> {
  const again = command.replace('npm install', 'npm install --prefer-online');
  for (let attempt = 1; ; attempt++) {
    const { code, output } = await run(app, 'sh', ['-e', '-c', attempt === 1 ? command : again], { anyCode: true });
    if (code === 0) return;
    if (attempt === 4 || !output.includes('ETARGET')) throw new Error(`${command} failed:\n${output}`);
    await sleep(30_000);
  }
}
