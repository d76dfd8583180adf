import { TholeError } from '@thole/core';

/**
 * Returns the response for an error of a webhook: its status if the request was wrong, otherwise 503, so that the service delivers
 * the message again.
 */
export function webhookErrorResponse(error: unknown): Response {
  const isRefused = TholeError.is(error) && (error.status ?? 500) < 500;
  const status = isRefused ? error.status! : 503;
  const detail = isRefused ? error.message : 'The message could not be stored. Deliver it again.';
  const headers = { 'cache-control': 'no-store', ...(status === 503 && { 'retry-after': '5' }) };
  return Response.json({ detail }, { status, headers });
}

/** Returns the JSON of a body. Throws `INVALID_INPUT` if it is not JSON in UTF-8. */
export function parseJsonBody(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw new TholeError('INVALID_INPUT', 'The body must be JSON in UTF-8.');
  }
}
