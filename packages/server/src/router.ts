import { TholeError } from '@thole/core';
import { TrieRouter } from 'hono/router/trie-router';
import type { Route } from './route.ts';

/** What a path names, decoded. */
export type PathNames = { readonly [name: string]: string };

/** The row for a request; for the method of a path that takes only others, those. */
export type Found = { readonly row: Route; readonly names: PathNames } | { readonly allowed: readonly string[] };

/**
 * Finds the row for a request. Paths are matched as they came, so that an encoded slash is part of a name. `NOT_FOUND` for an unknown path,
 * `INVALID_INPUT` for broken escapes. HEAD is served by GET's row.
 */
export function routerOf(routes: readonly Route[], basePath: string): (request: Request) => Found {
  const router = new TrieRouter<Route>();
  // Paths that name nothing need no search, and are asked for most.
  const plain = new Map<string, Found>();
  for (const row of routes) {
    for (const path of row.paths) {
      // The base itself is a path with and without its last slash.
      const whole = path === '/' && basePath !== '' ? [basePath, `${basePath}/`] : [basePath + path];
      for (const one of whole) {
        if (/[:*]/.test(one)) router.add(row.method, one, row);
        else plain.set(`${row.method} ${one}`, { row, names: {} });
      }
    }
  }
  const methods = [...new Set(routes.map((each) => each.method))];
  const match = (method: string, path: string): Found | undefined =>
    plain.get(`${method} ${path}`) ?? search(router, method, path);
  return (request) => {
    const path = pathOf(request);
    const found = match(request.method === 'HEAD' ? 'GET' : request.method, path);
    if (found) return found;
    const allowed = methods.filter((method) => match(method, path));
    if (allowed.length === 0) throw new TholeError('NOT_FOUND', 'There is no such route.');
    return { allowed };
  };
}

function search(router: TrieRouter<Route>, method: string, path: string): Found | undefined {
  const [[first]] = router.match(method, path);
  if (!first) return undefined;
  const [row, given] = first;
  const names: { [name: string]: string } = {};
  for (const name in given) names[name] = decodeURIComponent(given[name] as string);
  return { row, names };
}

/** The path of an address, still encoded. */
function pathOf(request: Request): string {
  const { url } = request;
  const start = url.indexOf('/', url.indexOf('://') + 3);
  const query = url.indexOf('?', start);
  const hash = url.indexOf('#', start);
  const end = Math.min(query < 0 ? url.length : query, hash < 0 ? url.length : hash);
  const path = url.slice(start, end);
  if (path.includes('%')) assertEscapes(path);
  return path;
}

function assertEscapes(path: string): void {
  try {
    decodeURIComponent(path);
  } catch {
    throw new TholeError('INVALID_INPUT', 'The path must be percent-encoded UTF-8.');
  }
}
