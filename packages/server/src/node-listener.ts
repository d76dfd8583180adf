import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Client } from './handler.ts';
import { nodeAdapter } from './node-adapter.ts';

/** Answers what Node's own server, or a framework on it, hands over. */
export type NodeListener = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * A handler as a listener of Node's `http`, which Express and Fastify can call. Nothing may have read the body before: what a body
 * parser has taken is answered with 500, since it cannot be read again.
 */
export function toNodeListener(handler: (request: Request, client?: Client) => Promise<Response>): NodeListener {
  const listener = nodeAdapter(handler, {
    overrideGlobalObjects: false,
    errorHandler: () => refusal(400, 'The request is not HTTP as it should be.'),
  });
  const taken = nodeAdapter(
    async () => refusal(500, 'A body parser stands before the handler: mount the handler before it.', 'INTERNAL'),
    { overrideGlobalObjects: false },
  );
  return (request, response) => {
    // Functions in clouds hand over what they read, as `rawBody`.
    const isTaken = request.readableDidRead && !('rawBody' in request);
    (isTaken ? taken : listener)(request, response);
  };
}

/** What is answered before the handler could. */
export function refusal(status: number, detail: string, code: string = 'INVALID_INPUT'): Response {
  return Response.json({ detail, code }, { status });
}
