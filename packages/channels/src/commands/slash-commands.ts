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

/** A command that users write into the chat. The model and memory never see it. */
export interface SlashCommand {
  /** Lower-case letters, digits, `-` and `_`, without the slash. */
  name: string;
  aliases?: readonly string[] | undefined;
  /** Usage in the answer to `/help`, such as `/task <text>`. Default: `/name`. */
  usage?: string | undefined;
  help: string;
  /** Roles that may use it; for others it does not exist. Default: all. */
  roles?: readonly Role[] | undefined;
  /** Returns the answer. An error is logged, and the user is told that the command failed. May run again after a crash. */
  run(call: CommandCall): Promise<string> | string;
}
