import { systemRuntime, TholeError } from '@thole/core';
import { assertName, invalidInput, withRuntime } from '@thole/core/kit';
import type { App, Runtime } from '@thole/core';
import { Runner } from '@thole/runner';
import { assertHandlerOptions } from './assert-handler-options.ts';
import type { HandlerContext } from './handler-context.ts';
import type { HandlerOptions } from './handler-options.ts';
import { resolveLimits } from './limits.ts';
import { ErrorLog } from './logging/error-log.ts';
import { handlerLogger } from './logging/handler-logger.ts';
import { createOpenApi } from './openapi/create-open-api.ts';
import type { Route } from './route.ts';
import { ActiveRuns } from './runs/active-runs.ts';

/**
 * Validates the options of a handler and returns its context, and the runners that it created and must close. Throws
 * `INVALID_INPUT` for invalid options and `DUPLICATE_NAME` for two apps with the same name.
 */
export function createHandlerContext(
  options: HandlerOptions,
  routes: readonly Route[],
): { context: HandlerContext; ownRunners: readonly Runner[] } {
  assertHandlerOptions(options);
  const { onDisconnect = 'abort', clientMayWrite = ['session', 'user'] } = options;
  const baseRuntime = options.runtime ?? systemRuntime();
  const logger = handlerLogger(options.logger, baseRuntime.logger);
  const runtime = logger === baseRuntime.logger ? baseRuntime : withRuntime(baseRuntime, { logger });
  const limits = resolveLimits(options.limits);
  const { runners, ownRunners } = createRunners(options, runtime);
  const basePath = normalizeBasePath(options.basePath);
  let openApi: string | undefined;
  const context: HandlerContext = {
    ...{ runners, runtime, limits, onDisconnect, clientMayWrite: new Set(clientMayWrite) },
    ...{ ui: options.ui, basePath, deps: oncePerRequest(options.deps), traces: options.traces },
    ...{ toolErrors: options.toolErrors, recovers: Boolean(options.recover) },
    errorLog: new ErrorLog(logger, options.development ?? false),
    runs: new ActiveRuns({ limits, runtime }),
    hasAuthorize: options.authorize !== undefined,
    authorizeScope: options.authorizeScope,
    openApi: () => (openApi ??= JSON.stringify(createOpenApi(routes, basePath))),
  };
  return { context, ownRunners };
}

/** Calls `deps` once for each request, so that a route can call it before it stores anything. */
function oncePerRequest(deps: HandlerOptions['deps']): HandlerOptions['deps'] {
  if (!deps) return undefined;
  const results = new WeakMap<Request, unknown>();
  return (request, identity) => {
    if (!results.has(request)) results.set(request, deps(request, identity));
    return results.get(request);
  };
}

function createRunners(
  options: HandlerOptions,
  runtime: Runtime,
): { runners: Map<string, Runner>; ownRunners: Runner[] } {
  const { apps, sessionService, memoryService, artifactService } = options;
  if (!Array.isArray(apps) || apps.length === 0) throw invalidInput('apps', 'a list of Apps and Runners', apps);
  const runners = new Map<string, Runner>();
  const ownRunners: Runner[] = [];
  const services = { sessionService: sessionService!, memoryService, artifactService };
  const tracedRuntime: Runtime = options.traces ? withRuntime(runtime, { tracer: options.traces }) : runtime;
  for (const each of apps as readonly (App | Runner)[]) {
    let runner: Runner;
    if (isRunner(each)) {
      if (sessionService || memoryService || artifactService)
        throw new TholeError(
          'INVALID_INPUT',
          `Runner ${each.appName} has its own services: pass either services with Apps, or Runners without services.`,
        );
      runner = each;
    } else {
      if (sessionService === undefined)
        throw invalidInput('sessionService', 'a service that the Apps share', undefined);
      ownRunners.push((runner = new Runner({ app: each, ...services, runtime: tracedRuntime })));
    }
    assertName("An app's name", runner.appName);
    if (runners.has(runner.appName))
      throw new TholeError('DUPLICATE_NAME', `Two apps have the name ${runner.appName}.`);
    runners.set(runner.appName, runner);
  }
  return { runners, ownRunners };
}

// Checked by shape, because the runner may come from another copy of its package.
function isRunner(each: App | Runner): each is Runner {
  return typeof (each as Runner | undefined)?.runAsync === 'function';
}

function normalizeBasePath(basePath: string = ''): string {
  // A browser removes the segments `.` and `..` from a URL.
  if (typeof basePath !== 'string' || !/^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)*\/?$/.test(basePath))
    throw new TholeError('INVALID_INPUT', 'basePath must start with / and have plain path segments, such as /api.');
  return basePath.replace(/\/$/, '');
}
