import { TholeError } from '@thole/core';
import { decodeBase64, isPlainObject } from '@thole/core/kit';
import type { Part } from '@thole/core';
import { webUrl } from '../ui/web-url.ts';
import type { ClientMessage } from './run-input.ts';

const media: ReadonlySet<unknown> = new Set(['image', 'audio', 'video', 'document']);

/**
 * Returns the parts of the last message of the user. Empty if an answer, a tool's result or nothing follows: then the agent has
 * seen it. Throws `INVALID_INPUT` for content that is not supported.
 */
export function newMessageParts(messages: readonly ClientMessage[]): Part[] {
  const last = messages.findLast(({ role }) => ['user', 'assistant', 'tool', 'reasoning'].includes(role));
  if (last?.role !== 'user') return [];
  const { content } = last;
  if (typeof content === 'string') return content === '' ? [] : [{ text: content }];
  if (!Array.isArray(content)) throw invalid('must be a text or a list of parts');
  return content.flatMap((part: unknown, i) => toPart(part, `[${i}]`));
}

function toPart(part: unknown, at: string): Part[] {
  if (!isPlainObject(part)) throw invalid(`${at} must be an object`);
  const { source, text, type } = part;
  if (type === 'text') {
    if (typeof text !== 'string') throw invalid(`${at}.text must be a string`);
    return text === '' ? [] : [{ text }];
  }
  if (!media.has(type) || !isPlainObject(source)) throw invalid(`${at} must be a text or a file with a source`);
  const { mimeType, value } = source;
  if (typeof value !== 'string') throw invalid(`${at}.source must have a value`);
  if (source['type'] === 'data') {
    if (typeof mimeType !== 'string' || !decodeBase64(value)) throw invalid(`${at}.source must have a type and base64`);
    return [{ inlineData: { mimeType, data: value } }];
  }
  if (source['type'] !== 'url' || webUrl(value) === undefined)
    throw invalid(`${at}.source must have data or a URL with the scheme https or http`);
  return [{ fileData: { fileUri: value, mimeType: typeof mimeType === 'string' ? mimeType : `${type as string}/*` } }];
}

function invalid(problem: string): TholeError {
  const of = problem.startsWith('[') ? '' : ' ';
  return new TholeError('INVALID_INPUT', `The content of the user's message${of}${problem}.`);
}
