import { McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { HttpServer } from './http-server.ts';

/** A server of the older protocol that keeps sessions. */
export interface SessionServer {
  readonly http: HttpServer;
  /** Ids of the open sessions. */
  readonly sessions: Map<string, WebStandardStreamableHTTPServerTransport>;
  /** Returns the number of sessions that were created. */
  readonly count: () => number;
}

/** Starts a server with sessions on a free port. It answers 404 for a session that it does not know. */
export async function startSessionServer(addTools: (server: McpServer) => void): Promise<SessionServer> {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  let count = 0;
  const http = await HttpServer.start(async (request) => {
    const id = request.headers.get('mcp-session-id');
    const known = id === null ? undefined : sessions.get(id);
    if (known) return known.handleRequest(request);
    const error = { jsonrpc: '2.0', id: null, error: { code: -32_001, message: 'Session not found' } };
    if (id !== null) return Response.json(error, { status: 404 });
    const body = (await request.clone().json()) as { method?: string };
    // A server of the older protocol does not know the request that detects the protocol.
    if (body.method !== 'initialize') return Response.json(error, { status: 400 });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => `session-${++count}`,
      onsessioninitialized: (sessionId) => void sessions.set(sessionId, transport),
      onsessionclosed: (sessionId) => void sessions.delete(sessionId),
    });
    const server = new McpServer({ name: 'sessions', version: '1.0.0' });
    addTools(server);
    await server.connect(transport);
    return transport.handleRequest(request);
  });
  return { http, sessions, count: () => count };
}
