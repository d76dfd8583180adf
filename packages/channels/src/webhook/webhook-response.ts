import { TholeError } from '@thole/core';

/** Returns a JSON response that must not be cached. */
export function respond(status: number, body: object, headers: { [name: string]: string } = {}): Response {
  return Response.json(body, { status, headers: { 'cache-control': 'no-store', ...headers } });
}

/**
 * Returns the response for an error: the status of the error if the request was wrong, otherwise 503, so that the message is
 * delivered again. The text of an error other than `TholeError` is not included, because it may be private.
 */
export function webhookErrorResponse(error: unknown): Response {
  const retry = { 'retry-after': '5' };
  if (!TholeError.is(error)) return respond(503, { detail: 'The message could not be stored. Send it again.' }, retry);
  const { code, message: detail, status = 500 } = error;
  return status < 500 ? respond(status, { detail, code }) : respond(503, { detail, code }, retry);
}

/** Returns the object in a body. Throws `INVALID_INPUT` if the body is not a JSON object in UTF-8. */
export function parseJsonBody(body: Uint8Array): { readonly [name: string]: unknown } {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (cause) {
    throw new TholeError('INVALID_INPUT', 'The body must be JSON in UTF-8.', { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TholeError('INVALID_INPUT', 'The body must be a JSON object.');
  return value as { [name: string]: unknown };
}
