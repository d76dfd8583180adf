import { TholeError } from '@thole/core';
import { TrieRouter } from 'hono/router/trie-router';
import type { Route } from './route.ts';

/** The decoded parameters of a path. */
export type DecodedParams = { readonly [name: string]: string };

/** The route of a request and its parameters, or the allowed methods if the path does not support the method. */
export type RouteMatch =
  | { readonly route: Route; readonly params: DecodedParams }
  | { readonly allowedMethods: readonly string[] };

/**
 * Returns a function that finds the route of a request. Encoded paths are matched, so that a name may contain an
 * encoded slash. HEAD requests use the routes of GET. Throws `NOT_FOUND` for an unknown path and `INVALID_INPUT` for
 * invalid percent-encoding.
 */
export function createRouter(routes: readonly Route[], basePath: string): (request: Request) => RouteMatch {
  const router = new TrieRouter<Route>();
  // Paths without parameters are the most frequent, so they are found with one lookup.
  const plainPaths = new Map<string, RouteMatch>();
  for (const route of routes) {
    for (const path of route.paths) {
      // The base path is served with and without a slash at its end.
      const fullPaths = path === '/' && basePath !== '' ? [basePath, `${basePath}/`] : [basePath + path];
      for (const fullPath of fullPaths) {
        if (/[:*]/.test(fullPath)) router.add(route.method, fullPath, route);
        else plainPaths.set(`${route.method} ${fullPath}`, { route, params: {} });
      }
    }
  }
  const methods = [...new Set(routes.map((each) => each.method))];
  const find = (method: string, path: string): RouteMatch | undefined =>
    plainPaths.get(`${method} ${path}`) ?? search(router, method, path);
  return (request) => {
    const path = pathOf(request);
    const match = find(request.method === 'HEAD' ? 'GET' : request.method, path);
    if (match) return match;
    const allowedMethods = methods.filter((method) => find(method, path));
    if (allowedMethods.length === 0) throw new TholeError('NOT_FOUND', 'There is no such route.');
    return { allowedMethods };
  };
}

function search(router: TrieRouter<Route>, method: string, path: string): RouteMatch | undefined {
  const [[first]] = router.match(method, path);
  if (!first) return undefined;
  const [route, encoded] = first;
  const params: { [name: string]: string } = {};
  for (const name in encoded) params[name] = decodeURIComponent(encoded[name] as string);
  return { route, params };
}

/** Returns the encoded path of an address. */
function pathOf(request: Request): string {
  const { url } = request;
  const start = url.indexOf('/', url.indexOf('://') + 3);
  const query = url.indexOf('?', start);
  const hash = url.indexOf('#', start);
  const end = Math.min(query < 0 ? url.length : query, hash < 0 ? url.length : hash);
  const path = url.slice(start, end);
  if (path.includes('%')) assertEncoding(path);
  return path;
}

function assertEncoding(path: string): void {
  try {
    decodeURIComponent(path);
  } catch {
    throw new TholeError('INVALID_INPUT', 'The path must be percent-encoded UTF-8.');
  }
}
