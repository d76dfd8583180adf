/** Returns the id of the message in a request: the header `Idempotency-Key`, without quotes. */
export function idempotencyKey(request: Request): string | undefined {
  const header = request.headers.get('idempotency-key');
  return header === null ? undefined : header.replace(/^"(.*)"$/, '$1');
}
