import { TholeError } from '@thole/core';
import type { Logger } from '@thole/core';
import { isResponse } from './is-response.ts';
import { shortSentence } from './short-sentence.ts';

/** An error as `{"detail": …}` with its status. What carries no code of ours is told to the log, and to the client only that it happened. */
export function errorResponse(error: unknown, logger: Logger): Response {
  if (isResponse(error)) return error;
  if (!TholeError.is(error)) {
    logger.error('A request failed with an error that carries no code.', { error: String(error) });
    return Response.json({ detail: 'The server failed.' }, { status: 500 });
  }
  const status = error.status !== undefined && error.status >= 400 && error.status <= 599 ? error.status : 500;
  if (status >= 500) logger.error('A request failed.', { code: error.code, error: error.message });
  const headers = new Headers();
  if (status === 401) headers.set('www-authenticate', 'Bearer');
  if (error.retryAfterMs !== undefined) headers.set('retry-after', String(Math.ceil(error.retryAfterMs / 1000)));
  return Response.json({ detail: shortSentence(error.message), code: error.code }, { status, headers });
}
