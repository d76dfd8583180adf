import type { Json } from '@thole/core';
import type { ChannelFile } from '../channel/inbound-message.ts';
import type { OutboundMessage } from '../channel/outbound-message.ts';
import { toWhatsAppPieces } from '../messenger/format-markdown.ts';
import { splitText } from '../messenger/split-text.ts';
import type { WhatsAppTemplate } from './whatsapp-options.ts';

/** A message of the Cloud API, without its recipient. */
export type CloudMessage = { [name: string]: Json };

const TEXT_LIMIT = 4_096;
const BUTTON_TEXT_LIMIT = 1_024;
const MAX_BUTTONS = 3;
const BUTTON_LIMIT = 20;
/** Maximum length of a template's variable. WhatsApp allows 1,024 characters together with the fixed text of the template. */
const TEMPLATE_LIMIT = 900;

/** Returns the texts of a message. Choices become buttons if WhatsApp's limits allow it. */
export function toTextMessages({ choices = [], isPlainText = false, text }: OutboundMessage): CloudMessage[] {
  // A question shows the arguments of its call unchanged.
  const isUnchanged = isPlainText || choices.length > 0;
  const texts = toWhatsAppPieces(text, TEXT_LIMIT).map(({ formatted = '', plain }) =>
    isUnchanged || formatted === '' ? plain : formatted,
  );
  const [only] = texts;
  const canUseButtons =
    texts.length === 1 &&
    only!.length <= BUTTON_TEXT_LIMIT &&
    choices.length > 0 &&
    choices.length <= MAX_BUTTONS &&
    new Set(choices).size === choices.length &&
    choices.every((choice) => choice.trim() !== '' && choice.length <= BUTTON_LIMIT);
  if (!canUseButtons) return texts.map((body) => ({ type: 'text', text: { body, preview_url: false } }));
  const buttons = choices.map((title, i) => ({ type: 'reply', reply: { id: `choice-${i}`, title } }));
  return [{ type: 'interactive', interactive: { type: 'button', body: { text: only! }, action: { buttons } } }];
}

/** Returns the message for an uploaded file. */
export function toFileMessage({ mimeType, name }: ChannelFile, id: string): CloudMessage {
  if (/^image\/(?:jpeg|png)\b/.test(mimeType)) return { type: 'image', image: { id } };
  if (/^audio\/(?:aac|mp4|mpeg|amr|ogg)\b/.test(mimeType)) return { type: 'audio', audio: { id } };
  if (/^video\/(?:mp4|3gpp)\b/.test(mimeType)) return { type: 'video', video: { id } };
  return { type: 'document', document: { id, ...(name !== undefined && { filename: name }) } };
}

/** Returns template messages with the text on one line, as WhatsApp requires. Files are replaced by their names and types. */
export function toTemplateMessages(message: OutboundMessage, { language, name }: WhatsAppTemplate): CloudMessage[] {
  const files = (message.files ?? []).map((file) => `[${file.name ?? 'file'}: ${file.mimeType}]`);
  const line = [message.text, ...files].join(' ').replace(/\s+/g, ' ');
  return splitText(line, TEMPLATE_LIMIT).map((text) => ({
    type: 'template',
    template: {
      name,
      language: { code: language },
      components: [{ type: 'body', parameters: [{ type: 'text', text }] }],
    },
  }));
}
