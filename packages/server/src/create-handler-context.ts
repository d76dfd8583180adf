import { systemRuntime, TholeError } from '@thole/core';
import { assertName, invalidInput, rejectUnknownOptions, withRuntime } from '@thole/core/kit';
import type { App, Runtime } from '@thole/core';
import { Runner } from '@thole/runner';
import type { ClientScope, HandlerOptions } from './handler-options.ts';
import type { HandlerContext } from './handler-context.ts';
import { checkedLimits } from './limits.ts';
import { Failures } from './logging/failures.ts';
import { handlerLogger } from './logging/handler-logger.ts';
import type { Route } from './route.ts';
import { LiveRuns } from './runs/live-runs.ts';

const KNOWN = [
  ...[
    'apps',
    'sessionService',
    'memoryService',
    'artifactService',
    'runtime',
    'logger',
    'development',
    'toolErrors',
    'authorize',
    'rateLimit',
    'allowedHosts',
  ],
  ...['cors', 'limits', 'onDisconnect', 'ui', 'basePath', 'deps', 'traces', 'clientMayWrite'],
];
const SCOPES: readonly string[] = ['session', 'user', 'app'] satisfies ClientScope[];

/** What a handler works with, and the runners that are its own to close. `INVALID_INPUT`, `DUPLICATE_NAME` for what nothing can be served of. */
export function createHandlerContext(
  options: HandlerOptions,
  routes: readonly Route[],
): { house: HandlerContext; own: readonly Runner[] } {
  rejectUnknownOptions(options, KNOWN, 'createHandler');
  const { onDisconnect = 'abort', clientMayWrite = ['session', 'user'] } = options;
  if (!['abort', 'continue'].includes(onDisconnect))
    throw new TholeError('INVALID_INPUT', `onDisconnect must be 'abort' or 'continue'.`);
  if (!Array.isArray(clientMayWrite) || clientMayWrite.some((each) => !SCOPES.includes(each as string)))
    throw new TholeError('INVALID_INPUT', `clientMayWrite must be a list of 'session', 'user' and 'app'.`);
  for (const name of ['authorize', 'rateLimit', 'ui', 'deps'] as const) {
    if (options[name] !== undefined && typeof options[name] !== 'function')
      throw invalidInput(name, 'a function', options[name]);
  }
  if (options.development !== undefined && typeof options.development !== 'boolean')
    throw invalidInput('development', 'true or false', options.development);
  if (!['message', 'redacted', undefined].includes(options.toolErrors))
    throw new TholeError('INVALID_INPUT', `toolErrors must be 'message' or 'redacted'.`);
  const given = options.runtime ?? systemRuntime();
  const logger = handlerLogger(options.logger, given.logger);
  const runtime = logger === given.logger ? given : withRuntime(given, { logger });
  const limits = checkedLimits(options.limits);
  const { runners, own } = runnersOf(options, runtime);
  const house: HandlerContext = {
    ...{ runners, runtime, limits, onDisconnect, routes, clientMayWrite: new Set(clientMayWrite) },
    ...{ ui: options.ui, basePath: checkedBasePath(options.basePath), deps: options.deps, traces: options.traces },
    toolErrors: options.toolErrors,
    failures: new Failures(logger, options.development ?? false),
    runs: new LiveRuns({ limits, runtime }),
    guarded: options.authorize !== undefined,
  };
  return { house, own };
}

function runnersOf(options: HandlerOptions, runtime: Runtime): { runners: Map<string, Runner>; own: Runner[] } {
  const { apps, sessionService, memoryService, artifactService } = options;
  if (!Array.isArray(apps) || apps.length === 0) throw invalidInput('apps', 'a list of Apps and Runners', apps);
  const runners = new Map<string, Runner>();
  const own: Runner[] = [];
  const services = { sessionService: sessionService!, memoryService, artifactService };
  const traced: Runtime = options.traces ? withRuntime(runtime, { tracer: options.traces }) : runtime;
  for (const each of apps as readonly (App | Runner)[]) {
    let runner: Runner;
    if (isRunner(each)) {
      if (sessionService || memoryService || artifactService)
        throw new TholeError(
          'INVALID_INPUT',
          `Runner ${each.appName} brings its own services: give either those or Apps.`,
        );
      runner = each;
    } else {
      if (sessionService === undefined)
        throw invalidInput('sessionService', 'a service that the Apps share', undefined);
      own.push((runner = new Runner({ app: each, ...services, runtime: traced })));
    }
    assertName("An app's name", runner.appName);
    if (runners.has(runner.appName)) throw new TholeError('DUPLICATE_NAME', `Two apps are called ${runner.appName}.`);
    runners.set(runner.appName, runner);
  }
  return { runners, own };
}

// By shape: the runner may come from another copy of its package.
function isRunner(each: App | Runner): each is Runner {
  return typeof (each as Runner | undefined)?.runAsync === 'function';
}

function checkedBasePath(basePath: string = ''): string {
  if (typeof basePath !== 'string' || !/^(\/[\w.~-]+)*\/?$/.test(basePath))
    throw new TholeError('INVALID_INPUT', 'basePath must begin with / and hold plain path segments.');
  return basePath.replace(/\/$/, '');
}
