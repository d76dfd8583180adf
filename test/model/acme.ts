import { readRetryAfter, TholeError } from '@thole/core';
import type { ErrorTable, ProviderConnection } from '@thole/core';

/** An error as SDKs make them: its own, with the real one as its cause, and the request in it. */
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
    return new TholeError(status === 400 ? 'MODEL_BAD_REQUEST' : code, `Acme refused with ${status}: ${told(body)}`, {
      status,
      retryAfterMs: readRetryAfter(headers, now),
      details: { told: told(body), length: told(body).length },
    });
  },
  explain: (error, when) =>
    new TholeError(when === 'asking' ? 'MODEL_UNAVAILABLE' : 'MODEL_INCOMPLETE', `Acme broke while ${when}.`, {
      cause: error,
    }),
};

const told = (body: unknown): string =>
  typeof body === 'string' ? body : ((body as { error?: string }).error ?? JSON.stringify(body));

/** A provider's SDK in small. Like true ones it looks for words of a time-out in the errors it gets. */
export async function askAcme(connection: ProviderConnection, url: string, signal: AbortSignal): Promise<Response> {
  const request = { method: 'POST', headers: { authorization: 'Bearer s3cr3t-key' }, body: '{}' };
  try {
    return await connection.fetch(`${url}/ask`, { ...request, signal });
  } catch (error) {
    if (/timed? ?out/i.test(String(error))) throw new Error('Request timed out.');
    throw new AcmeError(error, request);
  }
}

/** The text of an answer, piece by piece. */
export async function* piecesOf(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
    yield decoder.decode(bytes, { stream: true });
  }
}
