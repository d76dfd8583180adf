import { TholeError } from '@thole/core';
import type { LogFields } from '@thole/core';
import type { Failures } from '../logging/failures.ts';
import { isResponse } from './is-response.ts';
import { shortSentence } from './short-sentence.ts';

/**
 * Answers an error with its status, as `{"detail": …}`. An error without a code of ours is logged, and the client learns only that
 * the server failed; in development the answer has its message, causes and stack as `debug`.
 */
export function errorResponse(error: unknown, p: { failures?: Failures | undefined; where?: LogFields }): Response {
  if (isResponse(error)) return error;
  p.failures?.request(error, p.where ?? {});
  const debug = p.failures?.debug(error);
  if (!TholeError.is(error))
    return Response.json({ detail: 'The server failed.', ...(debug && { debug }) }, { status: 500 });
  const status = error.status !== undefined && error.status >= 400 && error.status <= 599 ? error.status : 500;
  const headers = new Headers();
  if (status === 401) headers.set('www-authenticate', 'Bearer');
  if (error.retryAfterMs !== undefined) headers.set('retry-after', String(Math.ceil(error.retryAfterMs / 1000)));
  const body = { detail: shortSentence(error.message), code: error.code };
  return Response.json({ ...body, ...(status >= 500 && debug && { debug }) }, { status, headers });
}
