import { TholeError } from '@thole/core';
import { withRuntime } from '@thole/core/kit';
import type { Runtime } from '@thole/core';
import { SpanMemory, startRecovery } from '@thole/server';
import type { HandlerOptions } from '@thole/server';
import { AgentLoader } from '../agents/agent-loader.ts';
import { AgentRegistry } from '../agents/agent-registry.ts';
import { findAgents } from '../agents/find-agents.ts';
import { watchFiles } from '../agents/watch-files.ts';
import { isVerbose } from '../host.ts';
import type { Host } from '../host.ts';
import type { ServiceOptions } from '../options/service-options.ts';
import { usageError } from '../options/usage-error.ts';
import { servicesOnDemand } from '../services/open-services.ts';
import { errorLine } from '../terminal/error-line.ts';
import { lineWriter } from '../terminal/line-writer.ts';
import { listen } from './listen.ts';
import type { LogLevel } from './log-levels.ts';
import { bearerOrCookie } from './page-token.ts';
import { ReloadQueue } from './reload-queue.ts';
import { ReloadableHandler } from './reloadable-handler.ts';
import { streamLogger } from './stream-logger.ts';

/** Options of `serveAgents`. */
export interface ServeAgentsOptions extends ServiceOptions {
  host: string;
  port: number;
  allowOrigins: readonly string[];
  allowedHosts: readonly string[];
  reload: boolean;
  /** Prefix of all paths; empty for none. */
  urlPrefix: string;
  logLevel: LogLevel;
  token?: string | undefined;
  /** True to serve the page, keep traces, and let runs continue when their clients disconnect. */
  withPage: boolean;
}

/** Serves the agents of a path until an interrupt. Returns the exit code. */
export async function serveAgents(host: Host, path: string, options: ServeAgentsOptions): Promise<number> {
  const location = await findAgents(host.cwd, path);
  if (location.agents.length === 0) {
    const advice = 'it needs an agent.ts that exports rootAgent, directly or in a subfolder.';
    throw usageError(`There is no agent in ${path}: ${advice}`);
  }
  const logger = streamLogger(host.errors, {
    level: options.logLevel,
    runtime: host.runtime,
    verbose: isVerbose(host),
  });
  const traces = options.withPage ? new SpanMemory() : undefined;
  const runtime = withRuntime(host.runtime, { logger, tracer: traces });
  const services = servicesOnDemand(options, { cwd: host.cwd, runtime });
  const loader = new AgentLoader({ host, location, services, runtime });
  const reloads = new ReloadQueue();
  // Watching starts before the first load, so that no change is missed.
  const stopWatching = options.reload
    ? await watchFiles(location.root, { runtime, onChange: () => reloads.request() })
    : async () => {};
  try {
    const registry = new AgentRegistry(loader);
    const { agents, errors } = await registry.load();
    const [firstError] = errors;
    if (agents.length === 0)
      throw (
        firstError ??
        new TholeError('INVALID_INPUT', `No file in ${path} exports an agent. Export rootAgent from an agent.ts.`)
      );
    for (const error of errors) printError(host, error);
    const handler = new ReloadableHandler({ agents, options: await handlerOptions(options, runtime, traces), runtime });
    reloads.start(() => reload(host, registry, handler));
    // Recovery does not belong to a handler, because a reload replaces the handlers.
    const recovery = startRecovery({ runners: () => handler.agents.map(({ runner }) => runner), runtime });
    try {
      return await listen(host, handler, options);
    } finally {
      recovery.stop();
      await stopWatching();
      await reloads.idle();
      await handler.abort();
    }
  } finally {
    await stopWatching();
    loader.close();
    await services.close();
  }
}

async function handlerOptions(
  options: ServeAgentsOptions,
  runtime: Runtime,
  traces: SpanMemory | undefined,
): Promise<Omit<HandlerOptions, 'apps'>> {
  const { allowOrigins, token, urlPrefix, withPage } = options;
  return {
    runtime,
    development: withPage,
    ...(urlPrefix !== '' && { basePath: urlPrefix }),
    ...(allowOrigins.length > 0 && { cors: { origins: allowOrigins } }),
    // The token gives access to every user, and therefore to shared memory too.
    ...(token !== undefined && { authorize: bearerOrCookie(token), authorizeScope: () => true }),
    ...(withPage && { ui: (await import('@thole/dev-ui')).devUi(), traces, onDisconnect: 'continue' as const }),
  };
}

/**
 * Serves the current versions of the agents. If an agent cannot be loaded, its last valid version stays, and the error is
 * printed.
 */
async function reload(host: Host, registry: AgentRegistry, handler: ReloadableHandler): Promise<void> {
  try {
    const { agents, errors } = await registry.load();
    if (agents.length > 0) handler.replace(agents);
    for (const error of errors) printError(host, error);
    if (errors.length > 0) return;
    lineWriter(host.output)(`Reloaded ${agents.map(({ runner }) => runner.appName).join(', ')}.`);
  } catch (error) {
    printError(host, error);
  }
}

function printError(host: Host, error: unknown): void {
  host.errors.write(`error: ${errorLine(error, { verbose: isVerbose(host) })}\n`);
}
