import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { filesBelow, root } from '../architecture/workspace.ts';

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
  /** Both, for messages. */
  output: string;
}

/** Variables that vitest and npm set for child processes. */
const notInherited =
  /^(?:VITEST.*|NODE_ENV|TEST|FORCE_COLOR|npm_config_(?!registry|userconfig|cache|cafile|proxy|https_proxy|noproxy).*)$/i;

/** Runs a command to its end; a code other than 0 throws with what it said, unless any code is welcome. */
export async function run(
  cwd: string,
  command: string,
  args: readonly string[],
  options: { anyCode?: boolean; env?: NodeJS.ProcessEnv } = {},
): Promise<Outcome> {
  const inherited = Object.entries({ ...process.env, NO_COLOR: '1', ...options.env }).filter(
    ([key]) => !notInherited.test(key),
  );
  const env = Object.fromEntries(inherited);
  return new Promise((resolve, reject) => {
    execFile(command, args, { cwd, env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      const outcome = { code, stdout, stderr, output: `${stdout}\n${stderr}` };
      if (code === 0 || (options.anyCode && code > 0)) resolve(outcome);
      else reject(new Error(`${command} ${args.join(' ')} in ${cwd}: ${error?.message ?? code}\n${outcome.output}`));
    });
  });
}

/** A temporary folder that `onTestFinished` or `afterAll` may remove. */
export function temporaryFolder(name: string): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), `thole-${name}-`));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }) };
}

/** The workspace as it stands, without what is installed or built, in a folder; of its files those that are wanted. */
export function copyWorkspace(folder: string, isWanted: (file: string) => boolean = () => true): void {
  for (const file of filesBelow('').filter(isWanted)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    copyFileSync(join(root, file), join(folder, file));
  }
}
