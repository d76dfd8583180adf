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
  if (!TholeError.is(error)) {
    const failure = { status: 500, code: 'INTERNAL', message: 'The server failed.' };
    const body = p.toBody ? p.toBody(failure) : { detail: failure.message, code: failure.code };
    return Response.json({ ...body, ...(debug && { debug }) }, { status: 500 });
  }
  const status = error.status !== undefined && error.status >= 400 && error.status <= 599 ? error.status : 500;
  const headers = new Headers();
  if (status === 401) headers.set('www-authenticate', 'Bearer');
  const { code, details, retryAfterMs = NaN } = error;
  // A hook may have computed a time that is not a number, or is over.
  if (Number.isFinite(retryAfterMs)) headers.set('retry-after', String(Math.max(0, Math.ceil(retryAfterMs / 1000))));
  const message = clipMessage(error.message);
  const body = p.toBody ? p.toBody({ status, code, message, details }) : { detail: message, code };
  return Response.json({ ...body, ...(status >= 500 && debug && { debug }) }, { status, headers });
}
