import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { KeeperAnswer, KeeperRequest } from './keeper-messages.ts';
import { killTree, pauseTree, signalTree } from './process-tree.ts';

/** Options of a server process. */
export interface Program {
  name: string;
  command: string;
  args: readonly string[];
  /** Working folder of the server. Its log is there too. */
  folder: string;
  /** True if `remove` also removes the folder. */
  temporary: boolean;
  user?: { uid: number; gid: number } | undefined;
  /** Text of the log line after which the server accepts clients. */
  ready: RegExp;
  /** Signal that shuts the server down normally. */
  stopSignal: 'SIGINT' | 'SIGTERM';
}

/** A server that can be stopped, killed, paused, and started again with the same port and folder. It ends with this process. */
export class ServerProcess {
  readonly #program: Program;
  readonly #keeper: ChildProcess;
  #pid: number | undefined;
  #ended: string | undefined;

  private constructor(program: Program) {
    this.#program = program;
    this.#keeper = fork(join(import.meta.dirname, 'keeper.ts'), { execArgv: [], detached: true, stdio: 'ignore' });
    this.#keeper.unref();
    this.#keeper.channel?.unref();
    this.#keeper.on('error', (error) => (this.#ended = `its keeper failed: ${error.message}`));
    this.#keeper.on('message', (answer: KeeperAnswer) => {
      if ('started' in answer) this.#pid = answer.started;
      else [this.#pid, this.#ended] = [undefined, answer.ended];
    });
  }

  static async start(program: Program): Promise<ServerProcess> {
    const server = new ServerProcess(program);
    try {
      await server.#start();
      return server;
    } catch (error) {
      server.#keeper.disconnect();
      throw error;
    }
  }

  /** Id of the main process. Undefined while the server does not run. */
  get pid(): number | undefined {
    return this.#pid;
  }

  /** The server's output so far. */
  get log(): string {
    return existsSync(this.#logFile) ? readFileSync(this.#logFile, 'utf8') : '';
  }

  /** Shuts the server down normally. Its folder stays, for `restart()`. */
  async stop(): Promise<void> {
    if (this.#pid === undefined) return;
    signalTree(this.#pid, 'SIGCONT');
    process.kill(this.#pid, this.#program.stopSignal);
    if (!(await this.#until(() => this.#pid === undefined, 20_000))) await this.kill();
  }

  /** Kills all processes of the server, like a crash. */
  async kill(): Promise<void> {
    if (this.#pid === undefined) return;
    await killTree(this.#pid);
    if (!(await this.#until(() => this.#pid === undefined, 20_000))) throw this.#failure('did not die');
  }

  /** Pauses the server: it does not answer, but its connections stay open. */
  async pause(): Promise<void> {
    if (this.#pid !== undefined) await pauseTree(this.#pid);
  }

  async resume(): Promise<void> {
    if (this.#pid !== undefined) signalTree(this.#pid, 'SIGCONT');
  }

  /** Stops the server if it runs, starts it with the same folder, and waits until it accepts clients. */
  async restart(): Promise<void> {
    await this.stop();
    await this.#start();
  }

  /** Stops the server and removes its folder if it is temporary. */
  async remove(): Promise<void> {
    await this.stop();
    if (this.#keeper.connected) this.#keeper.disconnect();
    if (this.#program.temporary) rmSync(this.#program.folder, { recursive: true, force: true, maxRetries: 20 });
  }

  async #start(): Promise<void> {
    const { command, args, folder, user, ready, stopSignal, temporary } = this.#program;
    const logStart = existsSync(this.#logFile) ? statSync(this.#logFile).size : 0;
    this.#ended = undefined;
    const request: KeeperRequest = {
      ...{ command, args, cwd: folder, user, stopSignal, log: this.#logFile },
      folders: temporary ? [folder] : [],
    };
    this.#keeper.send(request);
    // The log can be ahead of the keeper's message. Without the pid, stop() and kill() would do nothing.
    const isReady = (): boolean =>
      this.#ended !== undefined || (this.#pid !== undefined && ready.test(this.log.slice(logStart)));
    if (!(await this.#until(isReady, 60_000))) {
      await this.kill();
      throw this.#failure('was not ready after 60 s');
    }
    const ended = this.#outcome();
    if (ended !== undefined) throw this.#failure(`ended at its start (${ended})`);
  }

  // A method, because the compiler assumes that the field has not changed since it was set.
  #outcome(): string | undefined {
    return this.#ended;
  }

  async #until(isDone: () => boolean, limitMs: number): Promise<boolean> {
    for (let waited = 0; !isDone(); waited += 10) {
      if (waited > limitMs) return false;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return true;
  }

  get #logFile(): string {
    return join(this.#program.folder, 'server.log');
  }

  #failure(what: string): Error {
    return new Error(`${this.#program.name} ${what}. The end of its log:\n${this.log.slice(-2_000)}`);
  }
}
