import { readRetryAfter, TholeError } from '@thole/core';
import type { DeliveryReceipt } from '../channel/channel.ts';
import type { PolledMessage } from './poll-queues.ts';
import { signRequest } from './signature.ts';

/** Arguments of `postCallback`. */
export interface CallbackRequest {
  url: string;
  secret: string;
  /** Seconds since the epoch. */
  timestamp: number;
  body: PolledMessage & { to: string };
  signal?: AbortSignal | undefined;
}

const MAX_RECEIPT_BYTES = 65_536;

/**
 * Posts a signed message with its id as `idempotency-key`. Returns the `id` of the response if it is JSON. Throws `CHANNEL_REJECTED`
 * for a permanent rejection, and `CHANNEL_UNAVAILABLE` for any other status and without a response. Redirects are not followed.
 */
export async function postCallback({
  body,
  secret,
  signal,
  timestamp,
  url,
}: CallbackRequest): Promise<DeliveryReceipt> {
  const text = JSON.stringify(body);
  const headers = {
    'content-type': 'application/json',
    'idempotency-key': body.id,
    ...signRequest(secret, { method: 'POST', url, body: text, timestamp }),
  };
  let response: Response;
  try {
    response = await fetch(url, { method: 'POST', headers, body: text, redirect: 'manual', signal: signal ?? null });
  } catch (cause) {
    throw new TholeError('CHANNEL_UNAVAILABLE', 'The callback cannot be reached. Check callbackUrl and the network.', {
      cause,
    });
  }
  if (!response.ok) {
    await response.body?.cancel().catch(() => {});
    throw statusError(response, timestamp);
  }
  const id = await readId(response);
  return id === undefined ? {} : { id };
}

function statusError({ headers, status }: Response, now: number): TholeError {
  const isFinal = status >= 400 && status < 500 && ![401, 403, 404, 408, 409, 425, 429].includes(status);
  const code = isFinal ? 'CHANNEL_REJECTED' : 'CHANNEL_UNAVAILABLE';
  return new TholeError(code, `The callback answered with status ${status}.`, {
    retryAfterMs: readRetryAfter(headers, now),
  });
}

/** Returns the `id` of the response. A wrong body is ignored, because the status shows that the message was accepted. */
async function readId(response: Response): Promise<string | undefined> {
  const { headers } = response;
  // A small compressed body can be huge after its decompression.
  const isSmall =
    !headers.has('content-encoding') && Number(headers.get('content-length') ?? Infinity) <= MAX_RECEIPT_BYTES;
  if (!isSmall || !/\bjson\b/.test(headers.get('content-type') ?? '')) {
    await response.body?.cancel().catch(() => {});
    return undefined;
  }
  try {
    const { id } = (await response.json()) as { id?: unknown };
    return typeof id === 'string' && id !== '' ? id.slice(0, 256) : undefined;
  } catch {
    return undefined;
  }
}
