import { Api, InputFile } from 'grammy';
import { TholeError } from '@thole/core';
import { decodeBase64 } from '@thole/core/kit';
import type { Runtime } from '@thole/core';
import type { ChannelFile } from '../channel/inbound-message.ts';
import type { OutboundMessage } from '../channel/outbound-message.ts';
import { downloadFile, fileTooLarge } from '../messenger/download-file.ts';
import type { RemoteFile } from '../messenger/receive-file.ts';
import { splitText } from '../messenger/split-text.ts';
import { mapTelegramError, newChatIdOf } from './map-telegram-error.ts';
import type { TelegramBot } from './read-update.ts';
import type { TelegramChannelOptions } from './telegram-options.ts';

/** Sends one part of a message to a chat. Returns the id of the sent message. */
type SendPart = (chat: number, signal: AbortSignal | undefined) => Promise<{ message_id: number }>;

/** The signal of grammY's own type, which Node's signal fulfils. */
type GrammySignal = Parameters<Api['getMe']>[0];

const TEXT_LIMIT = 4_096;
const PHOTO_LIMIT = 10_000_000;
/** Time limit of a call, in addition to the wait of a poll. */
const CALL_LIMIT_MS = 15_000;
const CONFIRM_LIMIT_MS = 2_000;
const UPDATE_KINDS = ['message', 'edited_message'] as const;

/** Calls of the Bot API. All errors are `TholeError`s without the token. */
export class TelegramApi {
  readonly #api: Api;
  readonly #token: string;
  readonly #root: string;
  readonly #runtime: Runtime;

  constructor({ apiRoot = 'https://api.telegram.org', token }: TelegramChannelOptions, runtime: Runtime) {
    this.#api = new Api(token, { apiRoot, sensitiveLogs: false });
    this.#token = token;
    this.#root = apiRoot;
    this.#runtime = runtime;
  }

  async getBot(signal: AbortSignal): Promise<TelegramBot> {
    const { id, username } = await this.#call((each) => this.#api.getMe(each), signal);
    return { id, username };
  }

  async setWebhook(p: { url: string; secret: string }, signal: AbortSignal): Promise<void> {
    // One connection: with several, a later message may arrive before an earlier one.
    const options = { secret_token: p.secret, max_connections: 1, allowed_updates: UPDATE_KINDS };
    await this.#call((each) => this.#api.setWebhook(p.url, options, each), signal);
  }

  async deleteWebhook(signal: AbortSignal): Promise<void> {
    await this.#call((each) => this.#api.deleteWebhook({}, each), signal);
  }

  /** Returns the next updates, and confirms all before `offset`. */
  async getUpdates(offset: number | undefined, seconds: number, signal: AbortSignal): Promise<unknown> {
    const options = { timeout: seconds, allowed_updates: UPDATE_KINDS, ...(offset !== undefined && { offset }) };
    return this.#call((each) => this.#api.getUpdates(options, each), signal, CALL_LIMIT_MS + seconds * 1_000);
  }

  /** Confirms all updates before `offset` when the channel stops. Without it, they come again at the next start. */
  async confirm(offset: number): Promise<void> {
    const options = { offset, limit: 1, timeout: 0, allowed_updates: UPDATE_KINDS };
    await this.#call((each) => this.#api.getUpdates(options, each), new AbortController().signal, CONFIRM_LIMIT_MS);
  }

  /** Returns a file as base64. Throws `VALUE_TOO_LARGE`, `NOT_FOUND` or `CHANNEL_UNAVAILABLE`. */
  async download({ id, size = 0 }: RemoteFile, maxBytes: number, signal: AbortSignal): Promise<string> {
    if (size > maxBytes) throw fileTooLarge(maxBytes);
    const file = await this.#call((each) => this.#api.getFile(id, each), signal).catch((error: unknown) => {
      throw TholeError.is(error, 'CHANNEL_REJECTED') ? new TholeError('NOT_FOUND', error.message) : error;
    });
    if ((file.file_size ?? 0) > maxBytes) throw fileTooLarge(maxBytes);
    return downloadFile({ url: this.#fileUrl(file.file_path), maxBytes, runtime: this.#runtime, signal });
  }

  /** Returns the parts of a message, one call of the Bot API each. */
  partsOf({
    to,
    message,
  }: {
    to: string;
    message: OutboundMessage;
  }): ((signal: AbortSignal | undefined) => Promise<string>)[] {
    const { chat, topic } = readAddress(to);
    const isPrivate = chat > 0;
    const place = topic === undefined ? {} : { message_thread_id: topic };
    // In a private chat, everything is an answer to the person.
    const replyTo = isPrivate ? undefined : Number(message.replyTo);
    const first = Number.isSafeInteger(replyTo)
      ? { reply_parameters: { message_id: replyTo!, allow_sending_without_reply: true } }
      : {};
    const texts = splitText(message.text, TEXT_LIMIT);
    const parts = texts.map((text, i): SendPart => {
      const isLast = i === texts.length - 1;
      const options = { ...place, ...(i === 0 && first), ...(isLast && isPrivate && keyboardOf(message)) };
      return (id, signal) => this.#api.sendMessage(id, text, options, signal as GrammySignal);
    });
    for (const file of message.files ?? []) parts.push(this.#sendFile(file, place));
    return parts.map((part) => (signal) => this.#send(chat, part, signal));
  }

  async #send(chat: number, part: SendPart, signal: AbortSignal | undefined): Promise<string> {
    const send = async (id: number): Promise<string> => String((await part(id, signal)).message_id);
    try {
      return await send(chat);
    } catch (error) {
      const newChat = newChatIdOf(error);
      try {
        if (newChat === undefined) throw error;
        return await send(newChat);
      } catch (last) {
        signal?.throwIfAborted();
        const mapped = mapTelegramError(last, this.#token);
        // The operator can replace a wrong token: messages wait for it.
        throw mapped.code === 'UNAUTHENTICATED' ? new TholeError('CHANNEL_UNAVAILABLE', mapped.message) : mapped;
      }
    }
  }

  #sendFile({ data, mimeType, name }: ChannelFile, place: { message_thread_id?: number }): SendPart {
    const bytes = decodeBase64(data);
    if (!bytes) throw new TholeError('CHANNEL_REJECTED', 'The data of a file must be base64.');
    const file = new InputFile(bytes, name ?? `file.${/\/(\w{1,8})/.exec(mimeType)?.[1] ?? 'bin'}`);
    const isPhoto = /^image\/(?:jpeg|png)\b/.test(mimeType) && bytes.length <= PHOTO_LIMIT;
    return (id, signal) => {
      const own = signal as GrammySignal;
      if (isPhoto) return this.#api.sendPhoto(id, file, place, own);
      if (/^audio\/ogg\b/.test(mimeType)) return this.#api.sendVoice(id, file, place, own);
      return this.#api.sendDocument(id, file, place, own);
    };
  }

  /** The path comes from outside: the file must be below the configured root. */
  #fileUrl(path: string | undefined): URL {
    const prefix = `${this.#root}/file/bot${this.#token}/`;
    const url = URL.canParse(`${prefix}${path}`) ? new URL(`${prefix}${path}`) : undefined;
    const isBelow = path !== undefined && url?.href.startsWith(prefix) === true;
    if (!isBelow || path.startsWith('/'))
      throw new TholeError('NOT_FOUND', 'Telegram answered with a wrong path of a file.');
    return url;
  }

  async #call<T>(
    call: (signal: GrammySignal) => Promise<T>,
    signal: AbortSignal,
    limitMs: number = CALL_LIMIT_MS,
  ): Promise<T> {
    const late = new AbortController();
    const cancel = this.#runtime.timer(limitMs, () => late.abort());
    try {
      return await call(AbortSignal.any([late.signal, signal]) as GrammySignal);
    } catch (error) {
      signal.throwIfAborted();
      throw mapTelegramError(error, this.#token);
    } finally {
      cancel();
    }
  }
}

/** Buttons below the text field. A pressed one sends its text. */
function keyboardOf({ choices = [] }: OutboundMessage): object {
  if (choices.length === 0) return {};
  const keyboard = choices.map((text) => [{ text }]);
  return { reply_markup: { keyboard, one_time_keyboard: true, resize_keyboard: true } };
}

function readAddress(to: string): { chat: number; topic: number | undefined } {
  const found = /^(-?\d{1,16})(?:\/(\d{1,16}))?$/.exec(to);
  if (!found) throw new TholeError('CHANNEL_REJECTED', 'The address of a Telegram chat must be its number.');
  return { chat: Number(found[1]), topic: found[2] === undefined ? undefined : Number(found[2]) };
}
