import { errorCodeOf } from '@thole/core/kit';
import type { Logger } from '@thole/core';

/** Calls the option `onError` of a class. Only logs an error that it throws. */
export function callOnError(className: string, call: () => void, logger: Logger): void {
  try {
    call();
  } catch (error) {
    logger.error(`onError of ${className} failed.`, { code: errorCodeOf(error) });
  }
}
