const NO_SNIFF = 'x-content-type-options';

/** Responses that were created with the header. */
const created = new WeakSet<Response>();

/**
 * Returns a response with the header that keeps browsers from guessing the content type. It costs less than adding the
 * header later: `@hono/node-server` sends headers several times faster if nothing has read them before.
 */
export function noSniffResponse(
  body: string | ReadableStream<Uint8Array>,
  headers: Readonly<Record<string, string>>,
): Response {
  const response = new Response(body, { headers: { ...headers, [NO_SNIFF]: 'nosniff' } });
  created.add(response);
  return response;
}

/** Adds the header that keeps browsers from guessing the content type, unless the response has it. */
export function withNoSniff(response: Response): Response {
  if (created.has(response) || response.headers.has(NO_SNIFF)) return response;
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
