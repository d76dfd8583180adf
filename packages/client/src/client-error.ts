import type { ErrorDebug } from './error-debug.ts';

const brand = Symbol.for('thole.client-error');

/** What a `ClientError` may carry beside its sentence. */
export interface ClientErrorOptions {
  status?: number | undefined;
  code?: string | undefined;
  retryable?: boolean | undefined;
  retryAfterMs?: number | undefined;
  debug?: ErrorDebug | undefined;
  cause?: unknown;
}

/**
 * The one error of the client; ask with `ClientError.is`, which also knows those of another copy of this package. `code` is the
 * server's where it tells one (`SESSION_BUSY`, `MODEL_RATE_LIMITED` …), or the client's own: `ABORTED` (by the caller's signal, which is
 * the cause), `TIMEOUT`, `UNREACHABLE` (no answer came), `CUT` (a run's connection broke and could not be taken up again),
 * `UNREADABLE` (what came is not the API's), `INVALID_INPUT` (nothing was sent).
 */
export class ClientError extends Error {
  /** The HTTP status; undefined where no answer came, and for a run that failed in its stream. */
  readonly status?: number | undefined;
  /** The server's sentence, or the client's. */
  readonly detail: string;
  readonly code?: string | undefined;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  /** How long the server asks to wait. */
  readonly retryAfterMs?: number | undefined;
  /** The error on the server; only from servers in development. */
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

  /** Whether a thrown value is an error of the client, of this code if one is given. */
  static is(error: unknown, code?: string): error is ClientError {
    if (typeof error !== 'object' || error === null || (error as { [brand]?: unknown })[brand] !== true) return false;
    return code === undefined || (error as ClientError).code === code;
  }
}
