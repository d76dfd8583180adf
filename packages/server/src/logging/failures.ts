import { TholeError } from '@thole/core';
import type { Logger, LogFields } from '@thole/core';
import { describeError } from './describe-error.ts';
import type { ErrorDescription } from './describe-error.ts';

/** Ends of a run that somebody asked for. */
const WANTED = ['RUN_ABORTED', 'RUN_LEFT', 'RUN_INTERRUPTED'] as const;

/** Logs what goes wrong in a handler, each error once, and describes it for a page in development. */
export class Failures {
  readonly #logger: Logger;
  readonly #isDevelopment: boolean;
  readonly #logged: WeakSet<object> = new WeakSet();

  constructor(logger: Logger, isDevelopment: boolean) {
    this.#logger = logger;
    this.#isDevelopment = isDevelopment;
  }

  /** Logs the error of a request if it is the server's fault: a status of 500 or more, or no code of ours. */
  request(error: unknown, where: LogFields): void {
    if (statusOf(error) >= 500) this.#log('error', 'A request failed.', error, where);
  }

  /**
   * Logs the error of a run: at `error` for what the server or the agent did wrong, at `info` for what the client did wrong (a bad
   * message, no such session, session busy, too many requests), at `debug` for an end that the client asked for.
   */
  run(error: unknown, where: LogFields, p: { hasBegun: boolean }): void {
    const isWanted = WANTED.some((code) => TholeError.is(error, code));
    const isBadMessage = TholeError.is(error, 'INVALID_INPUT') && !p.hasBegun;
    const isClients = isBadMessage || (statusOf(error) < 500 && statusOf(error) !== 400);
    this.#log(isWanted ? 'debug' : isClients ? 'info' : 'error', 'A run failed.', error, where);
  }

  /** Returns message, causes and stack for a page in development; undefined in production. */
  debug(error: unknown): ErrorDescription | undefined {
    return this.#isDevelopment ? describeError(error) : undefined;
  }

  #log(level: 'debug' | 'info' | 'error', message: string, error: unknown, where: LogFields): void {
    if (typeof error === 'object' && error !== null) {
      if (this.#logged.has(error)) return;
      this.#logged.add(error);
    }
    const { message: text, causes, stack } = describeError(error);
    const code = TholeError.is(error) ? error.code : undefined;
    this.#logger[level](message, { error: text, ...(code && { code }), causes, stack, ...where });
  }
}

function statusOf(error: unknown): number {
  if (!TholeError.is(error)) return 500;
  const { status } = error;
  return status !== undefined && status >= 400 && status <= 599 ? status : 500;
}
