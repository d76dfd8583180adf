import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { packageFlags } from '../servers/package-flags.ts';

/** A child program of `children/` or another path that exchanges lines of JSON. */
export class Child<Told> {
  /** All that it has told so far. */
  readonly told: Told[] = [];
  readonly #process: ChildProcess;
  readonly #ended: Promise<string>;
  #errors = '';
  #over: string | undefined;
  #read = 0;
  #wake = (): void => {};

  /**
   * It ends with the test, unless `isShared`: then the suite ends it. `under` is a command that starts it, such as `unshare`, with
   * its arguments.
   */
  constructor(
    what: string | { program: string; under?: readonly string[]; isShared?: boolean },
    ...args: readonly string[]
  ) {
    const { program, under = [], isShared = false } = typeof what === 'string' ? { program: what } : what;
    const file = resolve(import.meta.dirname, 'children', program);
    const [command, ...rest] = [...under, process.execPath, ...packageFlags, file, ...args];
    this.#process = spawn(command!, rest, { stdio: 'pipe' });
    this.#process.once('error', (error) => (this.#errors += String(error)));
    this.#process.stderr!.on('data', (chunk) => (this.#errors += String(chunk)));
    // A write to a killed child must not fail the test.
    this.#process.stdin!.on('error', () => {});
    createInterface({ input: this.#process.stdout! }).on('line', (line) => {
      // Of one that was killed the last line may be half a line.
      if (!line.endsWith('}')) return;
      this.told.push(JSON.parse(line) as Told);
      this.#wake();
    });
    this.#ended = new Promise((settle) => {
      this.#process.once('close', (code, signal) => {
        this.#over = `${program} ended with ${signal ?? code}. ${this.#errors}`;
        this.#wake();
        settle(this.#over);
      });
    });
    if (!isShared) onTestFinished(() => this.end());
  }

  say(message: object): void {
    this.#process.stdin!.write(`${JSON.stringify(message)}\n`);
  }

  /** Returns its next line. Throws if it has ended. */
  async next(): Promise<Told> {
    while (this.#read === this.told.length) {
      if (this.#over !== undefined) throw new Error(this.#over);
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    return this.told[this.#read++]!;
  }

  /** True if it has sent more than N lines. Throws if it has ended. */
  hasToldMoreThan(count: number): boolean {
    if (this.#over !== undefined) throw new Error(this.#over);
    return this.told.length > count;
  }

  /** Resolves once it has ended with 0; throws with what it said otherwise. */
  async finished(): Promise<void> {
    const over = await this.#ended;
    if (this.#process.exitCode !== 0) throw new Error(over);
  }

  /** Ends it if it still runs. */
  async end(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#ended;
  }

  /** At once, wherever it is; resolves when all it told has been read. */
  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#ended;
    if (this.#process.signalCode !== 'SIGKILL') throw new Error(this.#over);
  }

  pause(): void {
    this.#process.kill('SIGSTOP');
  }

  resume(): void {
    this.#process.kill('SIGCONT');
  }
}
