import { execFile } from 'node:child_process';

interface Options {
  cwd?: string | undefined;
  user?: { uid: number; gid: number } | undefined;
}

/** Returns the standard output of a program. If the program fails, throws an error with the end of its output. */
export function runProgram(command: string, args: readonly string[], options: Options = {}): Promise<string> {
  const { cwd, user } = options;
  return new Promise((resolve, reject) => {
    execFile(command, args, { cwd, ...user, maxBuffer: 1e8, timeout: 120_000 }, (error, stdout, stderr) => {
      if (error)
        reject(new Error(`${command} failed: ${error.message}\n${stdout.slice(-2_000)}${stderr.slice(-2_000)}`));
      else resolve(stdout);
    });
  });
}
