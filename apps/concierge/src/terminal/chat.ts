import { codedLine, oneLine, plainText, showRun } from '@thole/cli/terminal';
import type { TerminalStyle } from '@thole/cli/terminal';
import { TholeError } from '@thole/core';
import type { Concierge, EndedConversation } from '../concierge.ts';

const HELP = `  /new               end this conversation, keep it in memory, and start another
  /reset             as /new, and remove the conversation from the list
  /sessions          list the conversations of this guest
  /remember <fact>   remember a fact, word for word
  /memory [query]    show memories, or those that match a query
  /forget [number]   forget everything (asks first), or one line of /memory
  /guest <name>      switch to another guest; this conversation ends and is kept in memory
  /help              show this text
  /quit              end the conversation, keep it in memory, and leave
  Everything else is a message to the concierge.`;

/** The commands that the chat handles itself. `Concierge` handles the memory commands. */
const OWN_COMMANDS: readonly string[] = ['new', 'sessions', 'guest', 'help', 'quit'];

/** Options of a `Chat`. */
export interface ChatOptions {
  concierge: Concierge;
  write: (text: string) => void;
  style: TerminalStyle;
  /** True to print stacks of errors. */
  verbose: boolean;
}

/** A chat in a terminal or a pipe. Its methods do not throw: each error is printed on one line. */
export class Chat {
  readonly #options: ChatOptions;
  /** True after `/quit`. */
  hasQuit = false;
  /** Aborts the current answer or command. */
  #work: AbortController | undefined;

  constructor(options: ChatOptions) {
    this.#options = options;
  }

  /** Handles a line. Resolves after its answer was printed. */
  async handle(line: string): Promise<void> {
    await this.#runStoppable((signal) => this.#handle(line.trim(), signal));
  }

  /** Stops the current answer or extraction of facts. Returns false if there is nothing to stop. */
  interrupt(): boolean {
    if (!this.#work || this.#work.signal.aborted) return false;
    this.#work.abort(new TholeError('RUN_ABORTED', 'The guest interrupted.'));
    return true;
  }

  /** Adds the conversation to memory. Returns false after an error, which was printed. */
  close(): Promise<boolean> {
    return this.#runStoppable(async (signal) => this.#printDelay(await this.#options.concierge.close(signal)));
  }

  async #handle(text: string, signal: AbortSignal): Promise<void> {
    const { concierge } = this.#options;
    const [, word, argument = ''] = /^\/(\S*)\s*([^]*)$/u.exec(text) ?? [];
    const name = word?.toLowerCase();
    const isOwn = name !== undefined && OWN_COMMANDS.includes(name);
    // Every line answers an open question of `/forget`. The chat's own commands are passed as an empty line, which means no.
    const answer = await concierge.command(isOwn ? '' : text, signal);
    if (answer) this.#print(answer.text);
    if (isOwn) return this.#runCommand(name, argument, signal);
    if (text === '' || (answer && !answer.isMessage)) return;
    if (name !== undefined) this.#print(`There is no command /${oneLine(name, 40)}. /help lists the commands.`);
    else await showRun(concierge.say(text, signal), this.#options);
  }

  async #runCommand(name: string, argument: string, signal: AbortSignal): Promise<void> {
    const { concierge } = this.#options;
    switch (name) {
      case 'new':
        this.#printEnd(await concierge.startNewConversation(signal));
        return this.#print('A new conversation starts.');
      case 'sessions':
        return this.#printConversations();
      case 'guest':
        if (argument === '')
          return this.#print(`The guest is ${concierge.guest}. Write /guest <name> to change the guest.`);
        this.#printEnd(await concierge.startNewConversation(signal, argument));
        return this.#print(`The guest is now ${concierge.guest}.`);
      case 'help':
        return this.#print(HELP);
      default:
        this.hasQuit = true;
    }
  }

  #printEnd(ended: EndedConversation): void {
    if (ended.isAdded) this.#print('The conversation was added to memory.');
    this.#printDelay(ended);
  }

  #printDelay({ extractionError: error }: EndedConversation): void {
    if (error === undefined) return;
    const reason = TholeError.is(error) ? error.code : error instanceof Error ? error.name : 'stopped';
    this.#print(`(Facts are extracted from it later: ${reason}.)`);
  }

  async #printConversations(): Promise<void> {
    const { guest, sessionId } = this.#options.concierge;
    const conversations = await this.#options.concierge.conversations();
    if (conversations.length === 0) this.#print(`${guest} has had no conversation yet.`);
    for (const { id, lastUpdateTime, lastSeq } of conversations) {
      const time = new Date(lastUpdateTime * 1000).toISOString().slice(0, 16).replace('T', ' ');
      this.#print(`  ${time}  ${lastSeq} events  ${id}${id === sessionId ? '  (this one)' : ''}`);
    }
  }

  /** Runs work that `interrupt` can stop. Returns false after an error, which was printed. */
  async #runStoppable(work: (signal: AbortSignal) => Promise<void>): Promise<boolean> {
    this.#work = new AbortController();
    try {
      await work(this.#work.signal);
      return true;
    } catch (error) {
      const { write, style, verbose } = this.#options;
      const isStopped = TholeError.is(error, 'RUN_ABORTED');
      const line = isStopped ? '(stopped)' : codedLine(error, { verbose });
      write(`${style.paint(isStopped ? 'note' : 'error', line)}\n`);
      return false;
    } finally {
      this.#work = undefined;
    }
  }

  #print(text: string): void {
    this.#options.write(`${plainText(text)}\n`);
  }
}
