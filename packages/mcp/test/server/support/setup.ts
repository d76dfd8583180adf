import { PassThrough } from 'node:stream';
import { silentLogger, systemRuntime } from '@thole/core';
import { withRuntime } from '@thole/core/kit';
import type { Logger, LogFields, Runtime, SessionService } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { LlmAgent } from '@thole/runner';
import type { LlmAgentOptions } from '@thole/runner';
import { ScriptedLlm } from '@thole/testing';
import type { ScriptedAnswer } from '@thole/testing';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { ClientCapabilities, ElicitRequestFormParams, ElicitResult } from '@modelcontextprotocol/client';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { onTestFinished } from 'vitest';
import { mcpServer } from '@thole/mcp/server';
import type { AgentServer, AgentServerOptions, RequestSource } from '@thole/mcp/server';

/** Protocol eras, as the client's negotiation modes. */
export const eras = ['legacy', 'auto'] as const;
export type Era = (typeof eras)[number];

export interface Setup {
  server: AgentServer;
  sessionService: SessionService;
  model: ScriptedLlm;
  /** Log lines: level, message and fields. */
  logged: [level: string, message: string, fields: LogFields | undefined][];
}

/** Serves one agent `clerk` of the app `shop` whose model follows a script. */
export function serveClerk(
  answers: readonly ScriptedAnswer[],
  p: { agent?: Partial<LlmAgentOptions>; options?: Partial<AgentServerOptions> } = {},
): Setup {
  const model = new ScriptedLlm(...answers);
  const rootAgent = new LlmAgent({ name: 'clerk', description: 'Knows the shop.', model, ...p.agent });
  const sessionService = new InMemorySessionService();
  const { runtime, logged } = loggingRuntime();
  const options = { agents: ['clerk'], sessionService, runtime, ...p.options };
  const server = mcpServer({ name: 'shop', rootAgent }, options);
  onTestFinished(() => server.close());
  return { server, sessionService, model, logged };
}

export function loggingRuntime(): { runtime: Runtime; logged: Setup['logged'] } {
  const logged: Setup['logged'] = [];
  const at =
    (level: string): Logger['info'] =>
    (message, fields) =>
      void logged.push([level, message, fields]);
  const logger = { ...silentLogger, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  return { runtime: withRuntime(systemRuntime(), { logger }), logged };
}

export type Answer = (form: ElicitRequestFormParams) => ElicitResult;

export interface ConnectOptions {
  era?: Era | undefined;
  /** Answers forms. Without it, the client declares no support for elicitation. */
  onForm?: Answer | undefined;
  source?: RequestSource | undefined;
  headers?: { [name: string]: string } | undefined;
  url?: string | undefined;
}

/** Connects the official client over HTTP, without a network. */
export async function connectHttp(server: AgentServer, p: ConnectOptions = {}): Promise<Client> {
  const transport = new StreamableHTTPClientTransport(new URL(p.url ?? 'http://localhost/mcp'), {
    fetch: (url, init) => server.fetch(new Request(url, init), p.source),
    ...(p.headers && { requestInit: { headers: p.headers } }),
  });
  const client = createClient(p);
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

/** Connects the official client over streams, as over stdio. */
export async function connectStreams(
  server: AgentServer,
  p: ConnectOptions & { userId?: string } = {},
): Promise<{ client: Client; closed: Promise<void>; toServer: PassThrough }> {
  const [toServer, toClient] = [new PassThrough(), new PassThrough()];
  const userId = p.userId;
  const { closed } = await server.connectStdio({ input: toServer, output: toClient, userId });
  const client = createClient(p);
  // The transport of the server's package reads and writes any two streams.
  await client.connect(new StdioServerTransport(toClient, toServer));
  onTestFinished(async () => {
    await client.close();
    toServer.end();
  });
  return { client, closed, toServer };
}

function createClient({ era = 'auto', onForm }: ConnectOptions): Client {
  const capabilities: ClientCapabilities = onForm ? { elicitation: { form: {} } } : {};
  const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities, versionNegotiation: { mode: era } });
  if (onForm)
    client.setRequestHandler('elicitation/create', async (request) =>
      onForm(request.params as ElicitRequestFormParams),
    );
  return client;
}

/** Returns the texts of a result. */
export function textOfResult(result: object): string {
  const blocks = ((result as { content?: unknown }).content ?? []) as { type: string; text?: string }[];
  return blocks.map(({ type, text }) => text ?? `[${type}]`).join('\n');
}
