import type { TimedCall } from './call-deadlines.ts';
import type { PlainCommand, ScriptCall, ScriptReply } from './script-call.ts';

/** Settles the promise of a call. */
export type Settle = (value: unknown) => void;

/** A call in progress. */
export class PendingCall implements TimedCall {
  readonly startedAt: number;
  readonly call: ScriptCall | PlainCommand;
  readonly isWrite: boolean;
  /** Converts the reply for the caller. */
  readonly convert: (reply: ScriptReply) => unknown;
  readonly resolve: Settle;
  readonly reject: Settle;
  /** True if the call was passed to the client. */
  isSent = false;
  /** The client's connection at that time. */
  connection: unknown;
  /** True if the server's clock was measured again for this call. */
  hasRemeasuredClock = false;

  constructor(
    startedAt: number,
    call: ScriptCall | PlainCommand,
    isWrite: boolean,
    convert: (reply: ScriptReply) => unknown,
    resolve: Settle,
    reject: Settle,
  ) {
    this.startedAt = startedAt;
    this.call = call;
    this.isWrite = isWrite;
    this.convert = convert;
    this.resolve = resolve;
    this.reject = reject;
  }
}
