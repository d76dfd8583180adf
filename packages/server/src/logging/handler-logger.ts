import { silentLogger } from '@thole/core';
import type { Logger } from '@thole/core';
import { lineLogger } from './line-logger.ts';

/**
 * Returns the given logger, otherwise the runtime's. If that is silent, returns one that writes warnings and errors to the
 * console.
 */
export function handlerLogger(logger: Logger | undefined, runtimeLogger: Logger): Logger {
  if (logger) return logger;
  return runtimeLogger === silentLogger ? lineLogger({ level: 'warning' }) : runtimeLogger;
}
