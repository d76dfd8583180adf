import { TholeError } from '@thole/core';
import { withRuntime } from '@thole/core/kit';
import type { Runtime } from '@thole/core';
import type { AgentServer, AgentServerOptions } from '@thole/mcp/server';
import { loadPackage } from '@thole/services/kit';
import { findOneAgent, loadOneAgent } from '../agents/load-one-agent.ts';
import type { LoadedAgent } from '../agents/agent-loader.ts';
import { isVerbose } from '../host.ts';
import type { Host } from '../host.ts';
import type { ServiceOptions } from '../options/service-options.ts';
import { assertNameOption, usageError } from '../options/usage-error.ts';
import { servicesOnDemand } from '../services/open-services.ts';
import type { ServicesOnDemand } from '../services/open-services.ts';
import { lineWriter } from '../terminal/line-writer.ts';
import type { LogLevel } from './log-levels.ts';
import { reserveOutput } from './reserve-output.ts';
import { streamLogger } from './stream-logger.ts';

/** Options of `thole mcp`. */
export interface ServeMcpOptions extends ServiceOptions {
  /** Names of the agents to serve. Default: the root agent. */
  agents?: readonly string[] | undefined;
  userId: string;
  logLevel: LogLevel;
}

/** Serves the agent of a path as an MCP server over stdio until the client disconnects or at Ctrl-C. Returns the exit code. */
export async function serveMcp(processHost: Host, path: string, options: ServeMcpOptions): Promise<number> {
  const { cwd, errors, input } = processHost;
  const verbose = isVerbose(processHost);
  const logger = streamLogger(errors, { level: options.logLevel, runtime: processHost.runtime, verbose });
  const runtime = withRuntime(processHost.runtime, { logger });
  const host: Host = { ...processHost, runtime };
  assertNameOption('--user_id', options.userId);
  if (options.agents?.length === 0) throw usageError('--agents must name at least one agent.');
  // The package is optional, because the SDK of MCP is large.
  const load = (): Promise<typeof import('@thole/mcp/server')> => import('@thole/mcp/server');
  const { mcpServer } = await loadPackage('@thole/mcp', load, '@modelcontextprotocol/server');
  const location = await findOneAgent(cwd, path);
  const services = servicesOnDemand(options, { cwd, runtime });
  // The output is reserved before the agent is loaded, because its module may print.
  const { output, release } = reserveOutput(host);
  try {
    const loaded = await loadOneAgent(location, { host, services });
    try {
      const server = await createServer(mcpServer, loaded, { options, services, runtime });
      try {
        const connection = await server.connectStdio({ input, output, userId: options.userId });
        const stopListening = host.onInterrupt(() => void connection.close());
        if (input.isTTY) lineWriter(errors)('Waiting for an MCP client on standard input. Press Ctrl-C to stop.');
        await connection.closed;
        stopListening();
      } finally {
        await server.close();
      }
    } finally {
      await loaded.runner.close();
      loaded.close();
    }
  } finally {
    release();
    await services.close();
  }
  return 0;
}

async function createServer(
  mcpServer: typeof import('@thole/mcp/server').mcpServer,
  { app, runner }: LoadedAgent,
  p: { options: ServeMcpOptions; services: ServicesOnDemand; runtime: Runtime },
): Promise<AgentServer> {
  const { agents = [runner.agent.name] } = p.options;
  const options: AgentServerOptions = { agents, runtime: p.runtime };
  try {
    return app ? mcpServer(app, { ...options, ...(await p.services.get()) }) : mcpServer(runner, options);
  } catch (error) {
    if (!TholeError.is(error) || !error.message.startsWith('agents')) throw error;
    throw usageError(`--${error.message}`);
  }
}
