import { systemRuntime, TholeError } from '@thole/core';
import { errorFields, getOwn, isPlainObject, KeyedQueue } from '@thole/core/kit';
import type { Runtime } from '@thole/core';
import type { Channel, ChannelHandler, DeliveryReceipt, SendRequest } from '../channel/channel.ts';
import type { InboundMessage } from '../channel/inbound-message.ts';
import { receiveFile } from '../messenger/receive-file.ts';
import { isSameSecret } from '../messenger/same-secret.ts';
import { SendProgress } from '../messenger/send-progress.ts';
import { Webhook } from '../webhook/webhook.ts';
import { parseJsonBody } from '../webhook/webhook-response.ts';
import { chatKeyOf, readUpdate } from './read-update.ts';
import type { TelegramBot, TelegramMessage } from './read-update.ts';
import { TelegramApi } from './telegram-api.ts';
import { assertTelegramOptions } from './telegram-options.ts';
import type { TelegramChannelOptions } from './telegram-options.ts';

type Update = { readonly [name: string]: unknown };

const SECRET_HEADER = 'x-telegram-bot-api-secret-token';
const MAX_BODY_BYTES = 1_048_576;
const LONGEST_WAIT_MS = 60_000;

/** Exchanges messages with people as a Telegram bot. */
export class TelegramChannel implements Channel {
  readonly specVersion = 1;
  readonly name: string;
  readonly #options: TelegramChannelOptions;
  readonly #runtime: Runtime;
  readonly #api: TelegramApi;
  readonly #progress = new SendProgress();
  readonly #chats = new KeyedQueue();
  readonly #webhook: Webhook;
  /** A new one for each start. */
  #stop = new AbortController();
  #handler: ChannelHandler | undefined;
  #bot: TelegramBot | undefined;
  /** Id of the first update that is not confirmed. */
  #offset: number | undefined;
  #work: Promise<void> = Promise.resolve();

  /** Throws `INVALID_INPUT` for wrong options. */
  constructor(options: TelegramChannelOptions) {
    assertTelegramOptions(options);
    this.#options = options;
    this.name = options.name ?? 'telegram';
    const runtime = (this.#runtime = options.runtime ?? systemRuntime());
    this.#api = new TelegramApi(options, runtime);
    this.#webhook = new Webhook({
      runtime,
      maxBodyBytes: MAX_BODY_BYTES,
      answer: (request, body) => this.#answer(request, body),
    });
  }

  /** The port on which the webhook listens. Undefined if it does not listen. */
  get port(): number | undefined {
    return this.#webhook.port;
  }

  /** Rejects with `UNAUTHENTICATED` if Telegram does not accept the token. */
  async start(handler: ChannelHandler): Promise<void> {
    this.#stop = new AbortController();
    this.#handler = handler;
    const { webhook } = this.#options;
    if (webhook) await this.#webhook.start(webhook);
    try {
      await this.#connect();
    } catch (error) {
      if (TholeError.is(error, 'UNAUTHENTICATED') || TholeError.is(error, 'CHANNEL_REJECTED')) {
        await this.stop();
        throw error;
      }
      this.#log('Telegram cannot be reached. The channel tries again.', error);
    }
    this.#work = this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort(new TholeError('CHANNEL_UNAVAILABLE', `Channel "${this.name}" was stopped.`));
    const closing = this.#webhook.stop();
    await this.#work;
    if (this.#offset !== undefined) await this.#api.confirm(this.#offset).catch(() => {});
    await closing;
    this.#handler = undefined;
  }

  async send({ idempotencyKey, message, signal, to }: SendRequest): Promise<DeliveryReceipt> {
    const parts = this.#api.partsOf({ to, message }).map((part) => () => part(signal));
    const id = await this.#progress.send(idempotencyKey, parts, signal);
    return id === undefined ? {} : { id };
  }

  /**
   * Handles a request of Telegram to the webhook. The status is 200, 400 for a body that is not an update, 401 for a wrong secret,
   * 405, 413, or 503 if the message could not be stored. After 503, Telegram sends the request again.
   */
  handle(request: Request): Promise<Response> {
    return this.#webhook.handle(request);
  }

  async #answer(request: Request, readBody: () => Promise<Uint8Array>): Promise<Response> {
    if (request.method !== 'POST') return new Response(null, { status: 405, headers: { allow: 'POST' } });
    if (!isSameSecret(request.headers.get(SECRET_HEADER) ?? '', this.#options.webhook!.secret))
      throw new TholeError('UNAUTHENTICATED', 'The secret is missing or wrong.');
    const update = parseJsonBody(await readBody());
    if (!isUpdate(update))
      throw new TholeError('INVALID_INPUT', 'The body must be an update of the Bot API, with update_id.');
    await this.#chats.run(chatKeyOf(update), () => this.#accept(update));
    return new Response(null, { status: 200 });
  }

  async #connect(): Promise<void> {
    const { webhook } = this.#options;
    const { signal } = this.#stop;
    const bot = await this.#api.getBot(signal);
    if (webhook) await this.#api.setWebhook(webhook, signal);
    else await this.#api.deleteWebhook(signal);
    this.#bot = bot;
  }

  /** Connects if `start` did not, then polls until the channel is stopped. Never rejects. */
  async #run(): Promise<void> {
    const { retryMs = 1_000, webhook } = this.#options;
    const { signal } = this.#stop;
    let failures = this.#bot ? 0 : 1;
    while (!signal.aborted) {
      try {
        if (failures > 0) await this.#runtime.sleep(Math.min(LONGEST_WAIT_MS, retryMs * 2 ** (failures - 1)), signal);
        if (!this.#bot) await this.#connect();
        if (webhook) return;
        await this.#poll();
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        if (failures++ === 0 || !TholeError.is(error, 'CHANNEL_UNAVAILABLE'))
          this.#log('A poll of Telegram failed. The channel tries again.', error);
        const retryAfterMs = TholeError.is(error) ? error.retryAfterMs : undefined;
        if (retryAfterMs !== undefined) await this.#runtime.sleep(retryAfterMs, signal).catch(() => {});
      }
    }
  }

  /** Fetches updates and passes them to the handler. The next poll confirms the stored updates. */
  async #poll(): Promise<void> {
    const { pollSeconds = 30 } = this.#options;
    const answer = await this.#api.getUpdates(this.#offset, pollSeconds, this.#stop.signal);
    if (!Array.isArray(answer)) throw new TholeError('CHANNEL_UNAVAILABLE', 'Telegram returned invalid updates.');
    const updates = (answer as unknown[]).filter(isUpdate).toSorted((a, b) => idOf(a) - idOf(b));
    if (updates.length === 0 && answer.length > 0)
      throw new TholeError('CHANNEL_UNAVAILABLE', 'Telegram returned invalid updates.');
    if (updates.length === 0) return;
    const failed: { id: number; error: unknown }[] = [];
    const chats = [...Map.groupBy(updates, chatKeyOf).values()];
    await Promise.all(chats.map((chat) => this.#acceptInOrder(chat, failed)));
    const next = Math.min(...failed.map(({ id }) => id), idOf(updates.at(-1)!) + 1);
    if (failed.length > 0 && next === idOf(updates[0]!)) throw failed[0]!.error;
    this.#offset = next;
  }

  /** Stops at the first update that is not stored, because later messages of the chat must not overtake it. */
  async #acceptInOrder(updates: readonly Update[], failed: { id: number; error: unknown }[]): Promise<void> {
    for (const update of updates) {
      try {
        await this.#accept(update);
      } catch (error) {
        failed.push({ id: idOf(update), error });
        return;
      }
    }
  }

  /** Passes an update to the handler. Rejects if the update must be delivered again. */
  async #accept(update: Update): Promise<void> {
    const handler = this.#handler;
    if (!this.#bot || !handler) throw new TholeError('SERVER_BUSY', 'The channel is not connected.');
    const message = readUpdate(update, this.#bot);
    if (!message || (message.group && !(this.#options.allowGroups === true && message.group.isAddressed))) return;
    try {
      await handler.onMessage(await this.#withFile(message));
    } catch (error) {
      if (!TholeError.is(error, 'INVALID_INPUT')) throw error;
      this.#log('A message was rejected.', error);
    }
  }

  async #withFile(message: TelegramMessage): Promise<InboundMessage> {
    const [api, options, runtime, signal] = [this.#api, this.#options, this.#runtime, this.#stop.signal];
    const { address, edited, group, messageId, sender, senderName, sentAt } = message;
    return {
      channel: this.name,
      sender,
      senderName,
      id: String(messageId),
      address,
      sentAt,
      ...(edited !== undefined && { edited }),
      ...(group && { group }),
      ...(await receiveFile(message, { api, options, runtime, signal })),
    };
  }

  #log(message: string, error: unknown): void {
    this.#runtime.logger.error(message, { channel: this.name, ...errorFields(error, [this.#options.token]) });
  }
}

function isUpdate(value: unknown): value is Update {
  return isPlainObject(value) && Number.isSafeInteger(getOwn(value as Update, 'update_id'));
}

function idOf(update: Update): number {
  return update['update_id'] as number;
}
