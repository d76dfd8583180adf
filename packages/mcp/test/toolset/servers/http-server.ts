import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { StreamableHTTPConnectionParams } from '../../../src/index.ts';

/** A request that the server received. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
}

/** Serves a function from Request to Response on a free port of this computer. */
export class HttpServer {
  readonly requests: ReceivedRequest[] = [];
  handle: (request: Request) => Promise<Response> | Response;
  readonly #server: Server;

  private constructor(server: Server, handle: (request: Request) => Promise<Response> | Response) {
    this.#server = server;
    this.handle = handle;
  }

  static async start(handle: (request: Request) => Promise<Response> | Response): Promise<HttpServer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const started = new HttpServer(server, handle);
    server.on('request', (request, response) => void started.#serve(request, response));
    return started;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Returns parameters with which a toolset reaches the server. */
  params(other: Partial<StreamableHTTPConnectionParams> = {}): StreamableHTTPConnectionParams {
    return {
      type: 'StreamableHTTPConnectionParams',
      url: `${this.url}/mcp`,
      privateHosts: ['127.0.0.1'],
      ...other,
    };
  }

  /** JSON-RPC methods of the received messages, in order. */
  get methods(): string[] {
    return this.requests.flatMap(({ body }) =>
      body === '' ? [] : ((JSON.parse(body) as { method?: string }).method ?? []),
    );
  }

  /** Ends all connections, also those with a request. */
  closeConnections(): void {
    this.#server.closeAllConnections();
  }

  async close(): Promise<void> {
    this.closeConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Uint8Array);
    const body = new TextDecoder().decode(await new Blob(chunks as Uint8Array<ArrayBuffer>[]).arrayBuffer());
    const method = incoming.method!;
    const headers = new Headers(incoming.headers as Record<string, string>);
    this.requests.push({ method, path: incoming.url!, headers, body });
    const abort = new AbortController();
    outgoing.on('close', () => abort.abort());
    const hasBody = method !== 'GET' && method !== 'HEAD';
    const request = new Request(this.url + incoming.url!, {
      method,
      headers,
      signal: abort.signal,
      ...(hasBody && { body }),
    });
    const response = await this.handle(request);
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    try {
      for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
        if (outgoing.destroyed) break;
        outgoing.write(chunk);
        await new Promise((resolve) => void setImmediate(resolve));
      }
    } catch {
      outgoing.destroy();
    }
    outgoing.end();
  }
}
