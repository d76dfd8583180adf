import type {
  Client,
  ElicitResult,
  PriorDiscovery,
  RequestOptions,
  Tool as McpToolDefinition,
  Transport,
} from '@modelcontextprotocol/client';
import type { Runtime, SpanAttributes } from '@thole/core';
import { TholeError } from '@thole/core';
import { errorFields, serverAttributes, withTimeLimit } from '@thole/core/kit';
import { transportAttributes } from '../../telemetry/transport-attributes.ts';
import { DEFAULT_TIMEOUT_MS } from './connection-params.ts';
import type { McpConnectionParams, McpHeaders, McpProtocol } from './connection-params.ts';
import { ConnectionTelemetry } from './connection-telemetry.ts';
import type { TracedContext } from './connection-telemetry.ts';
import { McpHttp } from './mcp-http.ts';
import type { StreamEnd } from './mcp-http.ts';
import { messageTooLargeError } from './limit-body.ts';
import { createStdioTransport, isTooLarge } from './stdio-transport.ts';
import { isConnectionClosed } from './to-mcp-error.ts';

const CLOSE_MS = 5_000;
const LIST_MAX_AGE_MS = 60_000;
/** Maximum number of tools in a list, before `toolFilter`. */
const MAX_LISTED_TOOLS = 10_000;

/** Handles the questions that a server of the older protocol sends during a call. */
export interface CallInProgress {
  handleQuestion(params: unknown, signal: AbortSignal): Promise<ElicitResult>;
}

/** Settings of a connection. */
export interface McpConnectionSettings {
  readonly params: McpConnectionParams;
  readonly server: string;
  readonly maxMessageBytes: number;
  readonly runtime: Runtime;
}

/** A connection to a server, for one user or for all. */
export class McpConnection {
  readonly client: Client;
  readonly http: McpHttp | undefined;
  /** Calls that the server handles. */
  readonly calls: Set<CallInProgress> = new Set();
  readonly #settings: McpConnectionSettings;
  readonly #transport: Transport;
  readonly #telemetry: ConnectionTelemetry;
  #isClosed = false;
  /** The reason why the transport ends the process, if it has one. */
  #failure: TholeError | undefined;
  #tools: { list: Promise<McpToolDefinition[]>; readAt: number } | undefined;

  private constructor(
    settings: McpConnectionSettings,
    client: Client,
    transport: Transport,
    http: McpHttp | undefined,
  ) {
    this.#settings = settings;
    this.client = client;
    this.#transport = transport;
    this.http = http;
    this.#telemetry = new ConnectionTelemetry(() => this.#spanAttributes);
  }

  /**
   * Connects within the time limit. `prior` is the protocol that an earlier connection has detected. With it, the protocol
   * is not detected again. An abort of `signal` ends the attempt.
   */
  static async open(
    settings: McpConnectionSettings,
    p: { context: TracedContext; headers: McpHeaders; prior: PriorDiscovery | undefined; signal: AbortSignal },
  ): Promise<McpConnection> {
    const { params } = settings;
    const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    const client = new Client(
      { name: 'thole', version: '1' },
      {
        capabilities: { elicitation: { form: {} } },
        versionNegotiation: negotiationOf(params),
        inputRequired: { autoFulfill: false },
        // Schemas of servers are not compiled: a pattern in them could block this process. Without a validator, the client also
        // accepts results without structured content, such as a request for input.
        jsonSchemaValidator: { getValidator: () => undefined as never },
      },
    );
    let http: McpHttp | undefined;
    let transport: Transport;
    if (params.type === 'StdioConnectionParams') {
      transport = await createStdioTransport(params.serverParams, settings);
    } else {
      http = new McpHttp(params, settings.maxMessageBytes);
      transport = new StreamableHTTPClientTransport(new URL(params.url), { fetch: http.fetch });
      http.watch(transport);
    }
    const connection = new McpConnection(settings, client, transport, http);
    connection.#listen();
    await connection.run(p, () => connection.#connect(p.prior, p.signal));
    connection.#beginSession(p.context);
    return connection;
  }

  /** True if the process has ended, or the connection was closed. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The detected protocol of the server, for the next connection. */
  get prior(): PriorDiscovery | undefined {
    const discover = this.client.getDiscoverResult();
    if (discover) return { kind: 'modern', discover };
    return this.client.getProtocolEra() === 'legacy' ? { kind: 'legacy' } : undefined;
  }

  /** Attributes of the server and the protocol, with the names of OpenTelemetry's conventions. */
  get #spanAttributes(): SpanAttributes {
    const { params } = this.#settings;
    const isHttp = params.type === 'StreamableHTTPConnectionParams';
    return {
      'mcp.protocol.version': this.client.getNegotiatedProtocolVersion(),
      'mcp.session.id': this.#transport.sessionId,
      ...transportAttributes(isHttp),
      ...(isHttp && serverAttributes(params.url)),
    };
  }

  /** Time limit of a request other than a tool call, in milliseconds. */
  get timeoutMs(): number {
    return this.#settings.params.timeout ?? DEFAULT_TIMEOUT_MS;
  }

  /**
   * Calls `work` with options for its requests. Throws `MCP_SERVER_FAILED` if all requests together take longer than the time
   * limit. `action` completes the sentence "The server did not …".
   */
  runWithTimeLimit<T>(action: string, work: (options: RequestOptions) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { timeoutMs } = this;
    const { runtime, server } = this.#settings;
    const timeoutError = (): TholeError =>
      new TholeError('MCP_SERVER_FAILED', `The MCP server "${server}" did not ${action} in time.`);
    return withTimeLimit({ runtime, ms: timeoutMs, timeoutError, signal }, (limitedSignal) =>
      work({ timeout: sdkTimeout(timeoutMs), signal: limitedSignal }),
    );
  }

  /** Calls `work`. Its requests have these headers, and their spans are children of the context's span. */
  async run<T>(
    p: { context: TracedContext; headers: McpHeaders },
    work: () => Promise<T>,
    onStreamEnd?: StreamEnd,
  ): Promise<T> {
    const { http } = this;
    try {
      return await this.#telemetry.run(p.context, () => (http ? http.run(p.headers, work, onStreamEnd) : work()));
    } catch (error) {
      throw this.#failure && isConnectionClosed(error) ? this.#failure : error;
    }
  }

  /** Returns the tools. The list is cached for a minute, or until the server reports a change. */
  async listTools(): Promise<McpToolDefinition[]> {
    const now = this.#settings.runtime.monotonic();
    if (this.#tools && now - this.#tools.readAt < LIST_MAX_AGE_MS) return this.#tools.list;
    const list = this.#readTools();
    this.#tools = { list, readAt: now };
    list.catch(() => this.forgetTools());
    return list;
  }

  forgetTools(): void {
    this.#tools = undefined;
  }

  /** Ends the session at the server, and its process if there is one. `failure` is the reason, if any. Never throws. */
  async close(failure?: TholeError): Promise<void> {
    this.#isClosed = true;
    this.#telemetry.endSession(failure);
    const { params } = this.#settings;
    try {
      if (params.type === 'StreamableHTTPConnectionParams' && params.terminateOnClose !== false) {
        const transport = this.#transport as Transport & { terminateSession?(): Promise<void> };
        const { runtime } = this.#settings;
        const timeoutError = (): Error => new Error(`The server did not answer in ${CLOSE_MS} ms.`);
        await withTimeLimit({ runtime, ms: CLOSE_MS, timeoutError }, async () => transport.terminateSession?.());
      }
    } catch (error) {
      this.#log('The session at an MCP server was not ended.', error);
    }
    await this.client.close().catch((error: unknown) => this.#log('An MCP server was not closed.', error));
  }

  #listen(): void {
    const { client } = this;
    this.#telemetry.watch(this.#transport);
    client.onclose = () => {
      this.#isClosed = true;
      const message = `The MCP server "${this.#settings.server}" closed the connection.`;
      this.#telemetry.endSession(new TholeError('MCP_SERVER_FAILED', message));
    };
    client.onerror = (error) => {
      if (isTooLarge(error)) this.#failure = messageTooLargeError(this.#settings.maxMessageBytes);
      this.#log('An MCP server failed.', error);
    };
    client.setNotificationHandler('notifications/tools/list_changed', () => this.forgetTools());
    client.setRequestHandler('elicitation/create', async ({ params }, context) => {
      // The protocol does not say to which call a question belongs. With several calls, another user could receive it.
      const [call, ...others] = this.calls;
      if (call && others.length === 0) return call.handleQuestion(params, context.mcpReq.signal);
      const fields = { server: this.#settings.server, calls: this.calls.size };
      this.#settings.runtime.logger.warn(
        'A question of an MCP server was declined: it needs exactly one open call.',
        fields,
      );
      return { action: 'decline' };
    });
  }

  /** The newer protocol has no sessions over HTTP. A process is a session in both protocols. */
  #beginSession(context: TracedContext): void {
    if (!this.http || this.client.getProtocolEra() === 'legacy') this.#telemetry.beginSession(context);
  }

  async #connect(prior: PriorDiscovery | undefined, signal: AbortSignal): Promise<void> {
    const { timeoutMs } = this;
    const { runtime, server } = this.#settings;
    const message = `The MCP server "${server}" was not ready in ${timeoutMs} ms.`;
    const timeoutError = (): TholeError => new TholeError('MCP_SERVER_FAILED', message, { retryable: true });
    const options = { timeout: sdkTimeout(timeoutMs), ...(prior && { prior }) };
    try {
      await withTimeLimit({ runtime, ms: timeoutMs, timeoutError, signal }, () =>
        this.client.connect(this.#transport, options),
      );
    } catch (error) {
      await this.#transport.close().catch(() => undefined);
      throw error;
    }
  }

  async #readTools(): Promise<McpToolDefinition[]> {
    if (!this.client.getServerCapabilities()?.tools) return [];
    const { tools } = await this.runWithTimeLimit('list its tools', (options) =>
      this.client.listTools(undefined, options),
    );
    if (tools.length <= MAX_LISTED_TOOLS) return tools;
    throw new TholeError(
      'MCP_SERVER_FAILED',
      `The MCP server "${this.#settings.server}" lists more than ${MAX_LISTED_TOOLS} tools. Offer fewer tools at the server.`,
    );
  }

  #log(message: string, error: unknown): void {
    this.#settings.runtime.logger.debug(message, { server: this.#settings.server, ...errorFields(error) });
  }
}

const MAX_TIMER_MS = 2 ** 31 - 1;

/** Returns a time limit that the SDK's timers support. */
export function sdkTimeout(ms: number): number {
  return Math.min(ms, MAX_TIMER_MS);
}

function negotiationOf(params: McpConnectionParams): { mode: 'auto' | 'legacy' | { pin: string } } {
  const defaultProtocol: McpProtocol = params.type === 'StdioConnectionParams' ? 'legacy' : 'auto';
  const { protocol = defaultProtocol } = params;
  return { mode: protocol === 'modern' ? { pin: '2026-07-28' } : protocol };
}
