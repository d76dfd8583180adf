import { TholeError } from '@thole/core';
import { encodeBase64, isPlainObject } from '@thole/core/kit';
import type { Content, Part } from '@thole/core';
import { webUrl } from './web-url.ts';

/** Returns the texts and files of the page's message. Throws `INVALID_INPUT` if there are none, or if a file is invalid. */
export function toUserContent(parts: readonly unknown[]): Content {
  const content = parts.flatMap((part): Part[] => {
    if (!isPlainObject(part)) return [];
    if (part['type'] === 'text' && typeof part['text'] === 'string') return [{ text: part['text'] }];
    return part['type'] === 'file' ? [toFilePart(part)] : [];
  });
  if (content.length === 0)
    throw new TholeError('INVALID_INPUT', 'The message must have at least one part with a text or a file.');
  return { role: 'user', parts: content };
}

function toFilePart({ filename, mediaType, url }: { [key: string]: unknown }): Part {
  const displayName = typeof filename === 'string' && filename !== '' ? { displayName: filename } : {};
  if (typeof url !== 'string') throw new TholeError('INVALID_INPUT', 'The url of a file must be a string.');
  if (!url.slice(0, 5).toLowerCase().startsWith('data:')) {
    if (webUrl(url) === undefined)
      throw new TholeError('INVALID_INPUT', 'The url of a file must begin with data:, http: or https:.');
    return {
      fileData: { fileUri: url, ...(typeof mediaType === 'string' && { mimeType: mediaType }), ...displayName },
    };
  }
  const comma = url.indexOf(',');
  if (comma < 0) throw new TholeError('INVALID_INPUT', 'The data URL of a file must have a comma before its data.');
  const [type, ...parameters] = url.slice(5, comma).split(';');
  const mimeType = typeof mediaType === 'string' && mediaType.includes('/') ? mediaType : type || 'text/plain';
  const isBase64 = parameters.at(-1)?.trim().toLowerCase() === 'base64';
  const data = isBase64 ? url.slice(comma + 1) : encodeText(url.slice(comma + 1));
  if (isBase64 && !/^[A-Za-z0-9+/]*={0,2}$/.test(data))
    throw new TholeError('INVALID_INPUT', 'The data URL of a file must contain base64.');
  return { inlineData: { mimeType, data, ...displayName } };
}

function encodeText(text: string): string {
  try {
    return encodeBase64(new TextEncoder().encode(decodeURIComponent(text)));
  } catch {
    throw new TholeError('INVALID_INPUT', 'The data URL of a file must be percent-encoded text or base64.');
  }
}
