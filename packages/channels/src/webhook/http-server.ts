import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { TholeError } from '@thole/core';

/** An HTTP server for Node that passes every request to one handler. */
export class HttpServer {
  readonly #server: Server;
  #isClosing = false;

  constructor(handle: (request: Request) => Promise<Response>) {
    this.#server = createServer((request, response) => {
      void answer(request, response, async (each) => {
        const response = await handle(each);
        if (this.#isClosing) response.headers.set('connection', 'close');
        return response;
      });
    });
    this.#server.headersTimeout = 10_000;
    this.#server.requestTimeout = 60_000;
  }

  /** Starts to listen and returns the port. Throws `CHANNEL_UNAVAILABLE` if the port is in use. */
  listen(port: number, host: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', (cause) => {
        reject(
          new TholeError(
            'CHANNEL_UNAVAILABLE',
            `The channel cannot listen on ${host}:${port}. Choose another port or host.`,
            { cause },
          ),
        );
      });
      this.#server.listen(port, host, () => resolve((this.#server.address() as AddressInfo).port));
    });
  }

  /** Stops accepting requests. Resolves when all active requests are answered. */
  close(): Promise<void> {
    this.#isClosing = true;
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeIdleConnections();
    });
  }
}

async function answer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  handle: (request: Request) => Promise<Response>,
): Promise<void> {
  const disconnected = new AbortController();
  outgoing.once('close', () => disconnected.abort());
  try {
    const response = await handle(toRequest(incoming, disconnected.signal));
    const body = Buffer.from(await response.arrayBuffer());
    if (outgoing.destroyed) return;
    // If the body was not read completely, the connection cannot be used for another request.
    if (!incoming.complete) outgoing.setHeader('connection', 'close');
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(body, () => {
      if (!incoming.complete) incoming.destroy();
    });
  } catch {
    if (!outgoing.headersSent) outgoing.writeHead(400);
    outgoing.end();
  }
}

function toRequest(incoming: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headersDistinct))
    for (const each of value ?? []) headers.append(name, each);
  const method = incoming.method ?? 'GET';
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const body = hasBody ? (Readable.toWeb(incoming) as unknown as ReadableStream<Uint8Array>) : null;
  // The Host header is not trusted and not needed.
  return new Request(new URL(incoming.url ?? '/', 'http://localhost'), {
    method,
    headers,
    body,
    signal,
    duplex: 'half',
  } as RequestInit);
}
