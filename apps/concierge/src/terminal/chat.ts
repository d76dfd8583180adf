import { TholeError } from '@thole/core';
import type { Run } from '@thole/runner';
import type { Concierge } from '../concierge.ts';
import { commands, printDelay } from './commands.ts';
import type { CommandContext } from './commands.ts';
import { errorLine } from './error-line.ts';
import { parseLine } from './parse-line.ts';
import { plainLook } from './look.ts';
import type { Look } from './look.ts';
import { oneLine, plainText } from './plain-text.ts';
import { RunOutput } from './run-output.ts';
import { showRun } from './show-run.ts';

/** The chat, line by line: a line is done when `handle` resolves. It never throws; each error is shown on one line. */
export class Chat {
  readonly #write: (text: string) => void;
  readonly #verbose: boolean;
  readonly #look: Look;
  readonly #context: Omit<CommandContext, 'signal'>;
  #run: Run | undefined;
  #hasQuit = false;
  /** Set while a command runs, which may add the conversation to memory. */
  #working: AbortController | undefined;

  constructor(p: {
    concierge: Concierge;
    write: (text: string) => void;
    /** True to print stacks of errors. Default: false. */
    verbose?: boolean | undefined;
    /** Default: no colours. */
    look?: Look | undefined;
  }) {
    this.#write = p.write;
    this.#verbose = p.verbose ?? false;
    this.#look = p.look ?? plainLook;
    this.#context = {
      concierge: p.concierge,
      print: (text) => p.write(`${plainText(text)}\n`),
      quit: () => void (this.#hasQuit = true),
    };
  }

  /** True if the guest asked to leave. */
  get hasQuit(): boolean {
    return this.#hasQuit;
  }

  async handle(line: string): Promise<void> {
    const { concierge, print } = this.#context;
    try {
      const parsed = parseLine(line);
      const own = parsed.kind === 'command' && Object.hasOwn(commands, parsed.name) ? commands[parsed.name] : undefined;
      // Memory's commands receive every line. For the chat's own commands they receive an empty line, which is not a
      // yes.
      const answer = await this.#stoppable((signal) => concierge.command(own ? '' : line, signal));
      if (answer) print(answer.text);
      if (own && parsed.kind === 'command')
        return await this.#stoppable((signal) => own.run(parsed.argument, { ...this.#context, signal }));
      if (answer && !answer.isMessage) return;
      if (parsed.kind === 'message') await this.#say(parsed.text);
      if (parsed.kind === 'command')
        print(`There is no command /${oneLine(parsed.name, 40)}. /help lists the commands.`);
    } catch (error) {
      const line = TholeError.is(error, 'RUN_ABORTED') ? '(stopped)' : errorLine(error, { verbose: this.#verbose });
      this.#write(`${this.#look.paint(line === '(stopped)' ? 'note' : 'error', line)}\n`);
    }
  }

  /** Stops the current answer or extraction. Returns false if there is nothing to stop. */
  interrupt(): boolean {
    if (this.#run) this.#run.abort('The guest interrupted.');
    else if (this.#working?.signal.aborted === false)
      this.#working.abort(new TholeError('RUN_ABORTED', 'The guest interrupted.'));
    else return false;
    return true;
  }

  /** Adds the conversation to memory. Returns false after an error, which was shown. */
  async close(): Promise<boolean> {
    const { concierge, print } = this.#context;
    try {
      printDelay(await this.#stoppable((signal) => concierge.close(signal)), print);
      return true;
    } catch (error) {
      print(errorLine(error, { verbose: this.#verbose }));
      return false;
    }
  }

  async #stoppable<T>(work: (signal: AbortSignal) => Promise<T> | T): Promise<T> {
    const working = (this.#working = new AbortController());
    try {
      return await work(working.signal);
    } finally {
      this.#working = undefined;
    }
  }

  async #say(text: string): Promise<void> {
    this.#run = await this.#context.concierge.say(text);
    try {
      await showRun(this.#run, new RunOutput(this.#write, this.#look));
    } finally {
      this.#run = undefined;
    }
  }
}
