import type { TimedCall } from './call-deadlines.ts';
import type { RedisScript } from './redis-script.ts';

/** What a script is given: text, numbers, bytes. */
export type ScriptArgument = string | number | Buffer;

/** What a script answers. */
export type ScriptReply = string | number | null | Buffer | ScriptReply[];

/** One script with what it is given. */
export interface ScriptCall {
  readonly script: RedisScript;
  readonly keys: readonly string[];
  readonly args?: readonly ScriptArgument[] | undefined;
  /** Answers bytes instead of text. */
  readonly bytes?: boolean | undefined;
}

/** What is asked without a script. */
export type PlainCommand = 'ping' | { readonly info: string };

/** Settles the promise of a call. */
export type Settle = (value: unknown) => void;

/** For answers that nothing is to be made of. */
export const identity = (answer: ScriptReply): ScriptReply => answer;

/** A call under way. */
export class PendingCall implements TimedCall {
  readonly began: number;
  readonly call: ScriptCall | PlainCommand;
  readonly isWrite: boolean;
  readonly understand: (answer: ScriptReply) => unknown;
  readonly resolve: Settle;
  readonly reject: Settle;
  /** Whether it was handed to the client. */
  sent = false;
  /** What the client was connected by then. */
  sentBy: unknown;
  /** Whether the clock was measured anew for it. */
  measured = false;

  constructor(
    began: number,
    call: ScriptCall | PlainCommand,
    isWrite: boolean,
    understand: (answer: ScriptReply) => unknown,
    resolve: Settle,
    reject: Settle,
  ) {
    this.began = began;
    this.call = call;
    this.isWrite = isWrite;
    this.understand = understand;
    this.resolve = resolve;
    this.reject = reject;
  }
}
