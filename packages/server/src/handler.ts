import { TholeError } from '@thole/core';
import type { MaybePromise } from '@thole/core';
import { closeServices } from './close-services.ts';
import { camelKeys } from './http/camel-keys.ts';
import { Cors } from './http/cors.ts';
import { errorResponse } from './http/error-response.ts';
import { assertHost, hostOf, isLoopback, loopbackNames } from './http/hosts.ts';
import { checkedNames } from './http/names.ts';
import { parse, UnknownFields } from './http/parse.ts';
import { readBody } from './http/read-body.ts';
import { RequestCall } from './http/request-call.ts';
import type { HandlerOptions } from './handler-options.ts';
import { createHandlerContext } from './create-handler-context.ts';
import type { HandlerContext } from './handler-context.ts';
import type { Names, Route } from './route.ts';
import { routerOf } from './router.ts';
import { routes } from './routes.ts';

/** The other end of a connection, as servers tell it. */
export interface Client {
  /** Its IP address. */
  readonly address?: string | undefined;
}

/**
 * Answers requests of ADK's HTTP API; mounts wherever a `Request` becomes a `Response`. It never rejects. A client on this machine may
 * name only this machine as its host, unless the handler has `authorize` or `allowedHosts`: otherwise any web page could reach it by a
 * name of its own that leads to this machine. Hand over the client for that; `serve` and `toNodeListener` do.
 */
export interface Handler {
  (request: Request, client?: Client | null): Promise<Response>;
  /** Whether an `authorize` stands before it. */
  readonly guarded: boolean;
  /** Says at `/health` (503) that no new work should come, and goes on taking it for so long. */
  drain(ms: number): Promise<void>;
  /** Takes no new runs (503), lets those that go on end for so long (10 s), aborts the rest, and closes the runners it made of Apps. */
  close(p?: CloseOptions): Promise<void>;
}

/** How a handler closes. */
export interface CloseOptions {
  /** How long runs may take to end by themselves, in milliseconds. Default: 10,000. */
  timeoutMs?: number | undefined;
  /** True to close also the services and Runners that were given to the handler. Default: false. */
  services?: boolean | undefined;
}

/** `INVALID_INPUT` or `DUPLICATE_NAME` for options that cannot be served. */
export function createHandler(options: HandlerOptions): Handler {
  const { house, own } = createHandlerContext(options, routes);
  const cors = new Cors(options.cors?.origins);
  const unknown = new UnknownFields(house.runtime.logger);
  const find = routerOf(routes, house.basePath);
  const hooks = options.authorize || options.rateLimit ? options : undefined;
  const isOpen = options.authorize === undefined;
  let closed: Promise<void> | undefined;
  let allClosed: Promise<void> | undefined;

  async function serveRow(row: Route, request: Request, names: Names): Promise<Response> {
    const call = new RequestCall(house, { request, names, hooks });
    if (row.access === undefined && hooks)
      await call.permit({ appName: names.app || undefined, userId: names.user || undefined });
    if (row.query) call.query = parse(row.query, queryOf(request), 'query');
    if (row.body) {
      const came = await readBody(request, house.limits, house.runtime);
      const given = row.keepsKeys ? came : camelKeys(came);
      call.body = parse(row.body, given, 'body');
      unknown.tell(row.paths[0], given, call.body);
    }
    return await row.handle(call);
  }

  function answer(request: Request): MaybePromise<Response> {
    const found = find(request);
    if ('allowed' in found) return methodNotAllowed(found.allowed);
    const serving = serveRow(found.row, request, checkedNames(found.names));
    return request.method === 'HEAD' ? serving.then(withoutBody) : serving;
  }

  async function handler(request: Request, client?: Client | null): Promise<Response> {
    let response: Response;
    try {
      assertHeaders(request, house);
      const hosts = options.allowedHosts ?? (isOpen && isLoopback(client?.address) ? loopbackNames : undefined);
      if (hosts) assertHost(hostOf(request), hosts);
      const preflight = request.headers.has('origin') ? cors.check(request, new URL(request.url)) : undefined;
      response = preflight ?? (await answer(request));
    } catch (error) {
      const where = { method: request.method, path: shortPath(request) };
      response = errorResponse(error, { failures: house.failures, where });
    }
    return withNoSniff(options.cors ? cors.mark(request, response) : response);
  }

  async function closeRuns(timeoutMs: number): Promise<void> {
    await house.runs.close(timeoutMs);
    await Promise.all(own.map((runner) => runner.close()));
  }

  async function closeAll(): Promise<void> {
    const runners = [...house.runners.values()];
    await Promise.all(runners.map((runner) => runner.close()));
    await closeServices(runners, house.runtime.logger);
  }

  async function close({ timeoutMs = 10_000, services = false }: CloseOptions = {}): Promise<void> {
    await (closed ??= closeRuns(timeoutMs));
    if (services) await (allClosed ??= closeAll());
  }

  return Object.assign(handler, {
    guarded: options.authorize !== undefined,
    drain: (ms: number) => house.runs.drain(ms),
    close,
  });
}

/** The answer with the header that keeps browsers from guessing its type. */
function withNoSniff(response: Response): Response {
  if (response.headers.has('x-content-type-options')) return response;
  try {
    response.headers.set('x-content-type-options', 'nosniff');
    return response;
  } catch {
    // The answer of a hook may be immutable.
    const made = new Response(response.body, response);
    made.headers.set('x-content-type-options', 'nosniff');
    return made;
  }
}

/** The path of a request without its query, which may hold what a user wrote. */
function shortPath({ url }: Request): string {
  const start = url.indexOf('/', url.indexOf('://') + 3);
  return url.slice(start, start + 300).split(/[?#]/, 1)[0]!;
}

function assertHeaders(request: Request, house: HandlerContext): void {
  // To go over them costs a good part of a small request.
  if (house.limits.headerBytes === Infinity) return;
  let bytes = 0;
  for (const [name, value] of request.headers) bytes += name.length + value.length;
  if (bytes > house.limits.headerBytes) {
    const sentence = `The headers must have at most ${house.limits.headerBytes} bytes.`;
    throw new TholeError('INVALID_INPUT', sentence, { status: 431 });
  }
}

/** The same answer without its body, which is not even begun. */
function withoutBody(response: Response): Response {
  void response.body?.cancel();
  return new Response(null, response);
}

function methodNotAllowed(allowed: readonly string[]): Response {
  const detail = 'The route does not take this method.';
  const headers = { allow: allowed.join(', ') };
  return Response.json({ detail, code: 'METHOD_NOT_ALLOWED' }, { status: 405, headers });
}

function queryOf(request: Request): unknown {
  const at = request.url.indexOf('?');
  return camelKeys(Object.fromEntries(at < 0 ? [] : new URLSearchParams(request.url.slice(at + 1))));
}
