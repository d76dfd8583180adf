import { errorFields } from '../errors/error-fields.ts';
import type { Logger } from './runtime.ts';

/** Calls a tracer or a span and returns the result. If the call throws, logs a warning and returns undefined. */
export function callTracer<T>(logger: Logger, call: () => T): T | undefined {
  try {
    return call();
  } catch (error) {
    logger.warn('A tracer failed.', { ...errorFields(error) });
    return undefined;
  }
}
