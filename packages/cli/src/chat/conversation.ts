import { TholeError } from '@thole/core';
import type { Run, Runner } from '@thole/runner';
import type { Host } from '../host.ts';
import { codedLine } from '../terminal/error-line.ts';
import { showRun } from '../terminal/show-run.ts';
import type { TerminalStyle } from '../terminal/terminal-style.ts';

/** Options of `Conversation`. */
export interface ConversationOptions {
  runner: Runner;
  userId: string;
  output: Host['output'];
  style: TerminalStyle;
  streaming: boolean;
  /** True to write the stacks of errors. */
  verbose: boolean;
  /** An existing session. Without one, a session is created for the first message. */
  sessionId: string | undefined;
}

/** A conversation of one user with an agent, in one session at a time. */
export class Conversation {
  readonly #options: ConversationOptions;
  #sessionId: string | undefined;
  #run: Run | undefined;

  constructor(options: ConversationOptions) {
    this.#options = options;
    this.#sessionId = options.sessionId;
  }

  /** Undefined before the first message of a new session. */
  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  /** Makes the next message start a new session. */
  startNewSession(): void {
    this.#sessionId = undefined;
  }

  /** Sends a message and writes the answer as it arrives. Errors are written too. Returns the outcome. */
  async send(message: string): Promise<'answered' | 'stopped' | 'failed'> {
    const { runner, userId, streaming, style, verbose } = this.#options;
    const write = (text: string): void => void this.#options.output.write(text);
    try {
      this.#sessionId ??= (await runner.sessionService.createSession({ appName: runner.appName, userId })).id;
      this.#run = runner.runAsync({
        userId,
        sessionId: this.#sessionId,
        newMessage: message,
        runConfig: { streamingMode: streaming ? 'sse' : 'none' },
      });
      await showRun(this.#run, { write, style });
      return 'answered';
    } catch (error) {
      const isStopped = TholeError.is(error, 'RUN_ABORTED');
      const line = isStopped ? '(stopped)' : codedLine(error, { verbose });
      write(`${style.paint(isStopped ? 'note' : 'error', line)}\n`);
      return isStopped ? 'stopped' : 'failed';
    } finally {
      this.#run = undefined;
    }
  }

  /** Stops the current answer. Returns false if there is none. */
  stop(): boolean {
    if (!this.#run) return false;
    this.#run.abort('The user interrupted the run.');
    return true;
  }
}
