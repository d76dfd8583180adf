import { ClientError } from './client-error.ts';
import { readErrorDebug } from './error-debug.ts';
import { readRetryAfter } from './retry-after.ts';

interface Body {
  detail?: unknown;
  code?: unknown;
  retryable?: unknown;
}

/** Returns the error of a response. Its message is the server's, or names the status if the response is not from the API. */
export async function toClientError(path: string, response: Response, now: number): Promise<ClientError> {
  const { status } = response;
  // A body that is not JSON is the page of a proxy. With 5xx, the proxy cannot reach the server.
  const body = (await response.json().catch(() => ({ retryable: status > 499 || undefined }))) as Body | null;
  const { code, detail, retryable } = body ?? {};
  return new ClientError(typeof detail === 'string' ? detail : `The server answered ${status} to ${path}.`, {
    status,
    code: typeof code === 'string' ? code : undefined,
    retryable: typeof retryable === 'boolean' ? retryable : /408|429|50[234]/.test(`${status}`),
    debug: readErrorDebug(body),
    retryAfterMs: readRetryAfter(response.headers.get('retry-after'), now),
  });
}
