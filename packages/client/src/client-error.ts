import type { ErrorDebug } from './error-debug.ts';

const brand = Symbol.for('thole.client-error');

/** Optional members of a `ClientError`. */
export interface ClientErrorOptions {
  status?: number | undefined;
  code?: string | undefined;
  retryable?: boolean | undefined;
  retryAfterMs?: number | undefined;
  debug?: ErrorDebug | undefined;
  cause?: unknown;
}

/**
 * The only error of the client. Test with `ClientError.is`, which also recognizes errors from another copy of this
 * package.
 * `code` is the server's (`SESSION_BUSY`, `MODEL_RATE_LIMITED` …), or one of the client:
 *
 * - `ABORTED`: the caller's signal was aborted; its reason is the cause.
 * - `TIMEOUT`: no complete response arrived in time.
 * - `UNREACHABLE`: no response arrived.
 * - `CONNECTION_LOST`: the connection of a run was lost and could not be restored.
 * - `INVALID_RESPONSE`: the response is not one of the API.
 * - `INVALID_INPUT` without `status`: nothing was sent.
 */
export class ClientError extends Error {
  /** HTTP status. Undefined without a response, and for a run that failed within its stream. */
  readonly status?: number | undefined;
  /** The message of the server or the client. */
  readonly detail: string;
  readonly code?: string | undefined;
  /** True if the same call may succeed later. */
  readonly retryable: boolean;
  /** Wait that the server asks for, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** The error on the server. Only set by servers in development. */
  readonly debug?: ErrorDebug | undefined;

  constructor(detail: string, options: ClientErrorOptions = {}) {
    super(detail, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'ClientError';
    Object.defineProperty(this, brand, { value: true });
    this.detail = detail;
    this.status = options.status;
    this.code = options.code;
    this.retryable = options.retryable ?? false;
    this.retryAfterMs = options.retryAfterMs;
    this.debug = options.debug;
  }

  /** True if a thrown value is a `ClientError`, and has this code if one is given. */
  static is(error: unknown, code?: string): error is ClientError {
    if (typeof error !== 'object' || error === null || (error as { [brand]?: unknown })[brand] !== true) return false;
    return code === undefined || (error as ClientError).code === code;
  }
}
