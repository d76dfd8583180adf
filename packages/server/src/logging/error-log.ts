import { TholeError } from '@thole/core';
import { errorFields } from '@thole/core/kit';
import type { Logger, LogFields } from '@thole/core';
import { describeError } from './describe-error.ts';
import type { ErrorDescription } from './describe-error.ts';

/** Codes of runs that ended at the request of a client. */
const REQUESTED_ENDS = ['RUN_ABORTED', 'RUN_LEFT', 'RUN_INTERRUPTED'] as const;

/** Logs the errors of a handler, each error object once, and describes them in development. */
export class ErrorLog {
  readonly #logger: Logger;
  readonly #isDevelopment: boolean;
  readonly #logged: WeakSet<object> = new WeakSet();

  constructor(logger: Logger, isDevelopment: boolean) {
    this.#logger = logger;
    this.#isDevelopment = isDevelopment;
  }

  /**
   * Logs the error of a request if the server caused it: a status of 500 or more, or an error that is not a
   * `TholeError`. A server that is busy or closing works as configured: the level is `info`.
   */
  logRequestError(error: unknown, fields: LogFields): void {
    const level = TholeError.is(error, 'SERVER_BUSY') ? 'info' : 'error';
    if (statusOf(error) >= 500) this.#log(level, 'A request failed.', error, fields);
  }

  /**
   * Logs the error of a run. Levels:
   *
   * - `error`: the server or the agent caused it
   * - `info`: the client caused it (invalid message, unknown session, busy session, too many requests)
   * - `debug`: the run ended at the request of a client
   */
  logRunError(error: unknown, fields: LogFields, p: { hasStarted: boolean }): void {
    const isRequested = REQUESTED_ENDS.some((code) => TholeError.is(error, code));
    const isBadMessage = TholeError.is(error, 'INVALID_INPUT') && !p.hasStarted;
    const isClientError = isBadMessage || (statusOf(error) < 500 && statusOf(error) !== 400);
    this.#log(isRequested ? 'debug' : isClientError ? 'info' : 'error', 'A run failed.', error, fields);
  }

  /** Returns message, causes and stack for a page in development; undefined in production. */
  describe(error: unknown): ErrorDescription | undefined {
    return this.#isDevelopment ? describeError(error) : undefined;
  }

  #log(level: 'debug' | 'info' | 'error', message: string, error: unknown, fields: LogFields): void {
    if (typeof error === 'object' && error !== null) {
      if (this.#logged.has(error)) return;
      this.#logged.add(error);
    }
    this.#logger[level](message, { ...errorFields(error), ...fields });
  }
}

function statusOf(error: unknown): number {
  if (!TholeError.is(error)) return 500;
  const { status } = error;
  return status !== undefined && status >= 400 && status <= 599 ? status : 500;
}
