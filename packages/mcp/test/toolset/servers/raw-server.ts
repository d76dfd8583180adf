import { onTestFinished } from 'vitest';
import { HttpServer } from './http-server.ts';

/** Result of a method, or a response that is sent unchanged. */
type Reply = object | Response | Promise<object | Response>;

/** Starts a server of the older protocol that answers methods with `replies`, valid or not. Closed when the test ends. */
export async function startRawServer(replies: {
  [method: string]: (params: { [name: string]: unknown }, request: Request) => Reply;
}): Promise<HttpServer> {
  const server = await HttpServer.start(async (request) => {
    if (request.method !== 'POST') return new Response(null, { status: 405 });
    const { id, method, params } = (await request.clone().json()) as {
      id?: number;
      method: string;
      params?: { [name: string]: unknown };
    };
    if (id === undefined) return new Response(null, { status: 202 });
    const known: typeof replies = {
      initialize: () => ({
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'raw', version: '1' },
      }),
      'tools/list': () => ({ tools: [{ name: 'read', inputSchema: { type: 'object' } }] }),
      ...replies,
    };
    const reply = known[method];
    if (!reply) return Response.json({ jsonrpc: '2.0', id, error: { code: -32_601, message: 'Method not found' } });
    const result = await reply(params ?? {}, request);
    return result instanceof Response ? result : Response.json({ jsonrpc: '2.0', id, result });
  });
  onTestFinished(() => server.close());
  return server;
}

/** Never resolves. */
export function never<T>(): Promise<T> {
  return new Promise(() => undefined);
}
