import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { systemRuntime } from '@thole/core';
import type { Client } from './handler.ts';

/** Time that the rest of a body has to arrive after its request was answered. */
const REST_MS = 30_000;

/**
 * Returns a listener of Node's `http` for a function of `Request`. A request of HTTP/1.0 may have no Host. If a request
 * is answered before its body has arrived, for example because the body is too large, the rest is read and discarded.
 * Closing the connection earlier could lose the answer.
 */
export function nodeAdapter(
  handle: (request: Request, client: Client) => Promise<Response> | Response,
  options: { overrideGlobalObjects: boolean; errorHandler?: (error: unknown) => Response },
): (incoming: IncomingMessage, outgoing: ServerResponse) => void {
  const runtime = systemRuntime();
  const listener = getRequestListener(
    (request, env) =>
      handle(request, { address: (env as { incoming: IncomingMessage }).incoming.socket?.remoteAddress }),
    { ...options, autoCleanupIncoming: false },
  );
  return (incoming, outgoing) => {
    if (incoming.httpVersion === '1.0') incoming.headers.host ??= 'localhost';
    outgoing.once('finish', () => {
      if (incoming.complete || incoming.destroyed) return;
      const cancel = runtime.timer(REST_MS, () => incoming.socket?.destroySoon());
      incoming.once('close', cancel);
      incoming.resume();
    });
    void listener(incoming, outgoing);
  };
}
