import { createHmac, timingSafeEqual } from 'node:crypto';
import { systemRuntime, TholeError } from '@thole/core';
import { errorFields, KeyedQueue, putCached } from '@thole/core/kit';
import type { Runtime } from '@thole/core';
import type { Channel, ChannelHandler, DeliveryReceipt, SendRequest } from '../channel/channel.ts';
import type { InboundMessage } from '../channel/inbound-message.ts';
import { receiveFile } from '../messenger/receive-file.ts';
import { isSameSecret } from '../messenger/same-secret.ts';
import { SendProgress } from '../messenger/send-progress.ts';
import { Webhook } from '../webhook/webhook.ts';
import { parseJsonBody, respond } from '../webhook/webhook-response.ts';
import { GraphApi } from './graph-api.ts';
import { isOutsideWindow, OUTSIDE_WINDOW } from './graph-error.ts';
import { readWebhook } from './read-webhook.ts';
import type { WhatsAppMessage, WhatsAppStatus } from './read-webhook.ts';
import { toFileMessage, toTemplateMessages, toTextMessages } from './to-whatsapp-messages.ts';
import { assertWhatsAppOptions } from './whatsapp-options.ts';
import type { WhatsAppChannelOptions } from './whatsapp-options.ts';

/** Maximum age of a message in seconds. WhatsApp repeats a message for at most seven days, so older messages are replayed. */
const MAX_AGE_S = 8 * 86_400;
/** Number of sent messages that are kept, so that they can be sent again as a template. */
const MAX_SENT = 500;

/** Exchanges messages with people through WhatsApp's Cloud API. */
export class WhatsAppChannel implements Channel {
  readonly specVersion = 1;
  readonly name: string;
  readonly #options: WhatsAppChannelOptions;
  readonly #runtime: Runtime;
  readonly #api: GraphApi;
  readonly #progress = new SendProgress();
  readonly #senders = new KeyedQueue();
  readonly #webhook: Webhook;
  /** A new one for each start. */
  #stop = new AbortController();
  /** Sent messages without a report, by id. WhatsApp reports a closed 24-hour window only after the send. */
  readonly #sent = new Map<string, SendRequest>();
  /** Ids of the replaced messages, by id of the template message that replaced them. */
  readonly #replaced = new Map<string, string>();
  #handler: ChannelHandler | undefined;

  /** Throws `INVALID_INPUT` for wrong options. */
  constructor(options: WhatsAppChannelOptions) {
    assertWhatsAppOptions(options);
    this.#options = options;
    this.name = options.name ?? 'whatsapp';
    const runtime = (this.#runtime = options.runtime ?? systemRuntime());
    this.#api = new GraphApi(options, runtime);
    const { maxBodyBytes = 4_194_304 } = options;
    this.#webhook = new Webhook({ runtime, maxBodyBytes, answer: (request, body) => this.#answer(request, body) });
  }

  /** The port on which the webhook listens. Undefined if it does not listen. */
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
    await this.#webhook.stop();
    this.#handler = undefined;
  }

  async send(request: SendRequest): Promise<DeliveryReceipt> {
    if (!/^\d{5,20}$/.test(request.to))
      throw new TholeError('CHANNEL_REJECTED', 'The address on WhatsApp must be a phone number: digits only.');
    let id: string | undefined;
    try {
      id = await this.#sendMessage(request);
    } catch (error) {
      if (!this.#options.template || !isOutsideWindow(error)) throw error;
      id = await this.#sendTemplate(request);
      return id === undefined ? {} : { id };
    }
    if (id === undefined) return {};
    if (this.#options.template) putCached(this.#sent, id, { ...request, signal: undefined }, MAX_SENT);
    return { id };
  }

  /**
   * Handles a request of WhatsApp to the webhook: `GET` verifies the webhook, `POST` delivers messages and reports. Error statuses:
   *
   * - 400: the body is not JSON
   * - 401: wrong signature
   * - 403: wrong verify token
   * - 405: wrong method
   * - 413: the body is too large
   * - 503: a message could not be stored. WhatsApp then sends the complete request again
   */
  handle(request: Request): Promise<Response> {
    return this.#webhook.handle(request);
  }

  async #answer(request: Request, readBody: () => Promise<Uint8Array>): Promise<Response> {
    if (request.method === 'GET') return this.#verify(new URL(request.url).searchParams);
    if (request.method !== 'POST') return new Response(null, { status: 405, headers: { allow: 'GET, POST' } });
    const { appSecret, phoneNumberId } = this.#options;
    const body = await readBody();
    if (!isSigned(body, appSecret, request.headers.get('x-hub-signature-256')))
      throw new TholeError('UNAUTHENTICATED', 'The signature is missing or wrong.');
    const { messages, statuses } = readWebhook(parseJsonBody(body), phoneNumberId);
    const senders = Map.groupBy(messages, ({ sender }) => sender);
    const results = await Promise.allSettled([
      ...[...senders].map(([sender, ofSender]) => this.#senders.run(sender, () => this.#acceptInOrder(ofSender))),
      this.#reportAll(statuses),
    ]);
    for (const result of results) if (result.status === 'rejected') throw result.reason;
    return new Response(null, { status: 200 });
  }

  /** Returns the challenge, but only to a caller that knows the verify token. */
  #verify(query: URLSearchParams): Response {
    const challenge = query.get('hub.challenge') ?? '';
    const isKnown = isSameSecret(query.get('hub.verify_token') ?? '', this.#options.verifyToken);
    if (query.get('hub.mode') !== 'subscribe' || !isKnown || !/^[\w.-]{1,200}$/.test(challenge))
      return respond(403, { detail: 'The verify token is missing or wrong.' });
    return new Response(challenge, {
      headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
    });
  }

  /** Stops at the first message that is not stored, because later messages of the sender must not overtake it. */
  async #acceptInOrder(messages: readonly WhatsAppMessage[]): Promise<void> {
    for (const message of messages) {
      if (this.#runtime.now() - message.sentAt > MAX_AGE_S) {
        // A clock that is wrong by more makes all messages old.
        const reason = 'It is older than eight days by the clock of this machine.';
        this.#runtime.logger.warn('A message was ignored.', { channel: this.name, reason });
        continue;
      }
      try {
        await this.#handler!.onMessage(await this.#withFile(message));
      } catch (error) {
        if (!TholeError.is(error, 'INVALID_INPUT')) throw error;
        this.#log('A message was rejected.', error);
      }
    }
  }

  async #withFile(message: WhatsAppMessage): Promise<InboundMessage> {
    const [api, options, runtime, signal] = [this.#api, this.#options, this.#runtime, this.#stop.signal];
    const { id, sender, senderName, sentAt } = message;
    return {
      channel: this.name,
      sender,
      id,
      sentAt,
      ...(senderName !== undefined && { senderName }),
      ...(await receiveFile(message, { api, options, runtime, signal })),
    };
  }

  async #reportAll(statuses: readonly WhatsAppStatus[]): Promise<void> {
    for (const { code, id: given, status } of statuses) {
      if (status === 'failed' && code === OUTSIDE_WINDOW && (await this.#replace(given))) continue;
      this.#sent.delete(given);
      const id = this.#replaced.get(given) ?? given;
      const reason = code === undefined ? {} : { reason: String(code) };
      await this.#handler!.onReport({ channel: this.name, id, status, ...reason });
    }
  }

  /** Sends a message again as a template. Returns false if that is not possible, so that the failure is reported. */
  async #replace(id: string): Promise<boolean> {
    // WhatsApp may repeat the report.
    if ([...this.#replaced.values()].includes(id)) return true;
    const request = this.#sent.get(id);
    if (!request) return false;
    try {
      const newId = await this.#sendTemplate({ ...request, signal: this.#stop.signal });
      this.#sent.delete(id);
      putCached(this.#replaced, newId ?? `${id}#`, id, MAX_SENT);
      return true;
    } catch (error) {
      if (!TholeError.is(error, 'CHANNEL_REJECTED')) throw error;
      this.#log('A template was rejected.', error);
      return false;
    }
  }

  #sendMessage({ idempotencyKey, message, signal, to }: SendRequest): Promise<string | undefined> {
    const common = { to, biz_opaque_callback_data: idempotencyKey };
    const context = message.replyTo === undefined ? {} : { context: { message_id: message.replyTo } };
    const parts = toTextMessages(message).map(
      (each, i) => () => this.#api.send({ ...common, ...(i === 0 && context), ...each }, signal),
    );
    for (const file of message.files ?? [])
      parts.push(async () => {
        const id = await this.#api.upload(file, signal);
        return this.#api.send({ ...common, ...toFileMessage(file, id) }, signal);
      });
    return this.#progress.send(idempotencyKey, parts, signal);
  }

  #sendTemplate({ idempotencyKey, message, signal, to }: SendRequest): Promise<string | undefined> {
    const common = { to, biz_opaque_callback_data: idempotencyKey };
    const parts = toTemplateMessages(message, this.#options.template!).map(
      (each) => () => this.#api.send({ ...common, ...each }, signal),
    );
    return this.#progress.send(`template ${idempotencyKey}`, parts, signal);
  }

  #log(message: string, error: unknown): void {
    const { accessToken, appSecret } = this.#options;
    const fields = errorFields(error, [accessToken, appSecret]);
    this.#runtime.logger.error(message, { channel: this.name, ...fields });
  }
}

/** True if the header is the signature of the body. Takes the same time for every wrong signature. */
function isSigned(body: Uint8Array, secret: string, header: string | null): boolean {
  const digits = /^sha256=([0-9a-f]{64})$/i.exec(header ?? '')?.[1];
  if (digits === undefined) return false;
  return timingSafeEqual(Buffer.from(digits, 'hex'), createHmac('sha256', secret).update(body).digest());
}
