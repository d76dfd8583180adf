import type { Content, Part } from '@thole/core';
import type { StoredMessage } from '../delivery/delivery-store.ts';
import type { InboundMessage } from '../channel/inbound-message.ts';

/** Returns the message for the agent: texts of the messages, each with its files. An edit replaces the message that it edits. */
export function batchContent(messages: readonly StoredMessage[]): Content {
  const parts: Part[] = [];
  for (const { message } of newestVersions(messages)) {
    const text = textOfMessage(message, messages);
    if (text !== '') parts.push({ text: parts.length > 0 ? `\n${text}` : text });
    for (const { data, mimeType, name } of message.files ?? [])
      parts.push({ inlineData: { data, mimeType, ...(name !== undefined && { displayName: name }) } });
  }
  return { role: 'user', parts };
}

/** Returns the texts of the messages as one. */
export function batchText(messages: readonly StoredMessage[]): string {
  return newestVersions(messages)
    .map(({ message }) => message.text)
    .join('\n')
    .trim();
}

/** An edit of a message that the agent has seen says that it is one. */
function textOfMessage({ edited, id, text }: InboundMessage, messages: readonly StoredMessage[]): string {
  const isKnown =
    edited !== undefined && !messages.some(({ message }) => message.id === id && message.edited === undefined);
  return isKnown ? `(I have edited an earlier message. It now reads:) ${text}` : text;
}

function newestVersions(messages: readonly StoredMessage[]): StoredMessage[] {
  const newest = new Map(messages.map((each) => [each.message.id, each]));
  return [...newest.values()];
}
