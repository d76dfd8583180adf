import { silentLogger } from '@thole/core';
import type { Logger } from '@thole/core';
import { lineLogger } from './line-logger.ts';

/** Returns the logger of a handler: the given one, else the runtime's, else warnings and errors on the console. */
export function handlerLogger(logger: Logger | undefined, runtimeLogger: Logger): Logger {
  if (logger) return logger;
  return runtimeLogger === silentLogger ? lineLogger({ level: 'warning' }) : runtimeLogger;
}
