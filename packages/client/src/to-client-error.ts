import { ClientError } from './client-error.ts';
import { readErrorDebug } from './error-debug.ts';
import { readRetryAfter } from './retry-after.ts';

const RETRYABLE = [408, 429, 502, 503, 504];

/** Returns the error of a response. Its message is the server's, or names the status if the response is not from the API. */
export async function toClientError(path: string, response: Response, now: number): Promise<ClientError> {
  const { status } = response;
  let body: { detail?: unknown; code?: unknown; retryable?: unknown } | null | undefined;
  try {
    body = (await response.json()) as typeof body;
  } catch {
    // The body is not JSON, for example the page of a proxy.
  }
  const { code, detail, retryable } = body ?? {};
  return new ClientError(typeof detail === 'string' ? detail : `The server answered ${status} to ${path}.`, {
    status,
    code: typeof code === 'string' ? code : undefined,
    retryable: typeof retryable === 'boolean' ? retryable : RETRYABLE.includes(status),
    debug: readErrorDebug(body),
    retryAfterMs: readRetryAfter(response.headers.get('retry-after'), now),
  });
}
