import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const folderOfApp = fileURLToPath(new URL('../../', import.meta.url));
const { scripts } = JSON.parse(readFileSync(`${folderOfApp}package.json`, 'utf8')) as { scripts: { start: string } };

// Programs start faster with compiled code of other programs of the test run.
const { NODE_COMPILE_CACHE } = process.env;

/** The program in a separate process, with the command of `npm start` and without keys. It is killed after the test. */
export class CompanionProcess {
  readonly #child: ReturnType<typeof spawn>;
  /** Exit code, null after a signal. */
  readonly ended: Promise<number | null>;
  output = '';
  errors = '';

  constructor(p: { data: string; args?: readonly string[]; env?: { readonly [name: string]: string } }) {
    const [, ...command] = scripts.start.split(' ');
    const env: NodeJS.ProcessEnv = {
      PATH: process.env['PATH'],
      TZ: 'UTC',
      ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
      ...p.env,
    };
    this.#child = spawn(process.execPath, [...command, '--data', p.data, ...(p.args ?? [])], {
      cwd: folderOfApp,
      env,
      stdio: 'pipe',
    });
    this.#child.stdout!.setEncoding('utf8').on('data', (text: string) => void (this.output += text));
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => void (this.errors += text));
    this.ended = new Promise((resolve) => this.#child.on('close', resolve));
    onTestFinished(async () => void (await this.kill()));
  }

  /** Writes a line. Resolves with the output after it when this output contains the expected text. */
  async say(line: string, expected: string | RegExp): Promise<string> {
    const from = this.output.length;
    this.#child.stdin!.write(`${line}\n`);
    return this.until(expected, from);
  }

  /** Resolves when the output contains a text. Throws after 100 seconds. */
  async until(expected: string | RegExp, from = 0): Promise<string> {
    const isFound = (): boolean => {
      const text = this.output.slice(from);
      return typeof expected === 'string' ? text.includes(expected) : expected.test(text);
    };
    for (let i = 0; i < 5_000 && !isFound(); i++) await new Promise((resolve) => setTimeout(resolve, 20));
    if (!isFound())
      throw new Error(`The output does not contain ${String(expected)}: ${this.output.slice(from)}${this.errors}`);
    return this.output.slice(from);
  }

  /** Peak memory of the process so far, in MiB. Undefined on platforms other than Linux. */
  peakMiB(): number | undefined {
    if (process.platform !== 'linux') return undefined;
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)![1]) / 1_024;
  }

  /** Ends the input, and resolves with the exit code. */
  end(): Promise<number | null> {
    this.#child.stdin!.end();
    return this.ended;
  }

  /** Sends a signal, and does not wait. */
  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Sends a signal, and resolves with the exit code. */
  kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<number | null> {
    this.#child.kill(signal);
    return this.ended;
  }
}
