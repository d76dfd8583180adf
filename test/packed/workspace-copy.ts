import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { filesBelow, root } from '../architecture/workspace.ts';

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
  /** Both, for error messages. */
  output: string;
}

/** Variables that vitest and npm set for child processes. */
const notInherited =
  /^(?:VITEST.*|NODE_ENV|TEST|FORCE_COLOR|npm_config_(?!registry|userconfig|cache|cafile|proxy|https_proxy|noproxy).*)$/i;

/** npm sends no audit and looks for no newer npm, and uses the metadata in its cache: a fifth less CPU time. */
const npmSettings = {
  npm_config_audit: 'false',
  npm_config_update_notifier: 'false',
  npm_config_prefer_offline: 'true',
};

/** Runs a command to its end. Throws with its output if the exit code is not 0, unless `anyCode` is set. */
export async function run(
  cwd: string,
  command: string,
  args: readonly string[],
  options: { anyCode?: boolean; env?: NodeJS.ProcessEnv } = {},
): Promise<Outcome> {
  const inherited = Object.entries({ ...process.env, NO_COLOR: '1', ...options.env }).filter(
    ([key]) => !notInherited.test(key),
  );
  const env = { ...Object.fromEntries(inherited), ...npmSettings };
  return new Promise((resolve, reject) => {
    execFile(command, args, { cwd, env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      const outcome = { code, stdout, stderr, output: `${stdout}\n${stderr}` };
      if (code === 0 || (options.anyCode && code > 0)) resolve(outcome);
      else reject(new Error(`${command} ${args.join(' ')} in ${cwd}: ${error?.message ?? code}\n${outcome.output}`));
    });
  });
}

/** Creates a temporary folder. Call `remove` in `onTestFinished` or `afterAll`. */
export function temporaryFolder(name: string): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), `thole-${name}-`));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }) };
}

/** Copies the files of the workspace for which `isWanted` returns true, without installed and built files. */
export function copyWorkspace(folder: string, isWanted: (file: string) => boolean = () => true): void {
  for (const file of filesBelow('').filter(isWanted)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    copyFileSync(join(root, file), join(folder, file));
  }
}
