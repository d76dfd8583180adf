import { TholeError } from '@thole/core';
import type { InboundMessage } from '../channel/inbound-message.ts';
import type { Role, User } from '../identity/user.ts';

/** The call of a command. */
export interface CommandCall {
  /** Text after the name, without surrounding white space. */
  argument: string;
  user: User;
  message: InboundMessage;
  signal: AbortSignal;
}

/** A command that users write into the chat. It is not sent to the model or added to memory. */
export interface SlashCommand {
  /** Lower-case letters, digits, `-` and `_`, without the slash. `help` is reserved. */
  name: string;
  aliases?: readonly string[] | undefined;
  /** Usage in the answer to `/help`, such as `/task <text>`. Default: `/name`. */
  usage?: string | undefined;
  /** Description of the command in the answer to `/help`. */
  help: string;
  /** Roles that may use the command. For other roles it does not exist. Default: all. */
  roles?: readonly Role[] | undefined;
  /**
   * Returns the answer as plain text, which is sent unchanged. If it throws, the error is reported and the user receives
   * `texts.commandFailed`. May run again after a crash.
   */
  run(call: CommandCall): Promise<string> | string;
}

/** The commands of an app, by name. */
export class SlashCommands {
  readonly #byName = new Map<string, SlashCommand>();
  readonly #commands: readonly SlashCommand[];

  /** Throws `INVALID_INPUT` for an invalid name or `help`, and `DUPLICATE_NAME` for two commands with one name. */
  constructor(commands: readonly SlashCommand[]) {
    this.#commands = commands;
    for (const command of commands)
      for (const name of [command.name, ...(command.aliases ?? [])]) {
        if (!NAME.test(name))
          throw new TholeError(
            'INVALID_INPUT',
            `The command name "${name}" must be lower-case letters, digits, "-" and "_".`,
          );
        if (name === 'help')
          throw new TholeError('INVALID_INPUT', `The command name "${name}" is reserved. Use another name.`);
        if (this.#byName.has(name))
          throw new TholeError('DUPLICATE_NAME', `Two commands have the name "${name}". Rename one of them.`);
        this.#byName.set(name, command);
      }
  }

  /** Returns the command with this name, if a user with this role may use it. */
  find(name: string, role: Role): SlashCommand | undefined {
    const command = this.#byName.get(name);
    return command && mayUse(command, role) ? command : undefined;
  }

  /** Returns the answer to `/help`. `others` are the commands of memory. */
  help(role: Role, others: readonly { usage: string; help: string }[]): string {
    const allowed = this.#commands.filter((command) => mayUse(command, role));
    const lines = allowed.map(({ name, usage = `/${name}`, help }) => ({ usage, help }));
    const all = [...lines, ...others, { usage: '/help', help: 'show this list' }];
    return all.map(({ usage, help }) => `${usage}: ${help}`).join('\n');
  }
}

/** The name and argument of a line that is a command. */
export interface CommandLine {
  name: string;
  argument: string;
}

const NAME = /^[a-z][a-z0-9_-]{0,31}$/;

/**
 * Returns the command in a text, or undefined if the text is a message. Reads `/name@bot` as `/name`. A path such as `/usr/bin` is
 * not a command.
 */
export function readCommand(text: string): CommandLine | undefined {
  const found = /^\/([A-Za-z][\w-]{0,31})(?:@\w+)?(?:\s+([^]*))?$/u.exec(text.trim());
  return found ? { name: found[1]!.toLowerCase(), argument: (found[2] ?? '').trim() } : undefined;
}

function mayUse({ roles }: SlashCommand, role: Role): boolean {
  return roles === undefined || roles.includes(role);
}
