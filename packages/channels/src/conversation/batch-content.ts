import type { Content, Part } from '@thole/core';
import type { StoredMessage } from '../delivery/delivery-store.ts';
import type { InboundMessage } from '../channel/inbound-message.ts';

/** Returns the content for the agent: the text and the files of each message. An edit replaces the message that it edits. */
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

/** Returns the texts of the messages as one text. */
export function batchText(messages: readonly StoredMessage[]): string {
  return newestVersions(messages)
    .map(({ message }) => message.text)
    .join('\n')
    .trim();
}

/** Returns the text of a message. An edit of a message that the agent has already seen gets a note. */
function textOfMessage({ edited, id, text }: InboundMessage, messages: readonly StoredMessage[]): string {
  const isKnown =
    edited !== undefined && !messages.some(({ message }) => message.id === id && message.edited === undefined);
  return isKnown ? `(I have edited an earlier message. It now reads:) ${text}` : text;
}

function newestVersions(messages: readonly StoredMessage[]): StoredMessage[] {
  const newest = new Map(messages.map((each) => [each.message.id, each]));
  return [...newest.values()];
}
