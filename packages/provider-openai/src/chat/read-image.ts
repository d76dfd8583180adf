import type { Part } from '@thole/core';
import { isRecord } from './is-record.ts';

/**
 * Returns an image of an answer as bytes if the address is a `data:` URL, otherwise as an address. Undefined for other
 * values.
 */
export function readImage(image: unknown): Part | undefined {
  const address = isRecord(image) ? image['image_url'] : undefined;
  const url = isRecord(address) ? address['url'] : address;
  if (typeof url !== 'string') return undefined;
  const inline = /^data:([^;,]+);base64,(.*)$/s.exec(url);
  if (inline) return { inlineData: { mimeType: inline[1]!, data: inline[2]! } };
  return { fileData: { fileUri: url, mimeType: 'image/*' } };
}
