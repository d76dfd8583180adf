import { bearerToken } from '@thole/server';
import type { HandlerOptions } from '@thole/server';

type Authorize = NonNullable<HandlerOptions['authorize']>;

const COOKIE = 'thole_token';

/** Returns an `authorize` that accepts the token as a bearer token, or as the cookie of `tokenCookieResponse`. */
export function bearerOrCookie(token: string): Authorize {
  const authorize = bearerToken(token);
  return (request, identity) => {
    const cookie = cookieOf(request);
    if (cookie === undefined || request.headers.has('authorization')) return authorize(request, identity);
    return authorize(new Request(request.url, { headers: { authorization: `Bearer ${cookie}` } }), identity);
  };
}

/**
 * Answers a request for the page with `?token=…`: redirects to the page and stores the token in a cookie, which browsers do not
 * send with requests of other sites. The token is verified when the cookie is used. Returns undefined for other requests.
 */
export function tokenCookieResponse(request: Request, basePath: string): Response | undefined {
  const url = new URL(request.url);
  const token = url.searchParams.get('token');
  if (request.method !== 'GET' || token === null || url.pathname !== `${basePath}/dev-ui/`) return undefined;
  const cookie = `${COOKIE}=${encodeURIComponent(token)}; Path=${basePath}/; HttpOnly; SameSite=Strict`;
  return new Response(null, { status: 303, headers: { location: url.pathname, 'set-cookie': cookie } });
}

function cookieOf(request: Request): string | undefined {
  for (const each of (request.headers.get('cookie') ?? '').split(';')) {
    const [name, value = ''] = each.trim().split('=', 2);
    if (name === COOKIE) return decode(value);
  }
  return undefined;
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
