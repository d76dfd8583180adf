import type { JsonObject } from '../json/json.ts';
import { errorCodeInfo } from './error-codes.ts';
import type { TholeErrorCode } from './error-codes.ts';

const brand = Symbol.for('thole.error');

/** Optional members of a `TholeError`. */
export interface TholeErrorOptions {
  cause?: unknown;
  retryable?: boolean | undefined;
  retryAfterMs?: number | undefined;
  status?: number | undefined;
  details?: JsonObject | undefined;
}

/**
 * The error class of all packages. Branch on `code`. Test with `TholeError.is`, which also recognizes errors from another
 * copy of this package. Defaults of `retryable` and `status` come from `errorCodes`. Messages may contain ids and names,
 * never message text, arguments, state or keys.
 */
export class TholeError extends Error {
  readonly code: TholeErrorCode;
  readonly retryable: boolean;
  readonly retryAfterMs?: number | undefined;
  readonly status?: number | undefined;
  readonly details?: JsonObject | undefined;

  constructor(code: TholeErrorCode, message: string, options: TholeErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'TholeError';
    Object.defineProperty(this, brand, { value: true });
    const known = errorCodeInfo(code);
    this.code = code;
    this.retryable = options.retryable ?? known.retryable;
    this.status = options.status ?? known.status;
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs;
    if (options.details !== undefined) this.details = options.details;
  }

  /** True if a thrown value is a `TholeError`. */
  static is(error: unknown): error is TholeError;
  /** True if a thrown value is a `TholeError` with this code. */
  static is<Code extends TholeErrorCode>(
    error: unknown,
    code: Code | undefined,
  ): error is TholeError & { readonly code: Code };
  static is(error: unknown, code?: TholeErrorCode): boolean {
    if (typeof error !== 'object' || error === null || (error as { [brand]?: unknown })[brand] !== true) return false;
    return code === undefined || (error as TholeError).code === code;
  }
}
