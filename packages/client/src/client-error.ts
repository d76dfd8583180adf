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
 * The only error that the client throws. Check it with `ClientError.is`, which also recognizes errors from another copy of
 * this package. `code` is a code of the server (`SESSION_BUSY`, `MODEL_RATE_LIMITED` …), or one of the client:
 *
 * - `ABORTED`: the caller's signal was aborted; its reason is the cause.
 * - `TIMEOUT`: no complete response arrived within `timeoutMs`.
 * - `UNREACHABLE`: no response arrived, or its body was incomplete. The server may have processed the request.
 * - `CONNECTION_LOST`: the connection of a run was lost and could not be restored.
 * - `INVALID_RESPONSE`: the response does not have the format of the API, for example the page of a proxy.
 * - `INVALID_INPUT` without `status`: nothing was sent.
 */
export class ClientError extends Error {
  // `declare` saves bytes: fields without it are also set to undefined before the constructor sets them.
  /** HTTP status. Undefined without a response, and for a run that failed within its stream. */
  declare readonly status?: number | undefined;
  /** The message of the server or the client, the same as `message`. */
  declare readonly detail: string;
  /** A code of the server or the client, see above. Undefined if the response has no code. */
  declare readonly code?: string | undefined;
  /** True if the same call may succeed later. */
  declare readonly retryable: boolean;
  /** Delay before a retry that the server requests, in milliseconds. */
  declare readonly retryAfterMs?: number | undefined;
  /** Details of the error on the server. Only servers in development send it. */
  declare readonly debug?: ErrorDebug | undefined;

  constructor(detail: string, options: ClientErrorOptions = {}) {
    super(detail, options);
    Object.defineProperty(this, brand, { value: true });
    const { status, code, retryable = false, retryAfterMs, debug } = options;
    Object.assign(this, { name: 'ClientError', detail, status, code, retryable, retryAfterMs, debug });
  }

  /** True if a thrown value is a `ClientError`. */
  static is(error: unknown): error is ClientError;
  /** True if a thrown value is a `ClientError` with this code. */
  static is<Code extends string>(
    error: unknown,
    code: Code | undefined,
  ): error is ClientError & { readonly code: Code };
  static is(error: unknown, code?: string): boolean {
    const isClientError = (error as { [brand]?: unknown } | null | undefined)?.[brand] === true;
    return isClientError && (code === undefined || (error as ClientError).code === code);
  }
}
