import { TholeError } from '@thole/core';
import { decodeBase64, getOwn, isPlainObject } from '@thole/core/kit';
import type { Event, JsonObject, Part } from '@thole/core';
import { webUrl } from '../ui/web-url.ts';
import type { ClientMessage } from './run-input.ts';

const mediaTypes: ReadonlySet<unknown> = new Set(['image', 'audio', 'video', 'document']);

/**
 * Returns the parts of the last message if it is from the user. Otherwise the list is empty, because the agent has already
 * processed the user's messages. Throws `INVALID_INPUT` for content that is not supported.
 */
export function newMessageParts(messages: readonly ClientMessage[]): Part[] {
  const { role, content } = lastMessage(messages) ?? {};
  if (role !== 'user') return [];
  if (typeof content === 'string') return content === '' ? [] : [{ text: content }];
  if (!Array.isArray(content)) throw invalid('must be a string or a list of parts');
  return content.flatMap((part: unknown, i) => toPart(part, `[${i}]`));
}

/**
 * Returns metadata with the ids that the client gave its new message and its results of tools. The messages of the thread have
 * these ids.
 */
export function messageIdMetadata(
  messages: readonly ClientMessage[],
  p: { hasMessage: boolean; answeredCallIds: ReadonlySet<string> },
): JsonObject {
  const ids = messages.flatMap(({ id, role, toolCallId }): [string, string][] =>
    role === 'tool' && typeof toolCallId === 'string' && p.answeredCallIds.has(toolCallId) && isShortId(id)
      ? [[toolCallId, id]]
      : [],
  );
  const id = p.hasMessage ? lastMessage(messages)?.id : undefined;
  return {
    ...(isShortId(id) && { agUiMessageId: id }),
    ...(ids.length > 0 && { agUiToolMessageIds: Object.fromEntries(ids) }),
  };
}

/** Returns the id of the message with the result of a call: the client's id if the client has sent the result. */
export function toolMessageId({ customMetadata, id }: Event, toolCallId: string): string {
  const clientIds = customMetadata?.['agUiToolMessageIds'];
  const clientId = isPlainObject(clientIds) ? getOwn(clientIds, toolCallId) : undefined;
  return typeof clientId === 'string' ? clientId : `${id}:${toolCallId}`;
}

function isShortId(id: unknown): id is string {
  return typeof id === 'string' && id !== '' && id.length <= 512;
}

/** Returns the last message of the conversation. */
export function lastMessage(messages: readonly ClientMessage[]): ClientMessage | undefined {
  return messages.findLast(({ role }) => ['user', 'assistant', 'tool', 'reasoning'].includes(role));
}

function toPart(part: unknown, path: string): Part[] {
  if (!isPlainObject(part)) throw invalid(`${path} must be an object`);
  const { source, text, type } = part;
  if (type === 'text') {
    if (typeof text !== 'string') throw invalid(`${path}.text must be a string`);
    return text === '' ? [] : [{ text }];
  }
  if (!mediaTypes.has(type) || !isPlainObject(source))
    throw invalid(`${path} must be a text part or a file with a source`);
  const { mimeType, value } = source;
  if (typeof value !== 'string') throw invalid(`${path}.source must have a value`);
  if (source['type'] === 'data') {
    if (typeof mimeType !== 'string' || !decodeBase64(value))
      throw invalid(`${path}.source must have a type and base64`);
    return [{ inlineData: { mimeType, data: value } }];
  }
  if (source['type'] !== 'url' || webUrl(value) === undefined)
    throw invalid(`${path}.source must have data or a URL with the scheme https or http`);
  return [{ fileData: { fileUri: value, mimeType: typeof mimeType === 'string' ? mimeType : `${type as string}/*` } }];
}

function invalid(problem: string): TholeError {
  const separator = problem.startsWith('[') ? '' : ' ';
  return new TholeError('INVALID_INPUT', `The content of the user's message${separator}${problem}.`);
}
