import { TholeError } from '@thole/core';
import { decodeBase64, isPlainObject } from '@thole/core/kit';
import type { Part } from '@thole/core';
import { webUrl } from '../ui/web-url.ts';
import type { ClientMessage } from './run-input.ts';

const mediaTypes: ReadonlySet<unknown> = new Set(['image', 'audio', 'video', 'document']);

/**
 * Returns the parts of the last message if it is from the user. Otherwise the list is empty, because the agent has already
 * processed the user's messages. Throws `INVALID_INPUT` for content that is not supported.
 */
export function newMessageParts(messages: readonly ClientMessage[]): Part[] {
  const last = messages.findLast(({ role }) => ['user', 'assistant', 'tool', 'reasoning'].includes(role));
  if (last?.role !== 'user') return [];
  const { content } = last;
  if (typeof content === 'string') return content === '' ? [] : [{ text: content }];
  if (!Array.isArray(content)) throw invalid('must be a string or a list of parts');
  return content.flatMap((part: unknown, i) => toPart(part, `[${i}]`));
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
