import { TholeError } from '@thole/core';
import type { Runtime } from '@thole/core';
import { HttpServer } from './http-server.ts';
import { readBody } from './read-body.ts';
import { webhookErrorResponse } from './webhook-response.ts';

/** Arguments of `Webhook`. */
export interface WebhookParts {
  readonly runtime: Runtime;
  /** Maximum size of a body in bytes. */
  readonly maxBodyBytes: number;
  /** Answers a request. `readBody` reads its body within the limits. Errors are converted to responses. */
  readonly answer: (request: Request, readBody: () => Promise<Uint8Array>) => Promise<Response>;
}

const BODY_LIMIT_MS = 30_000;

/** Receives the requests of a started channel, on a port or from the app. */
export class Webhook {
  readonly #parts: WebhookParts;
  readonly #active = new Set<Promise<unknown>>();
  #isOpen = false;
  #server: HttpServer | undefined;
  #port: number | undefined;

  constructor(parts: WebhookParts) {
    this.#parts = parts;
  }

  /** The port on which the webhook listens. Undefined if it does not listen. */
  get port(): number | undefined {
    return this.#port;
  }

  /** Starts accepting requests, and listens if `port` is set. Throws `CHANNEL_UNAVAILABLE` if the port is in use. */
  async start({ host = '127.0.0.1', port }: { host?: string | undefined; port?: number | undefined }): Promise<void> {
    this.#isOpen = true;
    if (port === undefined) return;
    this.#server = new HttpServer((request) => this.handle(request));
    this.#port = await this.#server.listen(port, host);
  }

  /** Stops accepting requests. Resolves when all active requests are answered. */
  async stop(): Promise<void> {
    this.#isOpen = false;
    await Promise.all([...this.#active, this.#server?.close()]);
    this.#server = undefined;
    this.#port = undefined;
  }

  /** Answers a request, with 503 if the channel is not started. Never rejects. */
  async handle(request: Request): Promise<Response> {
    const work = this.#answer(request).catch(webhookErrorResponse);
    this.#active.add(work);
    try {
      return await work;
    } finally {
      this.#active.delete(work);
    }
  }

  async #answer(request: Request): Promise<Response> {
    if (!this.#isOpen) throw new TholeError('SERVER_BUSY', 'The channel is not started.');
    const { answer, maxBodyBytes: maxBytes, runtime } = this.#parts;
    return answer(request, () => readBody(request, { maxBytes, limitMs: BODY_LIMIT_MS, runtime }));
  }
}
