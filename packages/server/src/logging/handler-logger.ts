import { silentLogger } from '@thole/core';
import type { Logger } from '@thole/core';
import { lineLogger } from './line-logger.ts';

/** Returns where a handler logs: the given logger, else the runtime's, else warnings and errors on the console. */
export function handlerLogger(given: Logger | undefined, ofRuntime: Logger): Logger {
  if (given) return given;
  return ofRuntime === silentLogger ? lineLogger({ level: 'warning' }) : ofRuntime;
}
