const NO_SNIFF = 'x-content-type-options';

/** Marks responses of `noSniffResponse`, so that their headers are not read again. */
const hasNoSniff: unique symbol = Symbol('hasNoSniff');

type MarkedResponse = Response & { [hasNoSniff]?: boolean };

/**
 * Returns a response with the header that keeps browsers from guessing the content type. This is faster than adding the header
 * later: `@hono/node-server` sends headers several times faster if they were not read before.
 */
export function noSniffResponse(
  body: string | ReadableStream<Uint8Array>,
  headers: Readonly<Record<string, string>>,
): Response {
  const response: MarkedResponse = new Response(body, { headers: { ...headers, [NO_SNIFF]: 'nosniff' } });
  response[hasNoSniff] = true;
  return response;
}

/** Adds the header that keeps browsers from guessing the content type, unless the response has it. */
export function withNoSniff(response: MarkedResponse): Response {
  if (response[hasNoSniff] || response.headers.has(NO_SNIFF)) return response;
  try {
    response.headers.set(NO_SNIFF, 'nosniff');
    return response;
  } catch {
    // The response of a hook may be immutable.
    const copy = new Response(response.body, response);
    copy.headers.set(NO_SNIFF, 'nosniff');
    return copy;
  }
}
