import { readCommand } from '../commands/slash-commands.ts';
import type { CommandLine } from '../commands/slash-commands.ts';
import type { StoredMessage } from '../delivery/delivery-store.ts';
import type { ConversationContext } from './conversation-context.ts';

/** The commands of one conversation: those of the app, `/help`, and those of memory with their questions. */
export class ConversationCommands {
  readonly #context: ConversationContext;

  constructor(context: ConversationContext) {
    this.#context = context;
  }

  /** Runs a command and answers it. Never rejects. */
  async run(stored: StoredMessage): Promise<void> {
    const { deps, isClosed } = this.#context;
    if (isClosed) return;
    let answer: string;
    try {
      answer = await this.#answerTo(readCommand(stored.message.text)!, stored);
    } catch (error) {
      if (this.#context.isClosed) return;
      this.#context.report('command', error);
      answer = deps.texts.commandFailed;
    }
    await this.#answer(stored, answer);
  }

  /** Lets the commands of memory see each text, because one may be the `yes` to their question. Returns the others. */
  async withoutAnswers(messages: readonly StoredMessage[]): Promise<StoredMessage[]> {
    const left: StoredMessage[] = [];
    for (const stored of messages) {
      const answer = await this.#answerOfMemory(stored);
      if (answer && !answer.isMessage) {
        await this.#answer(stored, answer.text);
        continue;
      }
      if (answer)
        await this.#context.persist(() => this.#context.replies(stored).note('command', stored.key, answer.text));
      left.push(stored);
    }
    return left;
  }

  async #answerTo({ argument, name }: CommandLine, { message }: StoredMessage): Promise<string> {
    const { deps, ref, signal, user } = this.#context;
    const { commands, texts } = deps;
    const own = commands.find(name, user.role);
    if (own) return own.run({ argument, user, message, signal });
    return this.#context.withParts(async (parts) => {
      if (name === 'help') return commands.help(user.role, parts.commands?.help ?? []);
      const answer = await parts.commands?.handle(`/${name} ${argument}`.trim(), ref, { signal });
      if (!answer) return texts.unknownCommand;
      return answer.isMessage ? `${answer.text}\n${texts.unknownCommand}` : answer.text;
    });
  }

  async #answerOfMemory({
    message,
  }: StoredMessage): Promise<{ text: string; isMessage?: boolean | undefined } | undefined> {
    if (message.files) return undefined;
    const { deps, ref, signal } = this.#context;
    try {
      return await this.#context.withParts(async ({ commands }) => {
        try {
          return await commands?.handle(message.text, ref, { signal });
        } catch (error) {
          if (this.#context.isClosed) return undefined;
          // A failed answer to a question is a failed command.
          this.#context.report('command', error);
          return { text: deps.texts.commandFailed };
        }
      });
    } catch {
      // There are no parts: the run reports the error.
      return undefined;
    }
  }

  async #answer(stored: StoredMessage, text: string): Promise<void> {
    const replies = this.#context.replies(stored);
    await this.#context.persist(() => replies.note('command', stored.key, text, stored.message.id));
    await this.#context.finish([stored]);
  }
}

/** True if a message is a command, handled alone. */
export function isCommand({ message }: StoredMessage): boolean {
  return !message.files && readCommand(message.text) !== undefined;
}
