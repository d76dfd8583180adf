import { TholeError } from '@thole/core';

/** Messages of errors with which the client rejects a call that it has never sent. */
const NOT_SENT = /enableOfflineQueue options is false|^Cluster is disconnect|^None of startup nodes is available/;

/** The error code at the start of a reply, also if a script ran into the error. */
const CODE = /^(?:ERR Error running script[^]*?@user_script:\s*\d+:\s*-?)?([A-Z][A-Z\d]{2,})\b/;

/** Codes of errors whose messages contain no stored values. These messages are repeated to the caller. */
const SAFE_CODES =
  /^(OOM|READONLY|LOADING|MASTERDOWN|BUSY|NOREPLICAS|MISCONF|CLUSTERDOWN|CROSSSLOT|TRYAGAIN|NOAUTH|NOPERM|WRONGPASS|MOVED|ASK)$/;

/** Codes of errors that remain until the user, the password or the rules of the user are corrected. */
const DENIED = /^(NOAUTH|NOPERM|WRONGPASS)\b/;
/** Message with the general code, if the user may call a script, but not a command or key of the script. */
const DENIED_IN_SCRIPT = /^ERR (?=The user executing the script can't )/;

/** A call that failed. */
export interface FailedCall {
  readonly isWrite: boolean;
  /** True if the call was passed to the client. */
  readonly isSent: boolean;
  /** True if the client may have sent the call twice. */
  readonly isSentAgain?: boolean | undefined;
  /** Name of the server for messages. */
  readonly server?: string | undefined;
}

/** The end of a message about an unknown command. It contains arguments of the call. */
const ARGUMENTS = /, with args[^\n]*/;

/**
 * Returns the error for the caller, with the client's error as its cause, without the arguments of the call. After an error reply, the
 * call did nothing: `STORE_UNAVAILABLE`. After an error reply to the second attempt of a write, the first attempt may have been done:
 * `STORE_OUTCOME_UNKNOWN`. A write without a reply has the same code. Messages that may contain stored values are reduced to their code.
 */
export function mapRedisError(error: unknown, call: FailedCall): TholeError {
  if (TholeError.is(error)) return error;
  const { isWrite, isSent, isSentAgain = false, server = 'Redis' } = call;
  const text = error instanceof Error ? error.message : '';
  if (isReplyError(error)) {
    removeArguments(error);
    const reason = reasonOf(text.replace(DENIED_IN_SCRIPT, 'NOPERM '));
    const refused = `${server} refused the call: ${reason}.`;
    if (isWrite && isSentAgain) {
      const message = `${refused} An earlier attempt, before the connection was cut, may have been done.`;
      return new TholeError('STORE_OUTCOME_UNKNOWN', message, { cause: error });
    }
    if (!DENIED.test(reason)) return new TholeError('STORE_UNAVAILABLE', refused, { cause: error });
    const message = `${refused} Check the user, the password and the ACL rules of the user.`;
    return new TholeError('STORE_UNAVAILABLE', message, { cause: error, retryable: false });
  }
  const reason = text === '' ? '' : `: ${text.replace(/\.$/, '')}`;
  if (!isWrite || !isSent || NOT_SENT.test(text)) {
    return new TholeError('STORE_UNAVAILABLE', `${server} cannot be reached${reason}.`, { cause: error });
  }
  const message = `${server} did not answer${reason}. The write may have been done.`;
  return new TholeError('STORE_OUTCOME_UNKNOWN', message, { cause: error });
}

/** Removes the arguments that ioredis and the server add to an error reply: they contain stored values, and causes are logged. */
function removeArguments(error: Error & { command?: { name?: unknown } | undefined }): void {
  if (error.command !== undefined) error.command = { name: error.command.name };
  if (!ARGUMENTS.test(error.message)) return;
  const { message, stack } = error;
  error.message = message.replace(ARGUMENTS, '');
  if (stack !== undefined) error.stack = stack.replace(ARGUMENTS, '');
}

function reasonOf(text: string): string {
  const [prefix = '', code = 'ERR'] = CODE.exec(text) ?? [];
  if (!SAFE_CODES.test(code)) return code;
  const message = text.slice(prefix.length).split(/\n|\.? script: |, on @user_script/)[0]!;
  return `${code}${message}`.replace(/\.$/, '');
}

/** True if the error is a reply of the server, not an error of the client. */
export function isReplyError(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ReplyError';
}

/** True if the server does not know the script that EVALSHA named. */
export function isNoScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT');
}
