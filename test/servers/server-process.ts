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
  /** Its working folder, which also takes its log. */
  folder: string;
  /** True to remove the folder with the server. */
  temporary: boolean;
  user?: { uid: number; gid: number } | undefined;
  /** Text of the log line after which the server accepts clients. */
  ready: RegExp;
  /** Asks it to end in good order. */
  stopSignal: 'SIGINT' | 'SIGTERM';
}

/** A server that can be stopped in every way and started again on the same port and folder. Gone with this process. */
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

  /** Of its main process while it runs. */
  get pid(): number | undefined {
    return this.#pid;
  }

  /** Everything it has said so far. */
  get log(): string {
    return existsSync(this.#logFile) ? readFileSync(this.#logFile, 'utf8') : '';
  }

  /** Ends it in good order; its folder stays, for `restart()`. */
  async stop(): Promise<void> {
    if (this.#pid === undefined) return;
    signalTree(this.#pid, 'SIGCONT');
    process.kill(this.#pid, this.#program.stopSignal);
    if (!(await this.#until(() => this.#pid === undefined, 20_000))) await this.kill();
  }

  /** Ends it at once, all its processes, as a crash would. */
  async kill(): Promise<void> {
    if (this.#pid === undefined) return;
    await killTree(this.#pid);
    if (!(await this.#until(() => this.#pid === undefined, 20_000))) throw this.#failure('did not die');
  }

  /** It answers nothing more, but its connections stay open. */
  async pause(): Promise<void> {
    if (this.#pid !== undefined) await pauseTree(this.#pid);
  }

  async resume(): Promise<void> {
    if (this.#pid !== undefined) signalTree(this.#pid, 'SIGCONT');
  }

  /** Stops it if it runs, starts it on the same folder, and waits until it takes clients. */
  async restart(): Promise<void> {
    await this.stop();
    await this.#start();
  }

  /** Ends it for good and removes its folder. */
  async remove(): Promise<void> {
    await this.stop();
    if (this.#keeper.connected) this.#keeper.disconnect();
    if (this.#program.temporary) rmSync(this.#program.folder, { recursive: true, force: true, maxRetries: 20 });
  }

  async #start(): Promise<void> {
    const { command, args, folder, user, ready, stopSignal, temporary } = this.#program;
    const said = existsSync(this.#logFile) ? statSync(this.#logFile).size : 0;
    this.#ended = undefined;
    const request: KeeperRequest = {
      ...{ command, args, cwd: folder, user, stopSignal, log: this.#logFile },
      folders: temporary ? [folder] : [],
    };
    this.#keeper.send(request);
    // The log can be ahead of the keeper's message. Without the pid, stop() and kill() would do nothing.
    const isReady = (): boolean =>
      this.#ended !== undefined || (this.#pid !== undefined && ready.test(this.log.slice(said)));
    if (!(await this.#until(isReady, 60_000))) {
      await this.kill();
      throw this.#failure('was not ready after 60 s');
    }
    const ended = this.#outcome();
    if (ended !== undefined) throw this.#failure(`ended at its start (${ended})`);
  }

  // A method: the compiler would believe that nothing has happened to the field since it was set.
  #outcome(): string | undefined {
    return this.#ended;
  }

  async #until(holds: () => boolean, limitMs: number): Promise<boolean> {
    for (let waited = 0; !holds(); waited += 10) {
      if (waited > limitMs) return false;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return true;
  }

  get #logFile(): string {
    return join(this.#program.folder, 'server.log');
  }

  #failure(what: string): Error {
    return new Error(`${this.#program.name} ${what}. It said:\n${this.log.slice(-2_000)}`);
  }
}
