import { silentLogger } from '@thole/core';
import type { LogFields, Logger } from '@thole/core';

/** Returns the logger. If it is silent, returns a logger that writes warnings and errors to `console.error`. */
export function replaceSilentLogger(logger: Logger): Logger {
  if (logger !== silentLogger) return logger;
  // Not `console.log`: over stdio, the output is for the protocol only.
  const write = (message: string, fields?: LogFields): void => console.error(message, fields ?? '');
  return { debug: () => {}, info: () => {}, warn: write, error: write };
}
