import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface Spawned {
  code: number | null;
  output: string;
  errors: string;
}

export interface SpawnOptions {
  cwd: string;
  input?: string | undefined;
  env?: { readonly [name: string]: string } | undefined;
  /** Closes the output at once. */
  deaf?: boolean | undefined;
  /** Leaves the input open. */
  keepOpen?: boolean | undefined;
  /** Called with all that was written so far, to both streams, whenever there is more. */
  onText?: ((text: string, child: Handle) => void) | undefined;
}

export interface Handle {
  signal(name: NodeJS.Signals): void;
  write(text: string): void;
}

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const withoutSettings = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(THOLE_|GEMINI_|GOOGLE_|OPENAI_|AZURE_)/.test(name)),
);

/** Runs the command as a process of its own, on the sources, until it ends. */
export function spawnThole(args: readonly string[], options: SpawnOptions): Promise<Spawned> {
  const { cwd, input = '', env = {}, keepOpen, onText, deaf } = options;
  return new Promise((resolve, reject) => {
    const flags = ['--conditions=@thole/source', '--disable-warning=ExperimentalWarning'];
    const child = spawn(process.execPath, [...flags, main, ...args], {
      cwd,
      stdio: 'pipe',
      env: { ...withoutSettings, ...env },
    });
    let [output, errors] = ['', ''];
    const handle: Handle = {
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
    if (deaf) child.stdout.destroy();
    // It may leave before it has read everything.
    child.stdin.on('error', () => {});
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output, errors }));
    if (keepOpen) child.stdin.write(input);
    else child.stdin.end(input);
  });
}
