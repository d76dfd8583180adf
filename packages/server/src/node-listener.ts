import type { Client } from './handler.ts';
import { nodeAdapter } from './node-adapter.ts';
import type { NodeRequest, NodeResponse } from './node-adapter.ts';

/**
 * A request listener of Node's `http` and `http2`, which frameworks such as Express can call. Frameworks that wait for the promise of a
 * listener, such as Nuxt, wait for the end of the response.
 */
export type NodeListener = (request: NodeRequest, response: NodeResponse) => void;

/**
 * Returns a listener of Node's `http` for a handler. Express and Fastify can call it. A request whose body a body
 * parser has already read is answered with 500, because the body cannot be read again.
 */
export function toNodeListener(handler: (request: Request, client?: Client) => Promise<Response>): NodeListener {
  const listener = nodeAdapter(handler, {
    overrideGlobalObjects: false,
    errorHandler: () => errorAnswer(400, INVALID_HTTP),
  });
  const rejectReadBody = nodeAdapter(
    async () =>
      errorAnswer(500, 'A body parser has read the request: mount the handler before the body parser.', 'INTERNAL'),
    { overrideGlobalObjects: false },
  );
  return (request, response) => {
    // Cloud functions read the body themselves and provide it as `rawBody`.
    const isRead = request.readableDidRead && !('rawBody' in request);
    return (isRead ? rejectReadBody : listener)(request, response);
  };
}

/** The message for a request that cannot be parsed. */
export const INVALID_HTTP = 'The request is not valid HTTP.';

/** Returns the answer to a request that does not reach the handler. */
export function errorAnswer(status: number, detail: string, code: string = 'INVALID_INPUT'): Response {
  return Response.json({ detail, code }, { status });
}
