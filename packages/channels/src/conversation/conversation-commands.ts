import { readCommand } from '../commands/slash-commands.ts';
import type { CommandLine } from '../commands/slash-commands.ts';
import type { StoredMessage } from '../delivery/delivery-store.ts';
import type { ConversationContext } from './conversation-context.ts';

/** The commands of one conversation: commands of the app, `/help`, and commands of memory with their questions. */
export class ConversationCommands {
  readonly #context: ConversationContext;
  /** The message of the last memory command, which may have asked a question. */
  #lastCommand: StoredMessage['message'] | undefined;

  constructor(context: ConversationContext) {
    this.#context = context;
  }

  /** Runs a command and sends its answer. Never rejects. */
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

  /** Handles the messages that answer a question of a memory command, such as the `yes` after `/forget`. Returns the others. */
  async handleMemoryAnswers(messages: readonly StoredMessage[]): Promise<StoredMessage[]> {
    const remaining: StoredMessage[] = [];
    for (const stored of messages) {
      const answer = await this.#readMemoryAnswer(stored);
      if (answer && !answer.isMessage) {
        await this.#answer(stored, answer.text);
        continue;
      }
      if (answer) await this.#context.createReplies(stored).sendNote('command', stored.key, answer.text);
      remaining.push(stored);
    }
    return remaining;
  }

  async #answerTo({ argument, name }: CommandLine, { message }: StoredMessage): Promise<string> {
    const { deps, ref, signal, user } = this.#context;
    const { commands, texts } = deps;
    const own = commands.find(name, user.role);
    if (own) return own.run({ argument, user, message, signal });
    this.#lastCommand = message;
    return this.#context.withParts(async (parts) => {
      if (name === 'help') return commands.help(user.role, parts.commands?.help ?? []);
      const answer = await parts.commands?.handle(`/${name} ${argument}`.trim(), ref, { signal });
      if (!answer) return texts.unknownCommand;
      return answer.isMessage ? `${answer.text}\n${texts.unknownCommand}` : answer.text;
    });
  }

  async #readMemoryAnswer({
    message,
  }: StoredMessage): Promise<{ text: string; isMessage?: boolean | undefined } | undefined> {
    if (message.files) return undefined;
    // A yes in a group does not answer a question in a private chat.
    if (this.#lastCommand && this.#lastCommand.group?.id !== message.group?.id) return undefined;
    const { deps, ref, signal } = this.#context;
    try {
      return await this.#context.withParts(async ({ commands }) => {
        try {
          return await commands?.handle(message.text, ref, { signal });
        } catch (error) {
          if (this.#context.isClosed) return undefined;
          // A failure here is a failure of the command that asked.
          this.#context.report('command', error);
          return { text: deps.texts.commandFailed };
        }
      });
    } catch {
      // The parts cannot be created. The run reports this error.
      return undefined;
    }
  }

  async #answer(stored: StoredMessage, text: string): Promise<void> {
    await this.#context.createReplies(stored).sendNote('command', stored.key, text, stored.message.id);
    await this.#context.finish([stored]);
  }
}

/** True if a message is a command. */
export function isCommand({ message }: StoredMessage): boolean {
  return !message.files && readCommand(message.text) !== undefined;
}
