// Express has no types. These are the members that the tests use.
declare module 'express' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

  interface Express extends RequestListener {
    (request: IncomingMessage, response: ServerResponse): void;
    all(path: string, listener: (request: IncomingMessage, response: ServerResponse) => void): void;
    use(listener: unknown): void;
  }
  const express: { (): Express; json(): unknown };
  export default express;
}
