import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { systemRuntime } from '@thole/core';
import type { Client } from './handler.ts';

/** Time to wait for the rest of a body after its request was answered, in milliseconds. */
const BODY_REST_MS = 30_000;

/**
 * Returns a listener of Node's `http` for a function that handles a `Request`. Accepts HTTP/1.0 requests without a Host. If a
 * request is answered before its body has arrived, for example because the body is too large, the rest is read and discarded:
 * closing the connection earlier could lose the answer.
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
      const cancel = runtime.timer(BODY_REST_MS, () => incoming.socket?.destroySoon());
      incoming.once('close', cancel);
      incoming.resume();
    });
    void listener(incoming, outgoing);
  };
}
