import { TholeError } from '@thole/core';
import { Hono } from 'hono';
import type { Route } from './route.ts';

/**
 * Finds the row for a request and serves it. Paths are matched as they came, so that an encoded slash is part of a name. `NOT_FOUND` for
 * an unknown path, 405 for another method of a known one, `INVALID_INPUT` for broken escapes.
 */
export function routerOf(
  routes: readonly Route[],
  basePath: string,
  serve: (route: Route, request: Request, names: { readonly [name: string]: string }) => Promise<Response>,
): (request: Request) => Response | Promise<Response> {
  // The base itself is a path with and without its last slash.
  const getPath = (request: Request): string => {
    const path = pathOf(request);
    return basePath !== '' && path === `${basePath}/` ? basePath : path;
  };
  const router = new Hono({ getPath }).basePath(basePath);
  const methods = new Hono<{ Variables: { allowed: string } }>({ getPath }).basePath(basePath);
  const byPath = new Map<string, Set<string>>();
  for (const each of routes) {
    for (const path of each.paths) {
      router.on(each.method, path, (context) => serve(each, context.req.raw, context.req.param()));
      byPath.set(path, (byPath.get(path) ?? new Set()).add(each.method));
    }
  }
  for (const [path, allowed] of byPath)
    methods.all(path, () => new Response(null, { headers: { allow: [...allowed].join(', ') } }));
  router.notFound(async (context) => {
    const known = await methods.fetch(context.req.raw);
    const allow = known.headers.get('allow');
    if (allow === null) throw new TholeError('NOT_FOUND', 'There is no such route.');
    const detail = 'The route does not take this method.';
    return Response.json({ detail, code: 'METHOD_NOT_ALLOWED' }, { status: 405, headers: { allow } });
  });
  router.onError((error) => {
    throw error;
  });
  return (request) => router.fetch(request);
}

/** The path of an address, still encoded. */
function pathOf(request: Request): string {
  const { url } = request;
  const start = url.indexOf('/', url.indexOf('://') + 3);
  const end = url.slice(start).search(/[?#]/);
  const path = end < 0 ? url.slice(start) : url.slice(start, start + end);
  if (path.includes('%')) checkEscapes(path);
  return path;
}

function checkEscapes(path: string): void {
  try {
    decodeURIComponent(path);
  } catch {
    throw new TholeError('INVALID_INPUT', 'The path must be percent-encoded UTF-8.');
  }
}
