import { createServer, STATUS_CODES } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { systemRuntime, TholeError } from '@thole/core';
import { assertCount, rejectUnknownOptions } from '@thole/core/kit';
import type { Runtime } from '@thole/core';
import { errorResponse } from './http/error-response.ts';
import { assertHost, hostOf, loopbackNames } from './http/hosts.ts';
import type { CloseOptions, Handler } from './handler.ts';
import { nodeAdapter } from './node-adapter.ts';
import { refusal } from './node-listener.ts';

/** Where to listen, and how. */
export interface ServeOptions {
  /** 8000; 0 takes a free one. */
  port?: number | undefined;
  /** 127.0.0.1. Another than loopback needs a handler with `authorize`. */
  host?: string | undefined;
  /** Further names that requests on loopback may name as their host. */
  allowedHosts?: readonly string[] | undefined;
  /** Lets everybody who reaches the machine act for everybody. */
  dangerouslyAllowUnauthenticated?: boolean | undefined;
  runtime?: Runtime | undefined;
}

/** A server that takes requests. */
export interface Served {
  readonly url: string;
  readonly server: Server;
  /**
   * Goes on serving for `drainMs` (0) while `/health` says 503, so that a load balancer looks elsewhere; then takes no connections,
   * lets runs end for `timeoutMs` (10 s), aborts the rest, and closes the handler and what connections are left; with `services` also
   * the services that the handler was given. Nothing of the server keeps the process alive afterwards.
   */
  close(p?: CloseOptions & { drainMs?: number | undefined }): Promise<void>;
}

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '::1']);
const KNOWN = ['port', 'host', 'allowedHosts', 'dangerouslyAllowUnauthenticated', 'runtime'];
/** How long answers that are ready may take to reach their clients when the server closes. */
const LAST_BYTES_MS = 2_000;
/** How often connections are looked at that may be idle by then. */
const LOOK_MS = 20;
/** Node's own limit for headers; what is beyond is answered with 431. */
const HEADER_BYTES = 32 * 1024;

/**
 * Serves a handler over HTTP and resolves when it listens. In this process `Request` and `Response` become the lighter ones of
 * `@hono/node-server`, as with its own `serve`. `FORBIDDEN` for an address that others can reach, without `authorize`;
 * `INVALID_INPUT` for one that cannot be had.
 */
export async function serve(handler: Handler, options: ServeOptions = {}): Promise<Served> {
  rejectUnknownOptions(options, KNOWN, 'serve');
  const {
    port = 8000,
    host = '127.0.0.1',
    dangerouslyAllowUnauthenticated = false,
    runtime = systemRuntime(),
  } = options;
  assertCount('port', port);
  const isLoopback = LOOPBACK.has(host);
  if (!isLoopback && !handler.guarded && !dangerouslyAllowUnauthenticated)
    throw new TholeError('FORBIDDEN', `Listening on ${host} needs a handler with authorize: others could reach it.`);
  const allowed = [...loopbackNames, ...(options.allowedHosts ?? [])];
  const listener = nodeAdapter(
    (request) => {
      if (isLoopback) {
        try {
          assertHost(hostOf(request), allowed);
        } catch (error) {
          return errorResponse(error, {});
        }
      }
      return handler(request);
    },
    { overrideGlobalObjects: true, errorHandler: () => refusal(400, 'The request is not HTTP as it should be.') },
  );
  const answers = new WeakMap<Duplex, ServerResponse>();
  const server = createServer({ maxHeaderSize: HEADER_BYTES, requireHostHeader: false }, (request, response) => {
    answers.set(request.socket, response);
    listener(request, response);
  });
  server.on('clientError', (error: Error & { code?: string }, socket) => {
    const answer = answers.get(socket);
    // What is said in the middle of another answer would be taken for a part of it.
    const isAnswering = answer?.headersSent && !answer.writableFinished;
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) return void socket.destroy();
    refuse(socket, STATUS_OF[error.code!] ?? 400, 'The request is not HTTP as it should be.');
  });
  server.on('connect', (_, socket) => refuse(socket, 405, 'The server is no proxy.'));
  server.on('checkExpectation', ({ socket }) =>
    refuse(socket, 417, 'The server cannot meet what the request expects.'),
  );
  await listen(server, port, host);
  const { port: taken } = server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  let closing: Promise<void> | undefined;
  return {
    url: `http://${name}:${taken}`,
    server,
    close: (p = {}) => (closing ??= close(server, { ...p, handler, runtime })),
  };
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: Error & { code?: string }) =>
      reject(new TholeError('INVALID_INPUT', `Cannot listen on ${host}:${port}: ${cause.code}.`, { cause })),
    );
    server.listen(port, host, resolve);
  });
}

async function close(
  server: Server,
  p: CloseOptions & { handler: Handler; runtime: Runtime; drainMs?: number | undefined },
): Promise<void> {
  await p.handler.drain(p.drainMs ?? 0);
  const over = new AbortController();
  const closed = new Promise<void>((resolve) => server.close(() => resolve())).then(() => over.abort());
  await p.handler.close({ timeoutMs: p.timeoutMs });
  // A connection whose answer has gone out stays open for its next request, and nobody tells when that is so.
  for (let waitedMs = 0; waitedMs < LAST_BYTES_MS && !over.signal.aborted; waitedMs += LOOK_MS) {
    server.closeIdleConnections();
    await p.runtime.sleep(LOOK_MS, over.signal).catch(() => {});
  }
  server.closeAllConnections();
  await closed;
  if (p.services) await p.handler.close({ services: true });
}

const STATUS_OF: { readonly [code: string]: number } = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

// What Node refuses by itself never reaches the handler, and is answered like what does.
function refuse(socket: Duplex, status: number, detail: string): void {
  const body = JSON.stringify({ detail, code: status === 405 ? 'METHOD_NOT_ALLOWED' : 'INVALID_INPUT' });
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-type: application/json\r\n`;
  socket.end(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}
