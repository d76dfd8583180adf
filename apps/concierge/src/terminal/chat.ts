import { TholeError } from '@thole/core';
import type { Run } from '@thole/runner';
import type { Concierge } from '../concierge.ts';
import { commands } from './commands.ts';
import type { CommandContext } from './commands.ts';
import { errorLine } from './error-line.ts';
import { parseLine } from './parse-line.ts';
import { oneLine, plainText } from './plain-text.ts';
import { showRun } from './show-run.ts';

/** The chat, line by line: a line is done when `handle` resolves. No error leaves it; each is shown on one line. */
export class Chat {
  readonly #write: (text: string) => void;
  readonly #context: CommandContext;
  #pending: ((line: string) => Promise<boolean>) | undefined;
  #run: Run | undefined;
  #hasQuit = false;

  constructor(p: { concierge: Concierge; write: (text: string) => void }) {
    const print = (line: string): void => p.write(`${plainText(line)}\n`);
    this.#write = p.write;
    this.#context = {
      concierge: p.concierge,
      print,
      listed: undefined,
      ask: (question, answer) => {
        print(question);
        this.#pending = answer;
      },
      quit: () => {
        this.#hasQuit = true;
      },
    };
  }

  /** Whether somebody asked to leave. */
  get hasQuit(): boolean {
    return this.#hasQuit;
  }

  async handle(line: string): Promise<void> {
    try {
      const pending = this.#pending;
      this.#pending = undefined;
      if (pending && (await pending(line))) return;
      const parsed = parseLine(line);
      if (parsed.kind === 'message') await this.#say(parsed.text);
      if (parsed.kind === 'command') await this.#command(parsed.name, parsed.argument);
    } catch (error) {
      this.#context.print(TholeError.is(error, 'RUN_ABORTED') ? '(stopped)' : errorLine(error));
    }
  }

  /** Stops the answer that is being given; false when there is none. */
  interrupt(): boolean {
    if (!this.#run) return false;
    this.#run.abort('The guest interrupted.');
    return true;
  }

  /** Keeps the conversation in memory. Whether that worked; if not, the error was shown. */
  async close(): Promise<boolean> {
    try {
      await this.#context.concierge.close();
      return true;
    } catch (error) {
      this.#context.print(errorLine(error));
      return false;
    }
  }

  async #say(text: string): Promise<void> {
    this.#run = await this.#context.concierge.say(text);
    try {
      await showRun(this.#run, this.#write);
    } finally {
      this.#run = undefined;
    }
  }

  async #command(name: string, argument: string): Promise<void> {
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (command) await command.run(argument, this.#context);
    else this.#context.print(`There is no command /${oneLine(name, 40)}. /help lists the commands.`);
  }
}
