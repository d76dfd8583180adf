import { getOwn, isPlainObject } from '@thole/core/kit';
import type { RemoteFile } from '../messenger/receive-file.ts';

/** The bot, from `getMe`. */
export interface TelegramBot {
  id: number;
  username: string;
}

/** A message of a person, or an edit of it. Its file is not downloaded yet. */
export interface TelegramMessage {
  messageId: number;
  /** Id of the chat, with `/<id of the topic>` in a forum. */
  address: string;
  sender: string;
  senderName: string;
  text: string;
  file: RemoteFile | undefined;
  /** Set for an edit. */
  edited: string | undefined;
  group: { id: string; name: string; isAddressed: boolean } | undefined;
  sentAt: number;
}

type Fields = { readonly [name: string]: unknown };

/** The members of a message that contain a file, with the default media type of each. */
const MEDIA_TYPES: { readonly [member: string]: string } = {
  document: 'application/octet-stream',
  voice: 'audio/ogg',
  audio: 'audio/mpeg',
  video: 'video/mp4',
  video_note: 'video/mp4',
  animation: 'video/mp4',
};

/**
 * Returns the message of an update. Undefined for an update without a message of a person: other kinds of updates, messages of bots
 * and channels, service messages, and values of wrong types.
 */
export function readUpdate(update: Fields, bot: TelegramBot): TelegramMessage | undefined {
  const edit = objectIn(update, 'edited_message');
  const message = objectIn(update, 'message') ?? edit;
  const from = message && objectIn(message, 'from');
  const chat = message && objectIn(message, 'chat');
  // A message in the name of a group or channel does not prove who wrote it.
  if (!message || !from || !chat || getOwn(from, 'is_bot') !== false || getOwn(message, 'sender_chat') !== undefined)
    return undefined;
  const updateId = integerIn(update, 'update_id');
  const messageId = integerIn(message, 'message_id');
  const senderId = integerIn(from, 'id');
  const chatId = integerIn(chat, 'id');
  if (updateId === undefined || messageId === undefined || senderId === undefined || chatId === undefined)
    return undefined;
  const type = stringIn(chat, 'type');
  if (type !== 'private' && type !== 'group' && type !== 'supergroup') return undefined;
  // While a person shares a live location, Telegram sends an edit for each move.
  if (message === edit && objectIn(message, 'location')) return undefined;
  const group = type === 'private' ? undefined : groupOf(message, chat, chatId, bot);
  const text = textOf(message);
  const file = fileOf(message);
  if (text.trim() === '' && !file) return undefined;
  const topic = getOwn(message, 'is_topic_message') === true ? integerIn(message, 'message_thread_id') : undefined;
  return {
    messageId,
    address: topic === undefined ? String(chatId) : `${chatId}/${topic}`,
    sender: String(senderId),
    senderName: fullName(from),
    // A mention alone is a message, too.
    text: (group && withoutAddress(text, bot)) || text,
    file,
    // Two edits may have the same time in seconds, so the update id is added. A repeated update has the same id.
    edited: message === edit ? `${String(getOwn(message, 'edit_date'))}-${updateId}` : undefined,
    group,
    sentAt: integerIn(message, 'date') ?? 0,
  };
}

/** Returns the key of the chat, whose updates are handled in order. */
export function chatKeyOf(update: Fields): string {
  const message = objectIn(update, 'message') ?? objectIn(update, 'edited_message');
  const chat = message && objectIn(message, 'chat');
  return String(chat && getOwn(chat, 'id'));
}

function textOf(message: Fields): string {
  const text = stringIn(message, 'text') || stringIn(message, 'caption');
  if (text !== '') return text;
  const sticker = objectIn(message, 'sticker');
  if (sticker) return stringIn(sticker, 'emoji');
  const location = objectIn(message, 'location');
  if (location) return `Location: ${Number(getOwn(location, 'latitude'))}, ${Number(getOwn(location, 'longitude'))}`;
  const contact = objectIn(message, 'contact');
  if (!contact) return '';
  return `Contact: ${fullName(contact)}, ${stringIn(contact, 'phone_number')}`;
}

function fileOf(message: Fields): RemoteFile | undefined {
  const photos = getOwn(message, 'photo');
  // The sizes of a photo are in ascending order.
  const photo: unknown = Array.isArray(photos) ? photos.at(-1) : undefined;
  if (isPlainObject(photo)) return remoteFile(photo, 'image/jpeg');
  for (const [member, mimeType] of Object.entries(MEDIA_TYPES)) {
    const file = objectIn(message, member);
    if (file) return remoteFile(file, mimeType);
  }
  return undefined;
}

function remoteFile(file: Fields, mimeType: string): RemoteFile | undefined {
  const id = stringIn(file, 'file_id');
  const name = stringIn(file, 'file_name');
  const size = integerIn(file, 'file_size');
  if (id === '') return undefined;
  return {
    id,
    mimeType: stringIn(file, 'mime_type') || mimeType,
    ...(name !== '' && { name }),
    ...(size !== undefined && { size }),
  };
}

function groupOf(message: Fields, chat: Fields, id: number, bot: TelegramBot): TelegramMessage['group'] {
  return { id: String(id), name: stringIn(chat, 'title'), isAddressed: isAddressed(message, bot) };
}

/** True for a reply to the bot, a mention of it, and a command that does not name another bot. */
function isAddressed(message: Fields, bot: TelegramBot): boolean {
  const repliedTo = objectIn(message, 'reply_to_message');
  const author = repliedTo && objectIn(repliedTo, 'from');
  // In a topic, every message is a reply to the message that created the topic.
  if (author && getOwn(author, 'id') === bot.id && !objectIn(repliedTo, 'forum_topic_created')) return true;
  const isText = stringIn(message, 'text') !== '';
  const text = stringIn(message, isText ? 'text' : 'caption');
  const entities = getOwn(message, isText ? 'entities' : 'caption_entities');
  return Array.isArray(entities) && entities.some((entity) => isPlainObject(entity) && isForBot(entity, text, bot));
}

function isForBot(entity: Fields, text: string, { id, username }: TelegramBot): boolean {
  const type = getOwn(entity, 'type');
  const offset = integerIn(entity, 'offset');
  const length = integerIn(entity, 'length');
  if (offset === undefined || length === undefined) return false;
  const named = text.slice(offset, offset + length).toLowerCase();
  if (type === 'mention') return named === `@${username.toLowerCase()}`;
  if (type === 'text_mention') {
    const user = objectIn(entity, 'user');
    return user !== undefined && getOwn(user, 'id') === id;
  }
  if (type !== 'bot_command' || offset !== 0) return false;
  return !named.includes('@') || named.endsWith(`@${username.toLowerCase()}`);
}

/** Removes the bot's name: `@bot /help` and `/help@bot` become `/help`. */
function withoutAddress(text: string, { username }: TelegramBot): string {
  return text
    .replace(new RegExp(`^\\s*@${username}\\b[\\s,:]*`, 'i'), '')
    .replace(new RegExp(`^(/\\w+)@${username}\\b`, 'i'), '$1');
}

function objectIn(fields: Fields, name: string): Fields | undefined {
  const value = getOwn(fields, name);
  return isPlainObject(value) ? (value as Fields) : undefined;
}

function stringIn(fields: Fields, name: string): string {
  const value = getOwn(fields, name);
  return typeof value === 'string' ? value : '';
}

function integerIn(fields: Fields, name: string): number | undefined {
  const value = getOwn(fields, name);
  return Number.isSafeInteger(value) ? (value as number) : undefined;
}

/** Returns the name of a user or a contact. */
function fullName(fields: Fields): string {
  return `${stringIn(fields, 'first_name')} ${stringIn(fields, 'last_name')}`.trim();
}
