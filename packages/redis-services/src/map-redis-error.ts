import { TholeError } from '@thole/core';

/** Redis says these before it has done anything; where a script met them, its first write did, for scripts ask first. */
const REFUSED =
  /^(?:ERR Error running script[^]*?@user_script:\s*\d+:\s*-?)?(OOM|READONLY|LOADING|MASTERDOWN|BUSY|NOREPLICAS|MISCONF|CLUSTERDOWN|TRYAGAIN|NOAUTH|NOPERM|WRONGPASS|MOVED|ASK)\b/;

/** The client says these of what it never sent. */
const NOT_SENT = /enableOfflineQueue options is false|^Cluster is disconnect|^None of startup nodes is available/;

/**
 * What a client's error means: `STORE_UNAVAILABLE` for a read and for a write that surely did not happen, otherwise
 * `STORE_OUTCOME_UNKNOWN`, also of one that was refused when the client sent it again: the first may have been done. The
 * client's own error is the cause; the message tells its code alone.
 */
export function mapRedisError(error: unknown, isWrite: boolean, wasSent: boolean, sentAgain = false): TholeError {
  if (TholeError.is(error)) return error;
  const text = error instanceof Error ? error.message : '';
  const refused = REFUSED.exec(text)?.[1];
  if (refused !== undefined && !(isWrite && sentAgain)) {
    return new TholeError('STORE_UNAVAILABLE', `Redis refused: ${refused}.`, { cause: error });
  }
  if (!isWrite || !wasSent || NOT_SENT.test(text)) {
    return new TholeError('STORE_UNAVAILABLE', 'Redis cannot be reached or refused.', { cause: error });
  }
  return new TholeError('STORE_OUTCOME_UNKNOWN', 'Redis did not answer; it may have happened.', { cause: error });
}

/** Whether the server lacks a script that was asked for by its hash. */
export function isNoScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT');
}
