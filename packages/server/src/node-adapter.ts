import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { getRequestListener } from '@hono/node-server';
import { systemRuntime } from '@thole/core';
import type { Client } from './handler.ts';

/** Time to wait for the rest of a body after its request was answered, in milliseconds. */
const BODY_REST_MS = 30_000;

/** A request of HTTP/1 or HTTP/2. */
export type NodeRequest = IncomingMessage | Http2ServerRequest;
/** A response of HTTP/1 or HTTP/2. */
export type NodeResponse = ServerResponse | Http2ServerResponse;

/**
 * Returns a listener of Node's `http` and `http2` for a function that handles a `Request`. Accepts HTTP/1.0 requests without a Host. If a
 * request is answered before its body has arrived, for example because the body is too large, the rest is read and discarded:
 * closing the connection earlier could lose the answer. The listener returns a promise of the end of the response. Its type is
 * `unknown`, because lint rules reject listeners whose type returns a promise.
 */
export function nodeAdapter(
  handle: (request: Request, client: Client) => Promise<Response> | Response,
  options: { overrideGlobalObjects: boolean; errorHandler?: (error: unknown) => Response },
): (incoming: NodeRequest, outgoing: NodeResponse) => unknown {
  const runtime = systemRuntime();
  const listener = getRequestListener(
    (request, env) => handle(request, { address: (env as { incoming: NodeRequest }).incoming.socket?.remoteAddress }),
    { ...options, autoCleanupIncoming: false },
  );
  return (incoming, outgoing) => {
    if (incoming.httpVersion === '1.0') incoming.headers.host ??= 'localhost';
    outgoing.once('finish', () => {
      if (incoming.complete || incoming.destroyed) return;
      const { socket } = incoming;
      const cancel = runtime.timer(BODY_REST_MS, () => socket?.destroySoon());
      // Node does not close an answered request when its connection closes.
      const destroy = (): void => void incoming.destroy();
      socket?.once('close', destroy);
      incoming.once('close', () => {
        cancel();
        socket?.off('close', destroy);
      });
      incoming.resume();
    });
    return listener(incoming, outgoing);
  };
}
