import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import type { McpRequestContext } from '@modelcontextprotocol/server';
import { HttpServer } from './http-server.ts';

/** Schema of an object with these properties, for a tool of a test. */
export function objectSchema(
  properties: { [name: string]: object } = {},
): ReturnType<typeof fromJsonSchema<{ [name: string]: string }>> {
  return fromJsonSchema<{ [name: string]: string }>({ type: 'object', properties } as never);
}

/** Starts an HTTP server that supports both protocols, without sessions. */
export async function startToolServer(
  addTools: (server: McpServer, context: McpRequestContext) => void,
  p: { instructions?: string; legacy?: 'stateless' | 'reject' } = {},
): Promise<HttpServer> {
  const { instructions, legacy = 'stateless' } = p;
  const handler = createMcpHandler(
    (context) => {
      const server = new McpServer(
        { name: 'tools', version: '1.0.0' },
        { ...(instructions !== undefined && { instructions }) },
      );
      addTools(server, context);
      return server;
    },
    { legacy },
  );
  return HttpServer.start((request) => handler.fetch(request));
}
