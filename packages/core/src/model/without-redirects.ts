const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

/**
 * Returns a `fetch` that does not follow redirects, because another host would receive the key and the messages. Its response to a
 * redirect has the status and a text with the next step.
 */
export function withoutRedirects(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, { redirect: 'manual', ...init });
    if (!REDIRECTS.includes(response.status)) return response;
    await response.body?.cancel();
    const url = typeof input === 'object' && 'url' in input ? input.url : String(input);
    const target = URL.parse(response.headers.get('location') ?? '', url);
    const address = target === null ? 'another address' : `${target.origin}${target.pathname}`;
    const text = `The server redirects to ${address}. Redirects are not followed: set baseUrl to the final address.`;
    return new Response(text, { status: response.status, headers: { 'content-type': 'text/plain' } });
  };
}
