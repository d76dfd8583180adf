import { TholeError } from '@thole/core';
import { withRuntime } from '@thole/core/kit';
import type { Runtime } from '@thole/core';
import { SpanMemory } from '@thole/server';
import type { HandlerOptions } from '@thole/server';
import { AgentLoader } from '../agents/agent-loader.ts';
import { AgentRegistry } from '../agents/agent-registry.ts';
import { findAgents } from '../agents/find-agents.ts';
import { watchFiles } from '../agents/watch-files.ts';
import type { Host } from '../host.ts';
import type { ServiceOptions } from '../options/service-options.ts';
import { usageError } from '../options/usage-error.ts';
import { servicesOnDemand } from '../services/open-services.ts';
import { errorLine } from '../terminal/error-line.ts';
import { linesTo } from '../terminal/write-to.ts';
import { listen } from './listen.ts';
import { ReloadableHandler } from './reloadable-handler.ts';
import { ReloadQueue } from './reload-queue.ts';
import { logTo } from './log-to.ts';
import type { LogLevel } from './log-levels.ts';
import { bearerOrCookie } from './page-token.ts';

/** How agents are served. */
export interface ServeAgentsOptions extends ServiceOptions {
  host: string;
  port: number;
  allowOrigins: readonly string[];
  allowedHosts: readonly string[];
  reload: boolean;
  /** What all paths begin with; empty for nothing. */
  urlPrefix: string;
  logLevel: LogLevel;
  token?: string | undefined;
  /** With the page, with traces, and with runs that outlive their client. */
  withPage: boolean;
}

/** Serves the agents of a path until somebody interrupts. Answers the exit code. */
export async function serveAgents(host: Host, path: string, options: ServeAgentsOptions): Promise<number> {
  const place = await findAgents(host.cwd, path);
  if (place.agents.length === 0) {
    throw usageError(
      `There is no agent in ${path}: it needs an agent.ts that exports rootAgent, in a folder of its own or right there.`,
    );
  }
  const verbose = host.argv.includes('--verbose');
  const logger = logTo(host.errors, { level: options.logLevel, runtime: host.runtime, verbose });
  const traces = options.withPage ? new SpanMemory() : undefined;
  const runtime = withRuntime(host.runtime, { logger, tracer: traces });
  const services = servicesOnDemand(options, { cwd: host.cwd, runtime });
  const loader = new AgentLoader({ host, place, services, runtime });
  const reloads = new ReloadQueue();
  const watch = { runtime, changed: () => reloads.ask() };
  // Before the first load, so that nothing changes unseen.
  const stopWatching = options.reload ? await watchFiles(place.root, watch) : async () => {};
  try {
    const shelf = new AgentRegistry(loader);
    const { agents, errors } = await shelf.load();
    const [first] = errors;
    if (agents.length === 0) throw first ?? new TholeError('INVALID_INPUT', `No file in ${path} exports an agent.`);
    for (const error of errors) tell(host, error);
    const live = new ReloadableHandler({ agents, options: await handlerOptions(options, runtime, traces), runtime });
    reloads.begin(() => reload(host, shelf, live));
    try {
      return await listen(host, live, options);
    } finally {
      await stopWatching();
      await reloads.idle();
      await live.abort();
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
    ...(token !== undefined && { authorize: bearerOrCookie(token) }),
    ...(withPage && { ui: (await import('@thole/dev-ui')).devUi(), traces, onDisconnect: 'continue' as const }),
  };
}

/** Serves what the files hold now. What cannot be loaded is told, and stays as it was. */
async function reload(host: Host, shelf: AgentRegistry, live: ReloadableHandler): Promise<void> {
  try {
    const { agents, errors } = await shelf.load();
    if (agents.length > 0) live.replace(agents);
    for (const error of errors) tell(host, error);
    if (errors.length > 0) return;
    linesTo(host.output)(`Loaded ${agents.map(({ runner }) => runner.appName).join(', ')} anew.`);
  } catch (error) {
    tell(host, error);
  }
}

function tell(host: Host, error: unknown): void {
  host.errors.write(`error: ${errorLine(error, { verbose: host.argv.includes('--verbose') })}\n`);
}
