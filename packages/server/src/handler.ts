import { TholeError } from '@thole/core';
import type { MaybePromise } from '@thole/core';
import { closeServices } from './close-services.ts';
import { camelCaseKeys } from './http/camel-case-keys.ts';
import { Cors } from './http/cors.ts';
import { errorResponse } from './http/error-response.ts';
import { assertHost, hostOf, isLoopback, loopbackNames } from './http/hosts.ts';
import { isResponse } from './http/is-response.ts';
import { withSafeHeaders } from './http/safe-headers.ts';
import { parsePathParams } from './http/path-params.ts';
import { parse, UnknownFieldWarnings } from './http/parse.ts';
import { parseQuery } from './http/parse-query.ts';
import { readBody } from './http/read-body.ts';
import { RequestCall } from './http/request-call.ts';
import type { HandlerOptions } from './handler-options.ts';
import { createHandlerContext } from './create-handler-context.ts';
import type { HandlerContext } from './handler-context.ts';
import { openAiErrorBody } from './openai/open-ai-error.ts';
import { actionOf } from './route.ts';
import type { PathParams, Route } from './route.ts';
import { startRecovery } from './recovery.ts';
import type { Recovery, RecoveryOptions } from './recovery.ts';
import { createRouter } from './router.ts';
import { routes } from './routes.ts';

/** The client of a request. */
export interface Client {
  /** IP address of the client. */
  readonly address?: string | undefined;
}

/**
 * Answers requests of ADK's HTTP API. Mount it in any server that uses Web requests. It never rejects.
 *
 * Without `authorize` and `allowedHosts`, the `Host` of a client on this machine must name this machine. Otherwise any web page
 * could reach the handler through a DNS name that resolves to this machine. Pass `client` for this check, as `serve` and
 * `toNodeListener` do.
 */
export interface Handler {
  (request: Request, client?: Client | null): Promise<Response>;
  /** True if the handler has `authorize`. */
  readonly hasAuthorize: boolean;
  /** Answers `/health` with 503 from now on, and continues to serve requests for `ms` milliseconds. */
  drain(ms: number): Promise<void>;
  /**
   * Rejects new runs with 503, waits for active runs, aborts the rest, and closes the runners that the handler created for Apps.
   */
  close(p?: CloseOptions): Promise<void>;
}

/** Options of `Handler.close`. */
export interface CloseOptions {
  /** Time to wait for active runs in milliseconds; the rest is then aborted. Default: 10,000. */
  timeoutMs?: number | undefined;
  /** True to also close the services and Runners that were passed to the handler. Default: false. */
  services?: boolean | undefined;
}

/**
 * Returns a handler of the API. Throws `INVALID_INPUT` for invalid options and `DUPLICATE_NAME` for two apps with the same name.
 */
export function createHandler(options: HandlerOptions): Handler {
  const { context, ownRunners } = createHandlerContext(options, routes);
  const cors = new Cors(options.cors);
  const unknownFields = new UnknownFieldWarnings(context.runtime.logger);
  const findRoute = createRouter(routes, context.basePath);
  const hooks = options.authorize || options.rateLimit ? options : undefined;
  const hasAuthorize = options.authorize !== undefined;
  /** Bodies of responses of hooks. A hook may return the same response for several requests. */
  const hookBodies = new WeakMap<Response, Promise<ArrayBuffer>>();
  const recovery = options.recover ? startHandlerRecovery(context, options.recover) : undefined;
  let closingRuns: Promise<void> | undefined;
  let closingServices: Promise<void> | undefined;

  async function serveRoute(route: Route, request: Request, params: PathParams): Promise<Response> {
    const call = new RequestCall(context, { request, params, hooks });
    if (route.access === undefined && hooks)
      await call.authorize({
        appName: params.app || undefined,
        userId: params.user || undefined,
        action: actionOf(route),
      });
    if (route.query) call.query = parse(route.query, parseQuery(request.url, route.repeatable), 'query');
    if (route.body) {
      const json = await readBody(request, context.limits, context.runtime);
      const body = route.keepKeys ? json : camelCaseKeys(json);
      call.body = parse(route.body, body, 'body');
      unknownFields.warn(route.paths[0], body, call.body);
    }
    return await route.handle(call);
  }

  /** Returns the format of errors of a path. Undefined: `{detail, code}`. */
  function errorBodyOf(path: string): typeof openAiErrorBody | undefined {
    return path.startsWith(`${context.basePath}/v1/`) ? openAiErrorBody : undefined;
  }

  async function copyHookResponse(response: Response): Promise<Response> {
    if (response.status < 200) throw new Error(`A hook has returned a Response with status ${response.status}.`);
    let body = hookBodies.get(response);
    if (!body) hookBodies.set(response, (body = response.arrayBuffer()));
    const bytes = await body;
    return new Response(bytes.byteLength === 0 ? null : bytes, response);
  }

  function toErrorResponse(error: unknown, request: Request): Response {
    const path = shortPath(request);
    const logFields = { method: request.method, path };
    return errorResponse(error, { errorLog: context.errorLog, logFields, toBody: errorBodyOf(path) });
  }

  function answer(request: Request): MaybePromise<Response> {
    const match = findRoute(request);
    if ('allowedMethods' in match) return methodNotAllowed(match.allowedMethods, errorBodyOf(shortPath(request)));
    const response = serveRoute(match.route, request, parsePathParams(match.params));
    return request.method === 'HEAD' ? response.then(withoutBody) : response;
  }

  async function handler(request: Request, client?: Client | null): Promise<Response> {
    let response: Response;
    try {
      assertHeaderSize(request, context);
      const hosts = options.allowedHosts ?? (!hasAuthorize && isLoopback(client?.address) ? loopbackNames : undefined);
      if (hosts) assertHost(hostOf(request), hosts);
      const preflight = request.headers.has('origin') ? cors.check(request, new URL(request.url)) : undefined;
      response = preflight ?? (await answer(request));
    } catch (error) {
      response = isResponse(error)
        ? await copyHookResponse(error).catch((failure: unknown) => toErrorResponse(failure, request))
        : toErrorResponse(error, request);
    }
    if (options.cors) cors.addHeaders(request, response);
    return withSafeHeaders(response);
  }

  async function closeRuns(timeoutMs: number): Promise<void> {
    recovery?.stop();
    await context.runs.close(timeoutMs);
    await Promise.all(ownRunners.map((runner) => runner.close()));
  }

  async function closeRunnersAndServices(): Promise<void> {
    const runners = [...context.runners.values()];
    await Promise.all(runners.map((runner) => runner.close()));
    await closeServices(runners, context.runtime.logger);
  }

  async function close({ timeoutMs = 10_000, services = false }: CloseOptions = {}): Promise<void> {
    await (closingRuns ??= closeRuns(timeoutMs));
    if (services) await (closingServices ??= closeRunnersAndServices());
  }

  return Object.assign(handler, {
    hasAuthorize,
    drain: (ms: number) => context.runs.drain(ms),
    close,
  });
}

/** Starts the recovery of a handler. Resumed runs have the limits of the handler, unless `contextFor` returns others. */
function startHandlerRecovery(context: HandlerContext, option: true | RecoveryOptions): Recovery {
  const { contextFor, everyMs } = option === true ? {} : option;
  const { limits, runners, runtime, toolErrors } = context;
  return startRecovery({
    ...{ everyMs, runtime, runners: () => [...runners.values()] },
    contextFor(found) {
      const { deps, runConfig } = contextFor?.(found) ?? {};
      return { deps, runConfig: { timeLimitMs: limits.runMs, toolErrors, ...runConfig } };
    },
  });
}

/** Returns the path of a request without its query, which may contain a user's text. */
function shortPath({ url }: Request): string {
  const start = url.indexOf('/', url.indexOf('://') + 3);
  return url.slice(start, start + 300).split(/[?#]/, 1)[0]!;
}

function assertHeaderSize(request: Request, { limits }: HandlerContext): void {
  // Without a limit, the headers are not read, because that takes a large part of the time of a small request.
  if (limits.headerBytes === Infinity) return;
  let bytes = 0;
  for (const [name, value] of request.headers) bytes += name.length + value.length;
  if (bytes > limits.headerBytes) {
    const message = `The headers must have at most ${limits.headerBytes} bytes.`;
    throw new TholeError('INVALID_INPUT', message, { status: 431 });
  }
}

/** Returns the response without its body, which is cancelled before it is read. */
function withoutBody(response: Response): Response {
  void response.body?.cancel();
  return new Response(null, response);
}

function methodNotAllowed(allowedMethods: readonly string[], toBody?: typeof openAiErrorBody): Response {
  const message = 'The route does not support this method.';
  const code = 'METHOD_NOT_ALLOWED';
  const body = toBody ? toBody({ status: 405, code, message }) : { detail: message, code };
  return Response.json(body, { status: 405, headers: { allow: allowedMethods.join(', ') } });
}
