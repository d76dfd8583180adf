import { TholeError } from '@thole/core';
import { invalidInput, isPlainObject } from '@thole/core/kit';
import type { ChannelFile } from './inbound-message.ts';

/** A message to a person. Plain JSON. */
export interface OutboundMessage {
  /** Text of the model, possibly with Markdown. The channel splits and formats it if necessary. */
  text: string;
  /** True for a text without Markdown, such as the answer of a command. The channel sends it unchanged. */
  isPlainText?: boolean | undefined;
  files?: readonly ChannelFile[] | undefined;
  /** Id, on the channel, of the message that this message answers. */
  replyTo?: string | undefined;
  /** Short answers that a channel may show as buttons. A pressed button is a message of the user with its text. */
  choices?: readonly string[] | undefined;
}

/** Throws `INVALID_INPUT` unless the value is a message with text or files. Otherwise it would block later messages to its address. */
export function assertOutboundMessage(value: unknown): asserts value is OutboundMessage {
  if (!isPlainObject(value)) throw invalidInput('message', 'a string or an object with text', value);
  const { choices, files, isPlainText, replyTo, text } = value as { [name in keyof OutboundMessage]: unknown };
  if (typeof text !== 'string') throw invalidInput('message.text', 'a string', text);
  if (isPlainText !== undefined && typeof isPlainText !== 'boolean')
    throw invalidInput('message.isPlainText', 'a boolean', isPlainText);
  if (files !== undefined && !(Array.isArray(files) && files.every(isFile)))
    throw new TholeError('INVALID_INPUT', 'message.files must be an array of { mimeType, data, name? }.');
  if (text.trim() === '' && (files ?? []).length === 0)
    throw new TholeError('INVALID_INPUT', 'The message must have text or a file.');
  if (replyTo !== undefined && typeof replyTo !== 'string') throw invalidInput('message.replyTo', 'a string', replyTo);
  if (choices !== undefined && !(Array.isArray(choices) && choices.every((each) => typeof each === 'string')))
    throw new TholeError('INVALID_INPUT', 'message.choices must be an array of strings.');
}

function isFile(file: unknown): boolean {
  const { data, mimeType } = (isPlainObject(file) ? file : {}) as { [name in keyof ChannelFile]: unknown };
  return typeof mimeType === 'string' && typeof data === 'string';
}
