import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from '../architecture/workspace.ts';
import { commandsUnder } from '../docs/page.ts';
import { run } from './workspace-copy.ts';

/** The README's commands from the clone to the end, one per item. */
export const readmeCommands: readonly string[] = commandsUnder('README.md', 'Install from a clone').flatMap((line) =>
  line.split(' && '),
);
/** The commands that create and install the app. The three commands before them clone, build and pack. */
const appCommands = readmeCommands.slice(3, 8);

/**
 * Installs all tarballs in an app with the commands of the README. Never rejects: at the end it writes a file `installed` or
 * `failed`, for which tests in other processes wait.
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
 * For some minutes after a release, a registry may list a version of a package before its dependencies. npm then fails with
 * ETARGET. The last of the four attempts ends before the tests stop waiting for the app.
 */
async function installPackages(app: string, command: string): Promise<void> {
  const again = command.replace('npm install', 'npm install --no-prefer-offline --prefer-online');
  for (let attempt = 1; ; attempt++) {
    const { code, output } = await run(app, 'sh', ['-e', '-c', attempt === 1 ? command : again], { anyCode: true });
    if (code === 0) return;
    if (attempt === 4 || !output.includes('ETARGET')) throw new Error(`${command} failed:\n${output}`);
    await sleep(30_000);
  }
}
