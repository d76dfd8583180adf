import { createServer, STATUS_CODES } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { systemRuntime, TholeError } from '@thole/core';
import { optionNames, rejectUnknownOptions, typeName } from '@thole/core/kit';
import type { Runtime } from '@thole/core';
import { assertAllowedHosts } from './http/assert-allowed-hosts.ts';
import { errorResponse } from './http/error-response.ts';
import { assertHost, hostOf, loopbackNames } from './http/hosts.ts';
import type { CloseOptions, Handler } from './handler.ts';
import { nodeAdapter } from './node-adapter.ts';
import { errorAnswer, INVALID_HTTP } from './node-listener.ts';

/** Options of `serve`. */
export interface ServeOptions {
  /** Port to listen on. 0 chooses a free port. Default: 8000. */
  port?: number | undefined;
  /**
   * Address to listen on. An address that other machines can reach requires a handler with `authorize`. Default:
   * 127.0.0.1.
   */
  host?: string | undefined;
  /** Additional host names that the `Host` header may contain if the server listens on this machine only. Default: none. */
  allowedHosts?: readonly string[] | undefined;
  /** True to allow every client that reaches the server to act for every user. Default: false. */
  dangerouslyAllowUnauthenticated?: boolean | undefined;
  /** Clock and timers. Default: `systemRuntime()`. */
  runtime?: Runtime | undefined;
}

/** A server that is listening. */
export interface RunningServer {
  /** URL without a path, such as `http://127.0.0.1:8000`. */
  readonly url: string;
  /** Node's HTTP server. */
  readonly server: Server;
  /**
   * Stops the server:
   * 1. For `drainMs` milliseconds (default: 0), continues to serve, while `/health` answers 503 so that a load balancer
   * sends no more requests.
   * 2. Accepts no new connections, waits `timeoutMs` milliseconds (default: 10,000) for active runs, and aborts the
   * rest.
   * 3. Closes the handler and the remaining connections, and with `services` also the services of the handler.
   *
   * Afterwards, the server does not keep the process running. Further calls return the same promise.
   */
  close(p?: CloseOptions & { drainMs?: number | undefined }): Promise<void>;
}

const LOOPBACK_HOSTS = new Set(['127.0.0.1', 'localhost', '::1']);
const knownOptions = optionNames<ServeOptions>({
  port: true,
  host: true,
  allowedHosts: true,
  dangerouslyAllowUnauthenticated: true,
  runtime: true,
});
/** Time to wait until finished responses have reached their clients when the server closes, in milliseconds. */
const FLUSH_TIMEOUT_MS = 2_000;
/** Interval at which idle connections are closed during that time, in milliseconds. */
const IDLE_CHECK_MS = 20;
/** Maximum bytes of all headers. Larger headers are answered with 431. */
const MAX_HEADER_BYTES = 32 * 1024;

/**
 * Serves a handler over HTTP. Resolves when the server listens. Throws `FORBIDDEN` for an address that other machines
 * can reach if the handler has no `authorize`, and `INVALID_INPUT` if the address cannot be used. `@hono/node-server`
 * replaces the global `Request` and `Response` of this process with lighter classes.
 */
export async function serve(handler: Handler, options: ServeOptions = {}): Promise<RunningServer> {
  rejectUnknownOptions(options, knownOptions, 'serve');
  const {
    port = 8000,
    host = '127.0.0.1',
    dangerouslyAllowUnauthenticated = false,
    runtime = systemRuntime(),
  } = options;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    const got = typeof port === 'number' ? port : typeName(port);
    throw new TholeError('INVALID_INPUT', `port must be an integer from 0 to 65535, got ${got}.`);
  }
  assertAllowedHosts(options.allowedHosts);
  const isLoopback = LOOPBACK_HOSTS.has(host);
  if (!isLoopback && !handler.hasAuthorize && !dangerouslyAllowUnauthenticated)
    throw new TholeError(
      'FORBIDDEN',
      `Listening on ${host} requires a handler with authorize, because other machines can reach it.`,
    );
  const allowed = [...loopbackNames, ...(options.allowedHosts ?? [])];
  const listener = nodeAdapter(
    (request, client) => {
      // On other addresses the handler checks the Host of local clients.
      if (!isLoopback) return handler(request, client);
      try {
        assertHost(hostOf(request), allowed);
      } catch (error) {
        return errorResponse(error, {});
      }
      return handler(request);
    },
    { overrideGlobalObjects: true, errorHandler: () => errorAnswer(400, INVALID_HTTP) },
  );
  const responses = new WeakMap<Duplex, ServerResponse>();
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, requireHostHeader: false }, (request, response) => {
    responses.set(request.socket, response);
    listener(request, response);
  });
  server.on('clientError', (error: Error & { code?: string }, socket) => {
    const response = responses.get(socket);
    // An error written inside another response would be read as part of it.
    const isResponding = response?.headersSent && !response.writableFinished;
    if (error.code === 'ECONNRESET' || !socket.writable || isResponding) return void socket.destroy();
    const [status, detail] = parserErrors[error.code!] ?? [400, INVALID_HTTP];
    rejectSocket(socket, status, detail);
  });
  server.on('connect', (_, socket) => rejectSocket(socket, 405, 'The server is not a proxy.'));
  server.on('checkExpectation', ({ socket }) =>
    rejectSocket(socket, 417, 'The server does not support the Expect header of the request.'),
  );
  await listen(server, port, host);
  const { port: boundPort } = server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  let closing: Promise<void> | undefined;
  return {
    url: `http://${name}:${boundPort}`,
    server,
    close: (p = {}) => (closing ??= close(server, { ...p, handler, runtime })),
  };
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: Error & { code?: string }) =>
      reject(
        new TholeError(
          'INVALID_INPUT',
          // Windows answers EACCES for ports that it reserves.
          `Cannot listen on ${host}:${port}: ${cause.code}.${/^E(?:ADDRINUSE|ACCES)$/.test(cause.code ?? '') ? ' Choose another port.' : ''}`,
          { cause },
        ),
      ),
    );
    server.listen(port, host, resolve);
  });
}

async function close(
  server: Server,
  p: CloseOptions & { handler: Handler; runtime: Runtime; drainMs?: number | undefined },
): Promise<void> {
  await p.handler.drain(p.drainMs ?? 0);
  const serverClosed = new AbortController();
  const closed = new Promise<void>((resolve) => server.close(() => resolve())).then(() => serverClosed.abort());
  await p.handler.close({ timeoutMs: p.timeoutMs });
  // After its response, a connection stays open for the next request. Node has no event for that, so idle connections are polled.
  for (let waitedMs = 0; waitedMs < FLUSH_TIMEOUT_MS && !serverClosed.signal.aborted; waitedMs += IDLE_CHECK_MS) {
    server.closeIdleConnections();
    await p.runtime.sleep(IDLE_CHECK_MS, serverClosed.signal).catch(() => {});
  }
  server.closeAllConnections();
  await closed;
  if (p.services) await p.handler.close({ services: true });
}

/** Status and message for errors of Node's HTTP parser. */
const parserErrors: { readonly [code: string]: readonly [number, string] } = {
  HPE_HEADER_OVERFLOW: [431, `The address and the headers must have at most ${MAX_HEADER_BYTES} bytes together.`],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions of the body are too long.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time.'],
};

// Answers a request that Node rejects before the handler, in the format of the handler's errors.
function rejectSocket(socket: Duplex, status: number, detail: string): void {
  const body = JSON.stringify({ detail, code: status === 405 ? 'METHOD_NOT_ALLOWED' : 'INVALID_INPUT' });
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-type: application/json\r\n`;
  socket.end(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}
