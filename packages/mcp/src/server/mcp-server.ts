import { systemRuntime, TholeError } from '@thole/core';
import { assertName, errorFields, rejectUnknownOptions, withRuntime } from '@thole/core/kit';
import type { App, Logger, RunConfig } from '@thole/core';
import type { Runner } from '@thole/runner';
import { CLIENT_CAPABILITIES_META_KEY, createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import type { AuthInfo, CallToolResult, ClientCapabilities, ServerContext } from '@modelcontextprotocol/server';
import { measureSession } from '../telemetry/traced-request.ts';
import { transportAttributes } from '../telemetry/transport-attributes.ts';
import { checkAgentServerOptions } from './agent-server-options.ts';
import type { AgentServerOptions } from './agent-server-options.ts';
import { callAgent } from './call-agent.ts';
import { parseCallState } from './call-state.ts';
import { connectStdio, stdioOptionNames } from './connect-stdio.ts';
import type { StdioConnection, StdioOptions } from './connect-stdio.ts';
import { replaceSilentLogger } from './console-logger.ts';
import { isResponse, readCaller } from './request-caller.ts';
import type { RequestCaller, RequestSource } from './request-caller.ts';
import { traceRequests, versionOf } from './request-telemetry.ts';
import { createServedAgents } from './served-agent.ts';
import type { ServedAgent } from './served-agent.ts';
import { toolError } from './to-tool-result.ts';

/** An MCP server whose tools are agents. */
export interface AgentServer {
  /**
   * Answers HTTP requests of MCP clients. Mount it at any path, such as `/mcp`. It never rejects. Without `authorize` and
   * `authInfo` it serves only clients on this machine.
   */
  fetch(request: Request, source?: RequestSource): Promise<Response>;
  /** True if the server has `authorize`. If false, only requests with an `authInfo` may come from other machines. */
  readonly hasAuthorize: boolean;
  /** Serves one client over stdio. Only in Node. */
  connectStdio(options?: StdioOptions): Promise<StdioConnection>;
  /**
   * Ends active calls, closes all connections, and closes the runners that it created for an App. Later requests are
   * answered with 503.
   */
  close(): Promise<void>;
}

const RUN_TIME_LIMIT_MS = 600_000;

/**
 * Serves the agents that the options name as tools of an MCP server, over HTTP and over stdio, in both generations of the protocol.
 * Throws `INVALID_INPUT`, `DUPLICATE_NAME` or `SCHEMA_UNSUPPORTED` for wrong options and for agents that cannot be tools.
 */
export function mcpServer(app: App | Runner, options: AgentServerOptions): AgentServer {
  const limits = checkAgentServerOptions(options);
  const baseRuntime = options.runtime ?? systemRuntime();
  const logger = replaceSilentLogger(baseRuntime.logger);
  const runtime = withRuntime(baseRuntime, { logger });
  const { appName, agents, ownRunners } = createServedAgents(app, options, runtime);
  const runConfig: RunConfig = { timeLimitMs: RUN_TIME_LIMIT_MS, ...options.runConfig };
  const tools = new Set(agents.map(({ name }) => name));
  const callers = new WeakMap<AuthInfo, RequestCaller>();
  const activeCalls = new Set<Promise<unknown>>();
  const connections = new Set<StdioConnection>();
  const closing = new AbortController();
  let closed: Promise<void> | undefined;

  function createServer(caller: RequestCaller): McpServer {
    const info = { name: appName, version: options.version ?? '1.0.0' };
    const server = new McpServer(info, { requestState: { verify: parseCallState } });
    traceRequests(server, { runtime, tools, isHttp: caller.request !== undefined });
    for (const agent of agents) {
      const { description, inputSchema, outputSchema } = agent;
      const tool = { inputSchema, ...(description && { description }), ...(outputSchema && { outputSchema }) };
      server.registerTool(agent.name, tool, (args, context) => call(agent, { args, caller, context, server }));
    }
    return server;
  }

  function call(
    agent: ServedAgent,
    p: { args: unknown; caller: RequestCaller; context: ServerContext; server: McpServer },
  ): ReturnType<typeof callAgent> | CallToolResult {
    const { args, caller, context, server } = p;
    if (activeCalls.size >= limits.concurrentCalls) return toolError('The server is busy. Call the tool again later.');
    const canElicit = supportsForms(context.mcpReq, server);
    const init = { agent, caller, canElicit, runConfig, deps: options.deps, logger };
    const result = callAgent({ ...init, signal: closing.signal }, args, context.mcpReq);
    activeCalls.add(result);
    return result.finally(() => activeCalls.delete(result));
  }

  const onError = (error: Error): void => logger.debug('An MCP request was rejected.', { ...errorFields(error) });
  const handler = createMcpHandler(({ authInfo }) => createServer(callers.get(authInfo!)!), {
    maxRequestBodySize: limits.bodyBytes,
    onerror: onError,
  });

  async function fetch(request: Request, source: RequestSource = {}): Promise<Response> {
    try {
      const caller = await readCaller(request, source, { appName, guards: options });
      if (closed) return errorResponse(503, 'The server is closed.');
      // The handler passes this object to the factory unchanged.
      const authInfo: AuthInfo = { token: '', clientId: '', scopes: [], ...caller.authInfo };
      callers.set(authInfo, caller);
      return await handler.fetch(request, { authInfo });
    } catch (error) {
      return toErrorResponse(error, logger);
    }
  }

  async function openStdio(p: StdioOptions = {}): Promise<StdioConnection> {
    rejectUnknownOptions(p, stdioOptionNames, 'connectStdio');
    const { userId = 'user' } = p;
    assertName('userId', userId);
    if (closed) throw new TholeError('INVALID_INPUT', 'The server is closed.');
    const startedAt = runtime.monotonic();
    let server: McpServer | undefined;
    const factory = (): McpServer => (server = createServer({ userId, assertMayAnswer: async () => {} }));
    const { bodyBytes } = limits;
    const onTooLarge = (): void =>
      logger.warn('A message over limits.bodyBytes closed the connection of an MCP client.', { bodyBytes });
    const connection = await connectStdio(factory, { ...p, bodyBytes, onError, onTooLarge });
    connections.add(connection);
    void connection.closed.then(() => {
      connections.delete(connection);
      if (!server) return;
      const attributes = { ...transportAttributes(false), ...versionOf(server) };
      measureSession(runtime, { side: 'server', startedAt, attributes });
    });
    return connection;
  }

  async function closeAll(): Promise<void> {
    closing.abort(new TholeError('RUN_ABORTED', 'The MCP server was closed.'));
    await Promise.all(activeCalls);
    await Promise.all([handler.close(), ...[...connections].map((each) => each.close())]);
    await Promise.all(ownRunners.map((runner) => runner.close()));
  }

  const hasAuthorize = options.authorize !== undefined;
  return { fetch, hasAuthorize, connectStdio: openStdio, close: () => (closed ??= closeAll()) };
}

/** True if the client can show forms. A client that declares elicitation without a kind supports forms. */
function supportsForms(request: ServerContext['mcpReq'], { server }: McpServer): boolean {
  const envelope = request.envelope as { [key: string]: unknown } | undefined;
  const requestCapabilities = envelope?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
  // Clients of the older protocol declare their capabilities once per connection.
  const { elicitation } = requestCapabilities ?? server.getClientCapabilities() ?? {};
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** Returns the response for a rejected request: the thrown `Response` of `authorize`, or the error without the details of a failure. */
function toErrorResponse(error: unknown, logger: Logger): Response {
  const isTholeError = TholeError.is(error);
  if (!isTholeError && isResponse(error)) return error;
  const status = (isTholeError && error.status) || 500;
  if (isTholeError && status < 500) return errorResponse(status, error.message);
  logger.error('A request failed.', { ...errorFields(error) });
  return errorResponse(status, 'The server failed.');
}

function errorResponse(status: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null }, { status });
}
