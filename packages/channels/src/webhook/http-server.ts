import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { TholeError } from '@thole/core';

/** A server of Node that passes every request to one handler. */
export class HttpServer {
  readonly #server: Server;
  #isClosing = false;

  constructor(handle: (request: Request) => Promise<Response>) {
    this.#server = createServer((request, response) => {
      void answer(request, response, async (each) => {
        const answered = await handle(each);
        if (this.#isClosing) answered.headers.set('connection', 'close');
        return answered;
      });
    });
    this.#server.headersTimeout = 10_000;
    this.#server.requestTimeout = 60_000;
  }

  /** Listens. Returns the port. Throws `CHANNEL_UNAVAILABLE` if the port is taken. */
  listen(port: number, host: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', (cause) => {
        reject(new TholeError('CHANNEL_UNAVAILABLE', `The channel cannot listen on ${host}:${port}.`, { cause }));
      });
      this.#server.listen(port, host, () => resolve((this.#server.address() as AddressInfo).port));
    });
  }

  /** Accepts no more requests. Resolves when the active ones are answered. */
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
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort());
  try {
    const response = await handle(toRequest(incoming, gone.signal));
    const body = Buffer.from(await response.arrayBuffer());
    if (outgoing.destroyed) return;
    // A body that was not read completely cannot be followed by another request.
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
  // The host is not trusted, and not needed.
  return new Request(new URL(incoming.url ?? '/', 'http://localhost'), {
    method,
    headers,
    body,
    signal,
    duplex: 'half',
  } as RequestInit);
}
