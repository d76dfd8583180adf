import { Api, InputFile } from 'grammy';
import { TholeError } from '@thole/core';
import { decodeBase64, withTimeLimit } from '@thole/core/kit';
import type { Runtime } from '@thole/core';
import type { ChannelFile } from '../channel/inbound-message.ts';
import type { OutboundMessage } from '../channel/outbound-message.ts';
import { downloadFile, fileTooLarge } from '../messenger/download-file.ts';
import { toTelegramPieces } from '../messenger/format-markdown.ts';
import type { RemoteFile } from '../messenger/receive-file.ts';
import { isBadMarkup, isUnfitPhoto, mapTelegramError, newChatIdOf } from './map-telegram-error.ts';
import type { TelegramBot } from './read-update.ts';
import type { TelegramChannelOptions } from './telegram-options.ts';

/** Sends one part of a message to a chat. Returns the id of the sent message. */
type SendPart = (chat: number, signal: AbortSignal | undefined) => Promise<{ message_id: number }>;

/** The signal type of grammY, with which Node's signals are compatible. */
type GrammySignal = Parameters<Api['getMe']>[0];

const TEXT_LIMIT = 4_096;
const PHOTO_LIMIT = 10_000_000;
/** Time limit of a call, in addition to the wait of a poll, in milliseconds. */
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
    // Only one connection: with several, a later message may arrive before an earlier one.
    const options = { secret_token: p.secret, max_connections: 1, allowed_updates: UPDATE_KINDS };
    await this.#call((each) => this.#api.setWebhook(p.url, options, each), signal);
  }

  async deleteWebhook(signal: AbortSignal): Promise<void> {
    await this.#call((each) => this.#api.deleteWebhook({}, each), signal);
  }

  /** Returns the next updates, and confirms all updates before `offset`. */
  async getUpdates(offset: number | undefined, seconds: number, signal: AbortSignal): Promise<unknown> {
    const options = { timeout: seconds, allowed_updates: UPDATE_KINDS, ...(offset !== undefined && { offset }) };
    return this.#call((each) => this.#api.getUpdates(options, each), signal, CALL_LIMIT_MS + seconds * 1_000);
  }

  /** Confirms all updates before `offset`. Called when the channel stops, so that they are not delivered again at the next start. */
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

  /** Returns one function for each part of a message. It sends the part with one call of the Bot API. */
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
    // In a private chat, a reply reference is not needed.
    const replyTo = isPrivate ? undefined : Number(message.replyTo);
    const first = Number.isSafeInteger(replyTo)
      ? { reply_parameters: { message_id: replyTo!, allow_sending_without_reply: true } }
      : {};
    const texts = toTelegramPieces(message.text, TEXT_LIMIT);
    // A question shows the arguments of its call unchanged.
    const isUnchanged = message.isPlainText || (message.choices ?? []).length > 0;
    const parts = texts.map(({ formatted, plain }, i): SendPart => {
      const isLast = i === texts.length - 1;
      const options = { ...place, ...(i === 0 && first), ...(isLast && isPrivate && keyboardOf(message)) };
      return (id, signal) => {
        const sendPlain = (): ReturnType<SendPart> => this.#api.sendMessage(id, plain, options, signal as GrammySignal);
        if (formatted === undefined || isUnchanged) return sendPlain();
        const html = { ...options, parse_mode: 'HTML' as const };
        return this.#api.sendMessage(id, formatted, html, signal as GrammySignal).catch((error: unknown) => {
          if (!isBadMarkup(error)) throw error;
          return sendPlain();
        });
      };
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
        // Messages wait until the operator has replaced a wrong token.
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
      const grammySignal = signal as GrammySignal;
      const sendDocument = (): ReturnType<SendPart> => this.#api.sendDocument(id, file, place, grammySignal);
      if (isPhoto)
        return this.#api.sendPhoto(id, file, place, grammySignal).catch((error: unknown) => {
          if (!isUnfitPhoto(error)) throw error;
          return sendDocument();
        });
      if (/^audio\/ogg\b/.test(mimeType)) return this.#api.sendVoice(id, file, place, grammySignal);
      return sendDocument();
    };
  }

  /** Returns the URL of a file. Throws `NOT_FOUND` unless it is below the configured root, because the path comes from outside. */
  #fileUrl(path: string | undefined): URL {
    const prefix = `${this.#root}/file/bot${this.#token}/`;
    const url = URL.canParse(`${prefix}${path}`) ? new URL(`${prefix}${path}`) : undefined;
    const isBelow = path !== undefined && url?.href.startsWith(prefix) === true;
    if (!isBelow || path.startsWith('/')) throw new TholeError('NOT_FOUND', 'Telegram returned an invalid file path.');
    return url;
  }

  #call<T>(
    call: (signal: GrammySignal) => Promise<T>,
    signal: AbortSignal,
    limitMs: number = CALL_LIMIT_MS,
  ): Promise<T> {
    const timeoutError = (): TholeError => mapTelegramError(undefined, this.#token);
    return withTimeLimit({ runtime: this.#runtime, ms: limitMs, timeoutError, signal }, async (limitedSignal) => {
      try {
        return await call(limitedSignal as GrammySignal);
      } catch (error) {
        throw mapTelegramError(error, this.#token);
      }
    });
  }
}

/** Returns the choices as buttons below the text field. A pressed button sends its text. */
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
