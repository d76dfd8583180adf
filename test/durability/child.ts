import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { packageFlags } from '../servers/package-flags.ts';

/** A child process that exchanges lines of JSON with a test. `Told` is the type of its lines. */
export class Child<Told> {
  /** All lines of the child so far. */
  readonly told: Told[] = [];
  readonly #process: ChildProcess;
  readonly #ended: Promise<string>;
  #errors = '';
  #endReason: string | undefined;
  #read = 0;
  #wake = (): void => {};

  /**
   * Starts a program, by its path relative to `children/`. It ends with the test, or with the suite if `isShared` is true. `launcher`
   * is a command with arguments that starts the program, such as `unshare`.
   */
  constructor(
    options: string | { program: string; launcher?: readonly string[]; isShared?: boolean },
    ...args: readonly string[]
  ) {
    const { program, launcher = [], isShared = false } = typeof options === 'string' ? { program: options } : options;
    const file = resolve(import.meta.dirname, 'children', program);
    const [command, ...rest] = [...launcher, process.execPath, ...packageFlags, file, ...args];
    this.#process = spawn(command!, rest, { stdio: 'pipe' });
    this.#process.once('error', (error) => (this.#errors += String(error)));
    this.#process.stderr!.on('data', (chunk) => (this.#errors += String(chunk)));
    // A write to a killed child must not fail the test.
    this.#process.stdin!.on('error', () => {});
    createInterface({ input: this.#process.stdout! }).on('line', (line) => {
      // The last line of a killed child may be incomplete.
      if (!line.endsWith('}')) return;
      this.told.push(JSON.parse(line) as Told);
      this.#wake();
    });
    this.#ended = new Promise((settle) => {
      this.#process.once('close', (code, signal) => {
        this.#endReason = `${program} ended with ${signal ?? code}. ${this.#errors}`;
        this.#wake();
        settle(this.#endReason);
      });
    });
    if (!isShared) onTestFinished(() => this.end());
  }

  /** Sends a line to the child. */
  say(message: object): void {
    this.#process.stdin!.write(`${JSON.stringify(message)}\n`);
  }

  /** Returns the child's next line. Throws if the child has ended. */
  async next(): Promise<Told> {
    while (this.#read === this.told.length) {
      if (this.#endReason !== undefined) throw new Error(this.#endReason);
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    return this.told[this.#read++]!;
  }

  /** True if the child has sent more than N lines. Throws if it has ended. */
  hasSentMoreThan(count: number): boolean {
    if (this.#endReason !== undefined) throw new Error(this.#endReason);
    return this.told.length > count;
  }

  /** Resolves when the child has ended with 0. Otherwise throws an error with its error output. */
  async finished(): Promise<void> {
    const endReason = await this.#ended;
    if (this.#process.exitCode !== 0) throw new Error(endReason);
  }

  /** Kills the child if it still runs. */
  async end(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#ended;
  }

  /** Kills the child. Resolves when all its lines have been read. Throws if it had already ended by itself. */
  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#ended;
    if (this.#process.signalCode !== 'SIGKILL') throw new Error(this.#endReason);
  }

  pause(): void {
    this.#process.kill('SIGSTOP');
  }

  resume(): void {
    this.#process.kill('SIGCONT');
  }
}
