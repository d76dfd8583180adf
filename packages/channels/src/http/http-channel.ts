import { systemRuntime, TholeError } from '@thole/core';
import { assertName } from '@thole/core/kit';
import type { Runtime } from '@thole/core';
import type { Channel, ChannelHandler, DeliveryReceipt, SendRequest } from '../channel/channel.ts';
import type { InboundMessage } from '../channel/inbound-message.ts';
import { Webhook } from '../webhook/webhook.ts';
import { parseJsonBody, respond } from '../webhook/webhook-response.ts';
import { assertHttpOptions } from './http-options.ts';
import type { HttpChannelOptions } from './http-options.ts';
import { PollQueues } from './poll-queues.ts';
import { postCallback } from './post-callback.ts';
import { isSignedBy, SIGNATURE_HEADER, TIMESTAMP_HEADER } from './signature.ts';

const LONGEST_POLL_S = 60;
const DEFAULT_POLL_S = 25;

/** Receives messages as signed requests, and sends them to a callback or to clients that poll. */
export class HttpChannel implements Channel {
  readonly specVersion = 1;
  readonly name: string;
  readonly #options: HttpChannelOptions;
  readonly #runtime: Runtime;
  readonly #queues = new PollQueues();
  readonly #webhook: Webhook;
  /** A new one for each start. */
  #stop = new AbortController();
  #handler: ChannelHandler | undefined;
  #pollCount = 0;

  constructor(options: HttpChannelOptions) {
    assertHttpOptions(options);
    this.#options = options;
    this.name = options.name ?? 'http';
    const runtime = (this.#runtime = options.runtime ?? systemRuntime());
    const { maxBodyBytes = 8 * 1_048_576 } = options;
    this.#webhook = new Webhook({ runtime, maxBodyBytes, answer: (request, body) => this.#answer(request, body) });
  }

  /** The port on which the channel listens. Undefined if it does not listen. */
  get port(): number | undefined {
    return this.#webhook.port;
  }

  async start(handler: ChannelHandler): Promise<void> {
    this.#stop = new AbortController();
    this.#handler = handler;
    await this.#webhook.start(this.#options);
  }

  async stop(): Promise<void> {
    this.#stop.abort(new TholeError('CHANNEL_UNAVAILABLE', `Channel "${this.name}" was stopped.`));
    this.#queues.close();
    await this.#webhook.stop();
    this.#handler = undefined;
  }

  canSend(to: string): boolean {
    return this.#options.callbackUrl !== undefined || this.#queues.isPolled(to);
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
    const acknowledged = this.#queues.send(to, polled, signal);
    if (!acknowledged) throw new TholeError('CHANNEL_UNAVAILABLE', 'No client polls for messages to this address.');
    await acknowledged;
    return { id: idempotencyKey };
  }

  /**
   * Handles a request: `POST` delivers a message, `GET` with `to` fetches messages. The status is 202 or 200, 400 for a wrong body,
   * 401 for a wrong or old signature, 405, 413, 429, or 503 if the message could not be stored. After 503, the client must send it
   * again.
   */
  handle(request: Request): Promise<Response> {
    return this.#webhook.handle(request);
  }

  async #answer(request: Request, readBody: () => Promise<Uint8Array>): Promise<Response> {
    const { method, url } = request;
    if (method !== 'POST' && method !== 'GET')
      return respond(405, { detail: 'Use POST or GET.' }, { allow: 'GET, POST' });
    const timestamp = this.#timestampOf(request);
    const body = await readBody();
    if (!isSignedBy(this.#options.secrets, { method, url, body, timestamp }, request.headers.get(SIGNATURE_HEADER)))
      throw signatureError();
    if (method === 'GET') return this.#poll(new URL(url), request.signal);
    // The channel name comes from the options, never from the body.
    const message = { ...parseJsonBody(body), channel: this.name } as unknown as InboundMessage;
    await this.#handler!.onMessage(message);
    return respond(202, { accepted: true });
  }

  async #poll({ searchParams }: URL, disconnected: AbortSignal): Promise<Response> {
    if (this.#options.callbackUrl !== undefined)
      return respond(
        405,
        { detail: 'This channel does not accept polls: it posts messages to the callback.' },
        { allow: 'POST' },
      );
    const to = searchParams.get('to');
    assertName('to', to);
    const acknowledged = searchParams.get('ack');
    if (acknowledged !== null) this.#queues.acknowledge(to, acknowledged);
    const wait = Number(searchParams.get('wait') ?? DEFAULT_POLL_S);
    if (!(wait >= 0 && wait <= LONGEST_POLL_S))
      throw new TholeError('INVALID_INPUT', `wait must be 0 to ${LONGEST_POLL_S} seconds.`);
    if (this.#pollCount >= (this.#options.maxPolls ?? 1_000))
      throw new TholeError('RATE_LIMITED', 'Too many clients poll at the same time. Try again later.');
    this.#pollCount++;
    const timer = new AbortController();
    const cancel = this.#runtime.timer(wait * 1_000, () => timer.abort());
    try {
      const next = this.#queues.poll(to, AbortSignal.any([timer.signal, disconnected, this.#stop.signal]));
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
    if (!(differenceMs <= (this.#options.toleranceMs ?? 300_000))) {
      const message = `The header ${TIMESTAMP_HEADER} must be the current time in whole seconds since the epoch. Compare the clocks of the client and the server.`;
      throw new TholeError('UNAUTHENTICATED', message);
    }
    return timestamp;
  }
}

function signatureError(): TholeError {
  return new TholeError('UNAUTHENTICATED', 'The signature is missing or wrong.');
}
