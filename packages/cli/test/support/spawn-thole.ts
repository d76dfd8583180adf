import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { packageFlags } from '../../../../test/servers/package-flags.ts';

export interface Spawned {
  code: number | null;
  output: string;
  errors: string;
}

export interface SpawnOptions {
  cwd: string;
  input?: string | undefined;
  env?: { readonly [name: string]: string } | undefined;
  /** True to close the output at once. */
  closeOutput?: boolean | undefined;
  /** True to leave the input open. */
  keepOpen?: boolean | undefined;
  /** Called with the complete text of both streams after each change. */
  onText?: ((text: string, child: ChildHandle) => void) | undefined;
}

export interface ChildHandle {
  signal(name: NodeJS.Signals): void;
  write(text: string): void;
}

/** Arguments of Node that run the command from its sources. */
export const nodeArgs: readonly string[] = [
  ...packageFlags,
  fileURLToPath(new URL('../../src/main.ts', import.meta.url)),
];

/** Returns the environment of this process without the variables that the command reads, such as keys of models. */
function envWithoutSettings(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(THOLE_|GEMINI_|GOOGLE_|OPENAI_|AZURE_|ANTHROPIC_|CLOUD_ML_|AWS_)/.test(name),
    ),
  );
}

/** Runs the command from its sources in a separate process until it ends. */
export function spawnThole(args: readonly string[], options: SpawnOptions): Promise<Spawned> {
  const { cwd, input = '', env = {}, keepOpen, onText, closeOutput } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...nodeArgs, ...args], {
      cwd,
      stdio: 'pipe',
      env: { ...envWithoutSettings(), ...env },
    });
    let [output, errors] = ['', ''];
    const handle: ChildHandle = {
      signal: (name) => void child.kill(name),
      write: (text) => void child.stdin.write(text),
    };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      onText?.(output + errors, handle);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
      onText?.(output + errors, handle);
    });
    if (closeOutput) child.stdout.destroy();
    // The process may end before it has read everything.
    child.stdin.on('error', () => {});
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output, errors }));
    if (keepOpen) child.stdin.write(input);
    else child.stdin.end(input);
  });
}
