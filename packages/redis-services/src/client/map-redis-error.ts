import { TholeError } from '@thole/core';

/** The client says these of what it never sent. */
const NOT_SENT = /enableOfflineQueue options is false|^Cluster is disconnect|^None of startup nodes is available/;

/** The code that an answer of the server begins with, also where a script met it. */
const CODE = /^(?:ERR Error running script[^]*?@user_script:\s*\d+:\s*-?)?([A-Z][A-Z\d]{2,})\b/;

/** Codes whose sentences are fixed texts or name servers, commands and users: they are repeated. Others may quote values. */
const TELLING =
  /^(OOM|READONLY|LOADING|MASTERDOWN|BUSY|NOREPLICAS|MISCONF|CLUSTERDOWN|CROSSSLOT|TRYAGAIN|NOAUTH|NOPERM|WRONGPASS|MOVED|ASK)$/;

/** What is known of the call that failed. */
export interface FailedCall {
  readonly isWrite: boolean;
  /** Whether it was handed to the client. */
  readonly wasSent: boolean;
  /** Whether the client may have sent it twice. */
  readonly sentAgain?: boolean | undefined;
  /** Names the server in messages. */
  readonly server?: string | undefined;
}

/**
 * Returns the error for the caller. What the server answered did not happen: `STORE_UNAVAILABLE` with the server's code, for it
 * refuses before it does anything, and scripts ask first. Only where the client sent the call again may the first one have been
 * done: `STORE_OUTCOME_UNKNOWN`, as for a write that was not answered. The client's own error is the cause; of a
 * sentence of the server that may quote values only the code is repeated.
 */
export function mapRedisError(error: unknown, call: FailedCall): TholeError {
  if (TholeError.is(error)) return error;
  const { isWrite, wasSent, sentAgain = false, server = 'Redis' } = call;
  const text = error instanceof Error ? error.message : '';
  if (isReplyError(error)) {
    const refused = `${server} refused: ${reasonOf(text)}`;
    if (!(isWrite && sentAgain)) return new TholeError('STORE_UNAVAILABLE', `${refused}.`, { cause: error });
    const sentence = `${refused}, when it was sent again after the connection was cut; the first may have been done.`;
    return new TholeError('STORE_OUTCOME_UNKNOWN', sentence, { cause: error });
  }
  const reason = text === '' ? '' : `: ${text.replace(/\.$/, '')}`;
  if (!isWrite || !wasSent || NOT_SENT.test(text)) {
    return new TholeError('STORE_UNAVAILABLE', `${server} cannot be reached${reason}.`, { cause: error });
  }
  const sentence = `${server} did not answer${reason}. What was asked for may have happened.`;
  return new TholeError('STORE_OUTCOME_UNKNOWN', sentence, { cause: error });
}

function reasonOf(text: string): string {
  const [whole = '', code = 'ERR'] = CODE.exec(text) ?? [];
  if (!TELLING.test(code)) return code;
  const sentence = text.slice(whole.length).split(/\n|\.? script: |, on @user_script/)[0]!;
  return `${code}${sentence}`.replace(/\.$/, '');
}

/** True if an error is an answer of the server, not one that the client made up. */
export function isReplyError(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError';
}

/** Whether the server lacks a script that was asked for by its hash. */
export function isNoScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT');
}
