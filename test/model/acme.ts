import { readRetryAfter, TholeError } from '@thole/core';
import type { ErrorTable, ProviderConnection } from '@thole/core';

/** An error like those of SDKs: it contains the request, and its cause is the original error. */
export class AcmeError extends Error {
  override name = 'AcmeError';
  readonly request: unknown;

  constructor(cause: unknown, request: unknown) {
    super('Connection error.', { cause });
    this.request = request;
  }
}

/** A provider's table of errors. */
export const acmeTable: ErrorTable = {
  refuse({ status, headers, body }, now) {
    const code = status === 401 ? 'MODEL_AUTH' : status === 429 ? 'MODEL_RATE_LIMITED' : 'MODEL_OVERLOADED';
    const text = messageOf(body);
    return new TholeError(status === 400 ? 'MODEL_BAD_REQUEST' : code, `Acme refused with ${status}: ${text}`, {
      status,
      retryAfterMs: readRetryAfter(headers, now),
      details: { text, length: text.length },
    });
  },
  explain: (error, when) =>
    new TholeError(when === 'sending' ? 'MODEL_UNAVAILABLE' : 'MODEL_INCOMPLETE', `Acme broke while ${when}.`, {
      cause: error,
    }),
};

const messageOf = (body: unknown): string =>
  typeof body === 'string' ? body : ((body as { error?: string }).error ?? JSON.stringify(body));

/** Sends a request as an SDK does. Like real SDKs, it replaces errors whose text mentions a time-out. */
export async function askAcme(connection: ProviderConnection, url: string, signal: AbortSignal): Promise<Response> {
  const request = { method: 'POST', headers: { authorization: 'Bearer s3cr3t-key' }, body: '{}' };
  try {
    return await connection.fetch(`${url}/ask`, { ...request, signal });
  } catch (error) {
    if (/timed? ?out/i.test(String(error))) throw new Error('Request timed out.');
    throw new AcmeError(error, request);
  }
}

/** Yields the text of a response in pieces. */
export async function* piecesOf(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
    yield decoder.decode(bytes, { stream: true });
  }
}
