/**
 * Keep browsers from guessing the content type, and caches from storing private data. Without `cache-control`, a CDN may store a
 * response by the extension in its path, such as an artifact `report.pdf`.
 */
const safeHeaders = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' };

/** Marks responses of `responseWithSafeHeaders`, so that their headers are not read again. */
const isSafe: unique symbol = Symbol('isSafe');

type MarkedResponse = Response & { [isSafe]?: boolean };

/**
 * Returns a response with the safe headers. This is faster than adding them later: `@hono/node-server` sends headers several times
 * faster if they were not read before.
 */
export function responseWithSafeHeaders(
  body: string | ReadableStream<Uint8Array>,
  headers: Readonly<Record<string, string>>,
): Response {
  const response: MarkedResponse = new Response(body, { headers: { ...safeHeaders, ...headers } });
  response[isSafe] = true;
  return response;
}

/** Adds the safe headers that the response does not have. */
export function withSafeHeaders(response: MarkedResponse): Response {
  if (response[isSafe]) return response;
  for (const [name, value] of Object.entries(safeHeaders))
    if (!response.headers.has(name)) response.headers.set(name, value);
  return response;
}
