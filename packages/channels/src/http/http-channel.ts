import { systemRuntime, TholeError } from '@thole/core';
import { assertCount, assertDuration, assertName, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { Runtime } from '@thole/core';
import type { Channel, ChannelHandler, DeliveryReceipt, SendRequest } from '../channel/channel.ts';
import type { InboundMessage } from '../channel/inbound-message.ts';
import { HttpServer } from './http-server.ts';
import { PollLines } from './poll-lines.ts';
import { postCallback } from './post-callback.ts';
import { readBody } from './read-body.ts';
import { isSignedBy, SIGNATURE_HEADER, TIMESTAMP_HEADER } from './signature.ts';

/** Options of `HttpChannel`. */
export interface HttpChannelOptions {
  /** Default: `http`. */
  name?: string | undefined;
  /** Shared secrets of at least 32 characters. The first one signs; all are accepted, so that a secret can be replaced. */
  secrets: readonly string[];
  /** URL to which messages are posted, signed. Default: none; then clients fetch messages with `GET`. */
  callbackUrl?: string | undefined;
  /** Listens on this port; 0 selects a free one, see `port`. Default: none; then the app passes requests to `handle`. */
  port?: number | undefined;
  /** Default: `127.0.0.1`. */
  host?: string | undefined;
  /** Greatest difference between the time of a request and the clock, in milliseconds. Default: 300,000. */
  toleranceMs?: number | undefined;
  /** Maximum size of a body in bytes. Default: 8 MiB. */
  maxBodyBytes?: number | undefined;
  /** Maximum number of polls that wait at the same time. Default: 1,000. */
  maxPolls?: number | undefined;
  runtime?: Runtime | undefined;
}

const names = optionNames<HttpChannelOptions>({
  name: true,
  secrets: true,
  callbackUrl: true,
  port: true,
  host: true,
  toleranceMs: true,
  maxBodyBytes: true,
  maxPolls: true,
  runtime: true,
});
const BODY_LIMIT_MS = 30_000;
const LONGEST_POLL_S = 60;
const DEFAULT_POLL_S = 25;

/** Receives messages as signed requests, and sends them to a callback or to clients that poll. */
export class HttpChannel implements Channel {
  readonly specVersion = 1;
  readonly name: string;
  readonly #options: HttpChannelOptions;
  readonly #runtime: Runtime;
  readonly #lines = new PollLines();
  readonly #active = new Set<Promise<unknown>>();
  readonly #stop = new AbortController();
  #handler: ChannelHandler | undefined;
  #server: HttpServer | undefined;
  #port: number | undefined;
  #pollCount = 0;

  constructor(options: HttpChannelOptions) {
    assertOptions(options);
    this.#options = options;
    this.name = options.name ?? 'http';
    this.#runtime = options.runtime ?? systemRuntime();
  }

  /** The port on which it listens. */
  get port(): number | undefined {
    return this.#port;
  }

  async start(handler: ChannelHandler): Promise<void> {
    this.#handler = handler;
    const { host = '127.0.0.1', port } = this.#options;
    if (port === undefined) return;
    this.#server = new HttpServer((request) => this.handle(request));
    this.#port = await this.#server.listen(port, host);
  }

  async stop(): Promise<void> {
    this.#stop.abort(new TholeError('CHANNEL_UNAVAILABLE', `Channel "${this.name}" was stopped.`));
    this.#lines.close();
    const closing = this.#server?.close();
    await Promise.allSettled(this.#active);
    this.#handler = undefined;
    await closing;
  }

  canSend(to: string): boolean {
    return this.#options.callbackUrl !== undefined || this.#lines.isPolled(to);
  }

  async send({ idempotencyKey, message, signal, to }: SendRequest): Promise<DeliveryReceipt> {
    const { callbackUrl: url, secrets } = this.#options;
    const polled = { id: idempotencyKey, ...message };
    if (url !== undefined)
      return postCallback({
        url,
        secret: secrets[0]!,
        timestamp: this.#runtime.now(),
        body: { to, ...polled },
        signal,
      });
    const acknowledged = this.#lines.send(to, polled, signal);
    if (!acknowledged) throw new TholeError('CHANNEL_UNAVAILABLE', 'No client polls this address.');
    await acknowledged;
    return { id: idempotencyKey };
  }

  /**
   * Handles a request: `POST` delivers a message, `GET` with `to` fetches messages. The answer has status 202 or 200, 400 for a wrong
   * body, 401 for a wrong or old signature, 405, 413, 429, or 503 if the message could not be stored: send it again then.
   */
  async handle(request: Request): Promise<Response> {
    const work = this.#handle(request).catch(toErrorResponse);
    this.#active.add(work);
    try {
      return await work;
    } finally {
      this.#active.delete(work);
    }
  }

  async #handle(request: Request): Promise<Response> {
    const { method, url } = request;
    if (!this.#handler || this.#stop.signal.aborted) throw new TholeError('SERVER_BUSY', 'The channel is not started.');
    if (method !== 'POST' && method !== 'GET')
      return respond(405, { detail: 'Use POST or GET.' }, { allow: 'GET, POST' });
    const timestamp = this.#timestampOf(request);
    const { maxBodyBytes = 8 * 1_048_576, secrets } = this.#options;
    const body = await readBody(request, { maxBytes: maxBodyBytes, limitMs: BODY_LIMIT_MS, runtime: this.#runtime });
    if (!isSignedBy(secrets, { method, url, body, timestamp }, request.headers.get(SIGNATURE_HEADER))) throw unsigned();
    if (method === 'GET') return this.#poll(new URL(url), request.signal);
    await this.#handler.onMessage(this.#messageIn(body));
    return respond(202, { accepted: true });
  }

  /** The channel's name comes from its options, never from the body. */
  #messageIn(body: Uint8Array): InboundMessage {
    let value: unknown;
    try {
      value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    } catch (cause) {
      throw new TholeError('INVALID_INPUT', 'The body must be JSON in UTF-8.', { cause });
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new TholeError('INVALID_INPUT', 'The body must be an object.');
    return { ...(value as InboundMessage), channel: this.name };
  }

  async #poll({ searchParams }: URL, gone: AbortSignal): Promise<Response> {
    if (this.#options.callbackUrl !== undefined)
      return respond(405, { detail: 'Messages are posted to the callback.' }, { allow: 'POST' });
    const to = searchParams.get('to');
    assertName('to', to);
    const acknowledged = searchParams.get('ack');
    if (acknowledged !== null) this.#lines.acknowledge(to, acknowledged);
    const wait = Number(searchParams.get('wait') ?? DEFAULT_POLL_S);
    if (!(wait >= 0 && wait <= LONGEST_POLL_S))
      throw new TholeError('INVALID_INPUT', `wait must be 0 to ${LONGEST_POLL_S} seconds.`);
    if (this.#pollCount >= (this.#options.maxPolls ?? 1_000))
      throw new TholeError('RATE_LIMITED', 'Too many clients poll.');
    this.#pollCount++;
    const over = new AbortController();
    const cancel = this.#runtime.timer(wait * 1_000, () => over.abort());
    try {
      const next = this.#lines.poll(to, AbortSignal.any([over.signal, gone, this.#stop.signal]));
      this.#handler?.onReady(this.name, to);
      const message = await next;
      return respond(200, { messages: message ? [message] : [] });
    } finally {
      cancel();
      this.#pollCount--;
    }
  }

  #timestampOf(request: Request): number {
    const text = request.headers.get(TIMESTAMP_HEADER) ?? '';
    const timestamp = /^\d{1,12}$/.test(text) ? Number(text) : NaN;
    const differenceMs = Math.abs(this.#runtime.now() - timestamp) * 1_000;
    if (!(differenceMs <= (this.#options.toleranceMs ?? 300_000))) throw unsigned();
    return timestamp;
  }
}

function assertOptions(options: HttpChannelOptions): void {
  rejectUnknownOptions(options, names, 'HttpChannel');
  const { callbackUrl, maxBodyBytes, maxPolls, port, secrets, toleranceMs } = options;
  if (
    !Array.isArray(secrets) ||
    secrets.length === 0 ||
    secrets.some((each) => typeof each !== 'string' || each.length < 32)
  )
    throw new TholeError('INVALID_INPUT', 'secrets must be an array of strings with at least 32 characters each.');
  if (callbackUrl !== undefined && !(URL.canParse(callbackUrl) && /^https?:$/.test(new URL(callbackUrl).protocol)))
    throw new TholeError('INVALID_INPUT', 'callbackUrl must be a URL with http or https.');
  if (port !== undefined) assertCount('port', port);
  if (maxBodyBytes !== undefined) assertCount('maxBodyBytes', maxBodyBytes, 1);
  if (maxPolls !== undefined) assertCount('maxPolls', maxPolls, 1);
  if (toleranceMs !== undefined) assertDuration('toleranceMs', toleranceMs);
}

function unsigned(): TholeError {
  return new TholeError('UNAUTHENTICATED', 'The signature is missing, wrong or too old.');
}

/** Errors without a code are not shown: they may contain internals. */
function toErrorResponse(error: unknown): Response {
  if (!TholeError.is(error)) return respond(503, { detail: 'The message could not be stored. Send it again.' });
  const status = error.code === 'INVALID_INPUT' || (error.status ?? 500) < 500 ? (error.status ?? 400) : 503;
  return respond(status, { detail: error.message, code: error.code }, status === 503 ? { 'retry-after': '5' } : {});
}

function respond(status: number, body: object, headers: { [name: string]: string } = {}): Response {
  return Response.json(body, { status, headers: { 'cache-control': 'no-store', ...headers } });
}
