import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemRuntime } from '@thole/core';
import type { Json } from '@thole/core';

/** A request of a client. */
export interface ReceivedRequest {
  readonly method: string;
  /** Path with query. */
  readonly path: string;
  /** Headers with names in lower case. */
  readonly headers: { readonly [name: string]: string | undefined };
  /** The parsed JSON, or the text if it is not JSON. */
  readonly body: unknown;
}

/** An answer of the server. */
export interface ServerAnswer {
  /** Default: 200. */
  readonly status?: number | undefined;
  /** Default of `content-type`: `application/json`. */
  readonly headers?: { readonly [name: string]: string } | undefined;
  /** A list or iterable is written piece by piece, each in a separate packet as far as the system allows. */
  readonly body?: string | readonly (string | Uint8Array)[] | AsyncIterable<string | Uint8Array> | undefined;
  /**
   * End of the answer after the body. `cut` breaks the connection. `silence` sends nothing more on the open connection;
   * without a body it does not even send the headers. Default: `end`.
   */
  readonly ending?: 'end' | 'cut' | 'silence' | undefined;
}

/** Returns the answer to one request. */
export type Answering = (request: ReceivedRequest) => ServerAnswer | Promise<ServerAnswer>;

/**
 * A real HTTP server on a free local port with scripted answers, for tests of provider protocols. It keeps all
 * requests and counts the open answers.
 */
export class ProtocolServer {
  /** All requests, in order. */
  readonly requests: ReceivedRequest[] = [];
  readonly #server: Server;
  readonly #open = new Set<ServerResponse>();
  readonly #waiting = new Set<() => void>();
  // The system runtime: a test's clock cannot control a network.
  readonly #runtime = systemRuntime();

  private constructor(answering: Answering) {
    this.#server = createServer((request, response) => void this.#answer(request, response, answering));
  }

  /** Starts a server on 127.0.0.1. */
  static async start(answering: Answering): Promise<ProtocolServer> {
    const server = new ProtocolServer(answering);
    await new Promise<void>((resolve, reject) => {
      server.#server.once('error', reject);
      server.#server.listen(0, '127.0.0.1', resolve);
    });
    return server;
  }

  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Number of open answers: neither the server nor the client has ended them. */
  get open(): number {
    return this.#open.size;
  }

  /** Resolves when no answer is open. Rejects if an answer is still open after `limitMs`. Default: 1,000. */
  allEnded(limitMs: number = 1000): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        if (this.#open.size > 0) return;
        cancel();
        this.#waiting.delete(check);
        resolve();
      };
      const cancel = this.#runtime.timer(limitMs, () => {
        this.#waiting.delete(check);
        reject(new Error(`${this.#open.size} answers were still open after ${limitMs} ms.`));
      });
      this.#waiting.add(check);
      check();
    });
  }

  /** Closes open connections and stops listening. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse, answering: Answering): Promise<void> {
    this.#open.add(response);
    response.on('close', () => {
      this.#open.delete(response);
      for (const check of this.#waiting) check();
    });
    const request = await receive(incoming);
    if (!request) return;
    this.requests.push(request);
    try {
      await write(response, await answering(request));
    } catch (error) {
      if (!response.headersSent) response.writeHead(500, { 'content-type': 'text/plain' });
      response.end(`The function that answers requests failed: ${String(error)}`);
    }
  }
}

/**
 * Returns server-sent events, one text each. A string is sent unchanged in `data:`, other values as JSON. `{event,
 * data}` sets the event's name. `newline` is LF or CRLF.
 */
export function serverSentEvents(
  events: readonly (string | { readonly event: string; readonly data: Json } | { readonly data: Json })[],
  newline: '\n' | '\r\n' = '\n',
): string[] {
  return events.map((each) => {
    if (typeof each === 'string') return `data: ${each}${newline}${newline}`;
    const name = 'event' in each ? `event: ${each.event}${newline}` : '';
    return `${name}data: ${JSON.stringify(each.data)}${newline}${newline}`;
  });
}

/** Returns the UTF-8 bytes of a text in pieces of this size (≥ 1), which may split characters. */
export function bytesOf(text: string, size: number): Uint8Array[] {
  if (!(size >= 1)) throw new RangeError('size must be a number ≥ 1.');
  const bytes = new TextEncoder().encode(text);
  const pieces: Uint8Array[] = [];
  for (let i = 0; i < bytes.length; i += size) pieces.push(bytes.subarray(i, i + size));
  return pieces;
}

/** Returns undefined if the client closed the connection. */
async function receive(incoming: IncomingMessage): Promise<ReceivedRequest | undefined> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of incoming) chunks.push(chunk as Uint8Array);
  } catch {
    return undefined;
  }
  const text = new TextDecoder().decode(Buffer.concat(chunks));
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
  return { method: incoming.method ?? '', path: incoming.url ?? '', headers, body: parse(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function write(response: ServerResponse, answer: ServerAnswer): Promise<void> {
  const { status = 200, headers, body, ending = 'end' } = answer;
  if (ending === 'silence' && body === undefined) return;
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.flushHeaders();
  for await (const piece of typeof body === 'string' ? [body] : (body ?? [])) {
    if (response.destroyed) return;
    await new Promise<void>((resolve) => {
      response.once('close', resolve);
      response.write(piece, () => {
        response.off('close', resolve);
        resolve();
      });
    });
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (ending === 'end') response.end();
  if (ending === 'cut') response.socket?.destroy();
}
