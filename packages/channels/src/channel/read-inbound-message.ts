import { createHash } from 'node:crypto';
import { TholeError } from '@thole/core';
import { assertName, assertSeconds, canonicalJson, decodeBase64, invalidInput, isPlainObject } from '@thole/core/kit';
import type { Json } from '@thole/core';
import { assertChannelName } from '../identity/identity-book.ts';
import type { ChannelFile, GroupInfo, InboundMessage } from './inbound-message.ts';

/** Limits of inbound messages. */
export interface MessageLimits {
  /** Maximum length of the text in characters. */
  maxTextLength: number;
  /** Maximum size of all files of a message in bytes. */
  maxFileBytes: number;
}

const MAX_FILES = 20;
const MEDIA_TYPE = /^[\w!#$&^.+-]{1,80}\/[\w!#$&^.+-]{1,80}(?:\s*;[^\r\n]{0,200})?$/;
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

/**
 * Returns a validated copy of a message, without unknown members and control characters. Throws `INVALID_INPUT` for a wrong type or
 * size, and if the message has neither text nor files.
 */
export function readInboundMessage(value: unknown, limits: MessageLimits): InboundMessage {
  if (!isPlainObject(value)) throw invalidInput('The message', 'an object', value);
  const p = value as { [name in keyof InboundMessage]: unknown };
  assertChannelName('message.channel', p.channel);
  assertName('message.sender', p.sender);
  assertName('message.id', p.id);
  if (p.address !== undefined) assertName('message.address', p.address);
  if (p.edited !== undefined) assertName('message.edited', p.edited);
  if (p.sentAt !== undefined) assertSeconds('message.sentAt', p.sentAt);
  const text = readText(p.text, limits);
  const files = readFiles(p.files, limits);
  if (text.trim() === '' && files.length === 0)
    throw new TholeError('INVALID_INPUT', 'The message must have text or a file.');
  const senderName = readName('message.senderName', p.senderName);
  const group = readGroup(p.group);
  return {
    channel: p.channel,
    sender: p.sender,
    id: p.id,
    text,
    ...(senderName !== undefined && { senderName }),
    ...(p.address !== undefined && { address: p.address as string }),
    ...(files.length > 0 && { files }),
    ...(p.edited !== undefined && { edited: p.edited as string }),
    ...(group && { group }),
    ...(p.sentAt !== undefined && { sentAt: p.sentAt as number }),
  };
}

/** Returns the key of a message. It is the same each time the channel delivers the message. */
export function messageKeyOf({ channel, sender, address = sender, id, edited }: InboundMessage): string {
  return hashOf([channel, address, id, edited ?? null]);
}

/** Returns the SHA-256 of a JSON value as 64 hexadecimal digits. */
export function hashOf(value: Json): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}

function readText(text: unknown, { maxTextLength }: MessageLimits): string {
  if (typeof text !== 'string') throw invalidInput('message.text', 'a string', text);
  if (text.length > maxTextLength)
    throw new TholeError('INVALID_INPUT', `message.text must have at most ${maxTextLength} characters.`);
  return text.replaceAll('\r\n', '\n').replace(CONTROL, '').toWellFormed();
}

function readFiles(files: unknown, { maxFileBytes }: MessageLimits): ChannelFile[] {
  if (files === undefined) return [];
  if (!Array.isArray(files)) throw invalidInput('message.files', 'an array', files);
  if (files.length > MAX_FILES)
    throw new TholeError('INVALID_INPUT', `message.files must have at most ${MAX_FILES} files.`);
  const read = files.map((file, i) => readFile(`message.files[${i}]`, file));
  const bytes = read.reduce((sum, { data }) => sum + Math.ceil((data.length * 3) / 4), 0);
  if (bytes > maxFileBytes)
    throw new TholeError('INVALID_INPUT', `message.files must have at most ${maxFileBytes} bytes.`);
  return read;
}

function readFile(at: string, file: unknown): ChannelFile {
  if (!isPlainObject(file)) throw invalidInput(at, 'an object', file);
  const { mimeType, data, name } = file as { [member in keyof ChannelFile]: unknown };
  if (typeof mimeType !== 'string' || !MEDIA_TYPE.test(mimeType))
    throw new TholeError('INVALID_INPUT', `${at}.mimeType must be a media type, such as image/jpeg.`);
  if (typeof data !== 'string' || data === '' || decodeBase64(data) === undefined)
    throw new TholeError('INVALID_INPUT', `${at}.data must be base64.`);
  const shown = readName(`${at}.name`, name);
  return { mimeType, data, ...(shown !== undefined && { name: shown }) };
}

function readGroup(group: unknown): GroupInfo | undefined {
  if (group === undefined) return undefined;
  if (!isPlainObject(group)) throw invalidInput('message.group', 'an object', group);
  const { id, name, isAddressed } = group as { [member in keyof GroupInfo]: unknown };
  assertName('message.group.id', id);
  if (typeof isAddressed !== 'boolean') throw invalidInput('message.group.isAddressed', 'a boolean', isAddressed);
  const shown = readName('message.group.name', name);
  return { id, isAddressed, ...(shown !== undefined && { name: shown }) };
}

/**
 * Returns a name as one line of at most 200 characters, without characters that change the direction of text, because names come from
 * outside. Undefined for an empty name.
 */
function readName(at: string, name: unknown): string | undefined {
  if (name === undefined) return undefined;
  if (typeof name !== 'string') throw invalidInput(at, 'a string', name);
  const line = name
    .replace(CONTROL, '')
    .replace(/\p{Bidi_Control}/gu, '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 200)
    .toWellFormed();
  return line === '' ? undefined : line;
}
