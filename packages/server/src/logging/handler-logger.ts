import { silentLogger } from '@thole/core';
import type { Logger } from '@thole/core';
import { lineLogger } from './line-logger.ts';
import { safeLogger } from './safe-logger.ts';

/**
 * Returns the given logger, otherwise the runtime's. If that is silent, returns one that writes warnings and errors to the
 * console. The returned logger never throws.
 */
export function handlerLogger(logger: Logger | undefined, runtimeLogger: Logger): Logger {
  if (logger === silentLogger) return logger;
  if (!logger && runtimeLogger === silentLogger) return lineLogger({ level: 'warning' });
  return safeLogger(logger ?? runtimeLogger);
}
