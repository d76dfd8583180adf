import { TholeError } from '@thole/core';
import type { JsonObject, LogFields } from '@thole/core';
import type { ErrorLog } from '../logging/error-log.ts';
import { isResponse } from './is-response.ts';
import { clipMessage } from './clip-message.ts';

/** The part of a request's error that clients may read. */
export interface FailedRequest {
  readonly status: number;
  /** `INTERNAL` for an error that is not a `TholeError`. */
  readonly code: string;
  readonly message: string;
  readonly details?: JsonObject | undefined;
}

/**
 * Returns the response for an error: its status, and the body `{"detail": …, "code": …}` or the result of `toBody`. The message
 * of an error that is not a `TholeError` is hidden from the client. Logs errors that the server caused. In development, the
 * response has message, causes and stack as `debug`.
 */
export function errorResponse(
  error: unknown,
  p: {
    errorLog?: ErrorLog | undefined;
    logFields?: LogFields;
    toBody?: ((failure: FailedRequest) => object) | undefined;
  },
): Response {
  if (isResponse(error)) return error;
  p.errorLog?.logRequestError(error, p.logFields ?? {});
  const debug = p.errorLog?.describe(error);
  const failure = failureOf(error);
  const { status, code, message } = failure;
  const headers = new Headers();
  if (status === 401) headers.set('www-authenticate', 'Bearer');
  const retryAfterMs = TholeError.is(error) ? (error.retryAfterMs ?? NaN) : NaN;
  // A hook may have computed a time that is not a number, or is over.
  if (Number.isFinite(retryAfterMs)) headers.set('retry-after', String(Math.max(0, Math.ceil(retryAfterMs / 1000))));
  const body = p.toBody ? p.toBody(failure) : { detail: message, code };
  return Response.json({ ...body, ...(status >= 500 && debug && { debug }) }, { status, headers });
}

function failureOf(error: unknown): FailedRequest {
  if (!TholeError.is(error)) return { status: 500, code: 'INTERNAL', message: 'The server failed.' };
  const { code, details, status = 500 } = error;
  return { status: status >= 400 && status <= 599 ? status : 500, code, message: clipMessage(error.message), details };
}
