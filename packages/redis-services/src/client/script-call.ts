import type { ChainableCommander } from 'ioredis';
import type { RedisScript } from './redis-script.ts';

/** An argument of a script. */
export type ScriptArgument = string | number | Buffer;

/** A reply of a script. */
export type ScriptReply = string | number | null | Buffer | ScriptReply[];

/** A script with its keys and arguments. */
export interface ScriptCall {
  readonly script: RedisScript;
  readonly keys: readonly string[];
  readonly args?: readonly ScriptArgument[] | undefined;
  /** True if the reply contains buffers instead of strings. */
  readonly bytes?: boolean | undefined;
  /** Adds commands that run after the script, on the same connection. The reply is then the replies of the script and of each command, null for a command that failed. */
  readonly addCommands?: ((commands: ChainableCommander) => ChainableCommander) | undefined;
}

/** A command that is sent without a script. */
export type PlainCommand = 'ping' | { readonly info: string };
