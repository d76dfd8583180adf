import { errorTypeOf } from './end-failed.ts';
import type { Logger } from './runtime.ts';

/** Returns the result of a call of a tracer or a span. If it throws, logs that and returns undefined. */
export function callTracer<T>(logger: Logger, call: () => T): T | undefined {
  try {
    return call();
  } catch (error) {
    logger.warn('A tracer failed.', { error: errorTypeOf(error) });
    return undefined;
  }
}
