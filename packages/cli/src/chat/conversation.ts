import { TholeError } from '@thole/core';
import type { Run, Runner } from '@thole/runner';
import { codedLine } from '../terminal/error-line.ts';
import type { Look } from '../terminal/look.ts';
import { RunOutput } from '../terminal/run-output.ts';
import { showRun } from '../terminal/show-run.ts';
import type { Host } from '../host.ts';

/** One session of one user, and what is said in it. Made with its first message, unless it is there. */
export class Conversation {
  readonly #runner: Runner;
  readonly #userId: string;
  readonly #output: Host['output'];
  readonly #look: Look;
  readonly #streaming: boolean;
  readonly #verbose: boolean;
  #sessionId: string | undefined;
  #run: Run | undefined;

  constructor(p: {
    runner: Runner;
    userId: string;
    output: Host['output'];
    look: Look;
    streaming: boolean;
    /** Whether the stack of an error is written too. */
    verbose: boolean;
    sessionId: string | undefined;
  }) {
    this.#runner = p.runner;
    this.#userId = p.userId;
    this.#output = p.output;
    this.#look = p.look;
    this.#streaming = p.streaming;
    this.#verbose = p.verbose;
    this.#sessionId = p.sessionId;
  }

  /** Undefined until something was said. */
  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  /** The next message begins another session. */
  startAnew(): void {
    this.#sessionId = undefined;
  }

  /** Says something and writes the answer as it comes. How it ended; an error was written. */
  async say(message: string): Promise<'answered' | 'stopped' | 'failed'> {
    const { appName, sessionService } = this.#runner;
    try {
      this.#sessionId ??= (await sessionService.createSession({ appName, userId: this.#userId })).id;
      this.#run = this.#runner.runAsync({
        userId: this.#userId,
        sessionId: this.#sessionId,
        newMessage: message,
        runConfig: { streamingMode: this.#streaming ? 'sse' : 'none' },
      });
      await showRun(this.#run, new RunOutput((text) => void this.#output.write(text), this.#look));
      return 'answered';
    } catch (error) {
      const stopped = TholeError.is(error, 'RUN_ABORTED');
      const line = stopped ? '(stopped)' : codedLine(error, { verbose: this.#verbose });
      this.#output.write(`${this.#look.paint(stopped ? 'note' : 'error', line)}\n`);
      return stopped ? 'stopped' : 'failed';
    } finally {
      this.#run = undefined;
    }
  }

  /** Stops the answer that is being given; false when there is none. */
  stop(): boolean {
    if (!this.#run) return false;
    this.#run.abort('The user interrupted.');
    return true;
  }
}
