import type { Prompt, ReadResourceResult, Resource, Tool as McpToolDefinition } from '@modelcontextprotocol/client';
import type { Content, ReadonlyContext, Runtime, Tool, Toolset } from '@thole/core';
import { systemRuntime, TholeError } from '@thole/core';
import { filterResult } from '@thole/core/kit';
import { ToolCalls } from './calls/tool-calls.ts';
import { ConnectionPool } from './connection/connection-pool.ts';
import { assertConnectionParams, serverLabel } from './connection/connection-params.ts';
import type { McpConnectionParams } from './connection/connection-params.ts';
import { McpConnection } from './connection/mcp-connection.ts';
import { ServerAccess } from './connection/server-access.ts';
import { assertToolNames } from './declarations/tool-names.ts';
import { createInstructionsTool } from './instructions-tool.ts';
import { McpTool } from './mcp-tool.ts';
import { assertToolFilter, assertToolsetOptions } from './mcp-toolset-options.ts';
import type { McpToolFilter, McpToolsetOptions } from './mcp-toolset-options.ts';
import { createLoadResourceTool } from './resources/load-mcp-resource-tool.ts';
import { McpResources } from './resources/mcp-resources.ts';
import { isSignInNeeded, McpSignIn } from './sign-in/mcp-sign-in.ts';
import { createSignInTool, signInToolName, waitsForSignIn } from './sign-in/sign-in-tool.ts';

const FIVE_MINUTES_MS = 300_000;
const MAX_RESULT_BYTES = 1024 * 1024;
/** A message contains a result and little else. */
const MESSAGE_OVERHEAD_BYTES = 1024 * 1024;

/**
 * The tools of one MCP server, over standard input and output or streamable HTTP. It connects when tools are first listed and
 * connects again after a lost session. `close` closes the connections; the toolset can be used again after that.
 *
 * The constructor throws `INVALID_INPUT` for parameters and options that are not valid. `getTools` and the other methods throw
 * `MCP_SERVER_FAILED` if the server cannot be reached or breaks the protocol, and `DUPLICATE_NAME` for two tools with one
 * name.
 */
export class McpToolset implements Toolset {
  readonly #server: string;
  readonly #options: McpToolsetOptions;
  readonly #filter: McpToolFilter | undefined;
  readonly #runtime: Runtime;
  readonly #pool: ConnectionPool;
  readonly #access: ServerAccess;
  readonly #calls: ToolCalls;
  readonly #resources: McpResources;
  readonly #maxResultBytes: number;
  /** Tools, by the list of the server from which they were created. */
  readonly #tools = new WeakMap<readonly McpToolDefinition[], readonly McpTool[]>();
  #hasWarned = false;

  constructor(connectionParams: McpConnectionParams, toolFilter?: McpToolFilter, options: McpToolsetOptions = {}) {
    assertConnectionParams(connectionParams);
    assertToolFilter(toolFilter);
    const isHttp = connectionParams.type === 'StreamableHTTPConnectionParams';
    assertToolsetOptions(options, isHttp);
    const { idleTimeoutMs = FIVE_MINUTES_MS, maxResultBytes = MAX_RESULT_BYTES, auth } = options;
    const server = serverLabel(connectionParams);
    const runtime = options.runtime ?? systemRuntime();
    const settings = {
      params: connectionParams,
      server,
      runtime,
      maxMessageBytes: maxResultBytes + MESSAGE_OVERHEAD_BYTES,
    };
    this.#server = server;
    this.#options = options;
    this.#filter = toolFilter;
    this.#runtime = runtime;
    this.#maxResultBytes = maxResultBytes;
    this.#pool = new ConnectionPool((p) => McpConnection.open(settings, p), { idleTimeoutMs, runtime });
    const signIn = auth && isHttp ? new McpSignIn(auth, connectionParams, runtime) : undefined;
    this.#access = new ServerAccess({ server, params: connectionParams, pool: this.#pool, signIn });
    const callTimeoutMs = (isHttp ? connectionParams.sseReadTimeout : undefined) ?? options.callTimeoutMs;
    const limits = {
      callTimeoutMs: callTimeoutMs ?? FIVE_MINUTES_MS,
      maxCallTimeMs: options.maxCallTimeMs ?? 2 * FIVE_MINUTES_MS,
      elicitationTimeoutMs: options.elicitationTimeoutMs ?? FIVE_MINUTES_MS,
      maxResultBytes,
    };
    this.#calls = new ToolCalls(this.#access, limits, runtime);
    this.#resources = new McpResources(this.#access);
  }

  /** Returns the tools that this user may use now. If the user must sign in first, returns a tool that requests the sign-in. */
  async getTools(context: ReadonlyContext): Promise<readonly Tool[]> {
    const p = { server: this.#server, prefix: this.#options.prefix };
    const { signIn } = this.#access;
    try {
      const tools = await this.#listTools(context);
      if (!signIn || !waitsForSignIn(context, signInToolName(p))) return tools;
      return [...tools, createSignInTool(signIn, p)];
    } catch (error) {
      if (signIn && isSignInNeeded(error)) return [createSignInTool(signIn, p)];
      throw error;
    }
  }

  /** Returns the resources of the server. */
  async listResources(context: ReadonlyContext): Promise<Resource[]> {
    return this.#resources.list(context);
  }

  /** Returns the contents of a resource. */
  async readResource(uri: string, context: ReadonlyContext): Promise<ReadResourceResult> {
    return this.#resources.read(context, uri);
  }

  /** Returns the prompts of the server. */
  async listPrompts(context: ReadonlyContext): Promise<Prompt[]> {
    return this.#resources.listPrompts(context);
  }

  /** Returns a prompt as messages, with these arguments. */
  async getPrompt(
    name: string,
    args: { readonly [name: string]: string },
    context: ReadonlyContext,
  ): Promise<Content[]> {
    return this.#resources.getPrompt(context, name, args);
  }

  /** Ends open calls and closes all connections. */
  async close(): Promise<void> {
    this.#calls.close();
    await this.#pool.close();
  }

  async #listTools(context: ReadonlyContext): Promise<readonly Tool[]> {
    const { useInstructions = true, useMcpResources, prefix } = this.#options;
    const { list, instructions } = await this.#access.use(context, context.signal, async (connection) => ({
      list: await connection.listTools(),
      instructions: connection.client.getInstructions(),
    }));
    const tools: Tool[] = this.#select(this.#toTools(list), context);
    if (useMcpResources) {
      const p = { server: this.#server, prefix, maxResultBytes: this.#maxResultBytes };
      tools.push(createLoadResourceTool(this.#resources, p));
    }
    if (useInstructions && instructions) tools.push(createInstructionsTool(instructions, this.#server));
    return tools;
  }

  #toTools(list: readonly McpToolDefinition[]): readonly McpTool[] {
    let tools = this.#tools.get(list);
    if (tools) return tools;
    const { prefix, requireConfirmation } = this.#options;
    const p = { server: this.#server, prefix, requireConfirmation, calls: this.#calls };
    tools = list.filter((each) => !requiresTask(each)).map((definition) => new McpTool(definition, p));
    this.#tools.set(list, tools);
    return tools;
  }

  /** Applies the filter. Names and the number of tools are checked after that, so that a filter can leave out tools. */
  #select(tools: readonly McpTool[], context: ReadonlyContext): McpTool[] {
    const filter = this.#filter;
    const selected = tools.filter((tool) =>
      typeof filter === 'function' ? filterResult(filter(tool, context)) : (filter?.includes(tool.mcpName) ?? true),
    );
    const { maxTools = 128 } = this.#options;
    if (selected.length > maxTools) {
      const subject = `${selected.length} tools${filter ? ' that toolFilter accepts' : ''}`;
      const nextStep = 'Leave some out with toolFilter, or raise maxTools';
      const message = `The MCP server "${this.#server}" has ${subject}, more than maxTools (${maxTools}). ${nextStep}.`;
      throw new TholeError('MCP_SERVER_FAILED', message);
    }
    assertToolNames(selected, this.#server);
    const missing =
      typeof filter === 'object' ? filter.filter((name) => tools.every(({ mcpName }) => mcpName !== name)) : [];
    if (missing.length > 0 && !this.#hasWarned) {
      this.#hasWarned = true;
      const fields = { server: this.#server, missing };
      this.#runtime.logger.warn('toolFilter names tools that the MCP server does not have.', fields);
    }
    return selected;
  }
}

/** True for a tool that can only be called as a task, which is not supported. */
function requiresTask({ execution }: McpToolDefinition): boolean {
  return execution?.taskSupport === 'required';
}

/** ADK's spelling of `McpToolset`. */
export const MCPToolset: typeof McpToolset = McpToolset;
/** ADK's spelling of `McpToolset`. */
export type MCPToolset = McpToolset;
