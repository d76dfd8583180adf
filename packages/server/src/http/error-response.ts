import { TholeError } from '@thole/core';
import type { LogFields } from '@thole/core';
import type { ErrorLog } from '../logging/error-log.ts';
import { isResponse } from './is-response.ts';
import { clipMessage } from './clip-message.ts';

/**
 * Returns the response for an error: its status and `{"detail": …, "code": …}`. An error that is not a `TholeError` is
 * logged, and the client only gets a general message. In development, the response has message, causes and stack as
 * `debug`.
 */
export function errorResponse(error: unknown, p: { errorLog?: ErrorLog | undefined; where?: LogFields }): Response {
  if (isResponse(error)) return error;
  p.errorLog?.logRequestError(error, p.where ?? {});
  const debug = p.errorLog?.describe(error);
  if (!TholeError.is(error))
    return Response.json({ detail: 'The server failed.', ...(debug && { debug }) }, { status: 500 });
  const status = error.status !== undefined && error.status >= 400 && error.status <= 599 ? error.status : 500;
  const headers = new Headers();
  if (status === 401) headers.set('www-authenticate', 'Bearer');
  if (error.retryAfterMs !== undefined) headers.set('retry-after', String(Math.ceil(error.retryAfterMs / 1000)));
  const body = { detail: clipMessage(error.message), code: error.code };
  return Response.json({ ...body, ...(status >= 500 && debug && { debug }) }, { status, headers });
}
