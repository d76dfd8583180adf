import { getOwn, isPlainObject } from '@thole/core/kit';
import type { RemoteFile } from '../messenger/receive-file.ts';

/** A message of a person. Its file is not downloaded yet. */
export interface WhatsAppMessage {
  id: string;
  sender: string;
  senderName: string | undefined;
  text: string;
  file: RemoteFile | undefined;
  sentAt: number;
}

/** A report of WhatsApp about a sent message. */
export interface WhatsAppStatus {
  id: string;
  status: 'delivered' | 'read' | 'failed';
  /** Code of the error. */
  code: number | undefined;
}

type Fields = { readonly [name: string]: unknown };

const MEDIA = ['image', 'audio', 'video', 'document', 'sticker'];
const STATUSES: { readonly [status: string]: WhatsAppStatus['status'] } = {
  delivered: 'delivered',
  read: 'read',
  played: 'read',
  failed: 'failed',
};

/**
 * Returns the messages, oldest first, and the statuses in a webhook's body for this phone number. Leaves out reactions, messages of
 * groups, unsupported kinds, and values of wrong types.
 */
export function readWebhook(
  body: unknown,
  phoneNumberId: string,
): { messages: WhatsAppMessage[]; statuses: WhatsAppStatus[] } {
  const values = listIn(body, 'entry')
    .flatMap((entry) => listIn(entry, 'changes'))
    .flatMap((change) => (getOwn(change, 'field') === 'messages' ? [objectIn(change, 'value')] : []))
    .filter((value) => value && stringIn(objectIn(value, 'metadata'), 'phone_number_id') === phoneNumberId);
  const messages = values.flatMap((value) => {
    const namesBySender = new Map(
      listIn(value, 'contacts').map((each) => [stringIn(each, 'wa_id'), stringIn(objectIn(each, 'profile'), 'name')]),
    );
    return listIn(value, 'messages').flatMap((each) => readMessage(each, namesBySender) ?? []);
  });
  return {
    messages: messages.toSorted((a, b) => a.sentAt - b.sentAt),
    statuses: values.flatMap((value) => listIn(value, 'statuses').flatMap((each) => readStatus(each) ?? [])),
  };
}

function readMessage(message: Fields, namesBySender: Map<string, string>): WhatsAppMessage | undefined {
  const [id, sender, sentAt] = [stringIn(message, 'id'), stringIn(message, 'from'), stringIn(message, 'timestamp')];
  const isValid = id !== '' && id.length <= 256 && /^\d{5,20}$/.test(sender) && /^\d{1,12}$/.test(sentAt);
  if (!isValid || getOwn(message, 'group_id') !== undefined) return undefined;
  const type = stringIn(message, 'type');
  const media = MEDIA.includes(type) ? objectIn(message, type) : undefined;
  const file = media && remoteFile(media);
  const text = textOf(message, type);
  if (text.trim() === '' && !file) return undefined;
  return { id, sender, senderName: namesBySender.get(sender) || undefined, text, file, sentAt: Number(sentAt) };
}

function textOf(message: Fields, type: string): string {
  if (type === 'contacts') return listIn(message, type).map(contactText).join('\n');
  const content = objectIn(message, type);
  if (!content) return '';
  if (type === 'text') return stringIn(content, 'body');
  if (type === 'button') return stringIn(content, 'text');
  if (type === 'interactive')
    return stringIn(objectIn(content, 'button_reply'), 'title') || stringIn(objectIn(content, 'list_reply'), 'title');
  if (type === 'location')
    return `Location: ${Number(getOwn(content, 'latitude'))}, ${Number(getOwn(content, 'longitude'))}`;
  return MEDIA.includes(type) ? stringIn(content, 'caption') : '';
}

function contactText(contact: Fields): string {
  const phones = listIn(contact, 'phones').map((each) => stringIn(each, 'phone'));
  return `Contact: ${[stringIn(objectIn(contact, 'name'), 'formatted_name'), ...phones].join(', ')}`;
}

function remoteFile(media: Fields): RemoteFile | undefined {
  const id = stringIn(media, 'id');
  const name = stringIn(media, 'filename');
  // The id becomes part of a URL.
  if (!/^\d{1,64}$/.test(id)) return undefined;
  return { id, mimeType: stringIn(media, 'mime_type'), ...(name !== '' && { name }) };
}

function readStatus(status: Fields): WhatsAppStatus | undefined {
  const id = stringIn(status, 'id');
  const known = getOwn(STATUSES, stringIn(status, 'status')) as WhatsAppStatus['status'] | undefined;
  if (id === '' || id.length > 256 || !known) return undefined;
  const [error] = listIn(status, 'errors');
  const code = error && getOwn(error, 'code');
  return {
    id,
    status: known,
    code: Number.isSafeInteger(code) ? (code as number) : undefined,
  };
}

function listIn(value: unknown, name: string): Fields[] {
  const list = isPlainObject(value) ? getOwn(value as Fields, name) : undefined;
  return Array.isArray(list) ? list.filter((each): each is Fields => isPlainObject(each)) : [];
}

function objectIn(fields: Fields | undefined, name: string): Fields | undefined {
  const value = fields && getOwn(fields, name);
  return isPlainObject(value) ? (value as Fields) : undefined;
}

function stringIn(fields: Fields | undefined, name: string): string {
  const value = fields && getOwn(fields, name);
  return typeof value === 'string' ? value : '';
}
