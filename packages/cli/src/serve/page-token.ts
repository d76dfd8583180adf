import { bearerToken } from '@thole/server';
import type { HandlerOptions } from '@thole/server';

type Authorize = NonNullable<HandlerOptions['authorize']>;

const COOKIE = 'thole_token';

/** Lets in whoever shows the token as a bearer, or as the cookie that `keepToken` gave to the browser. */
export function bearerOrCookie(token: string): Authorize {
  const check = bearerToken(token);
  return (request, identity) => {
    const cookie = cookieOf(request);
    if (cookie === undefined || request.headers.has('authorization')) return check(request, identity);
    return check(new Request(request.url, { headers: { authorization: `Bearer ${cookie}` } }), identity);
  };
}

/**
 * The answer to a page that is opened with `?token=…`: the same page, with the token in a cookie that no other site's requests carry. Whether it is the right one is asked
 * when the cookie is shown.
 */
export function keepToken(request: Request, basePath: string): Response | undefined {
  const url = new URL(request.url);
  const token = url.searchParams.get('token');
  if (request.method !== 'GET' || token === null || url.pathname !== `${basePath}/dev-ui/`) return undefined;
  const cookie = `${COOKIE}=${encodeURIComponent(token)}; Path=${basePath}/; HttpOnly; SameSite=Strict`;
  return new Response(null, { status: 303, headers: { location: url.pathname, 'set-cookie': cookie } });
}

function cookieOf(request: Request): string | undefined {
  for (const each of (request.headers.get('cookie') ?? '').split(';')) {
    const [name, value = ''] = each.trim().split('=', 2);
    if (name === COOKIE) return decoded(value);
  }
  return undefined;
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
