import type { InlineData, Part } from '@thole/core';
import { fromBase64 } from '../components/from-base64.ts';

/** Maximum size in bytes. The default limit of an event is 8 MiB of JSON, and base64 adds a third. */
export const MAX_FILE_BYTES = 6_000_000;

/** Returns a file as a part of a message. Rejects if it cannot be read. */
export async function toPart(file: File): Promise<Part> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const pieces: string[] = [];
  // Piece by piece, because a call with a million arguments fails.
  for (let i = 0; i < bytes.length; i += 0x8000) pieces.push(String.fromCharCode(...bytes.subarray(i, i + 0x8000)));
  const mimeType = file.type || (/\.(md|txt|csv|log)$/i.test(file.name) ? 'text/plain' : 'application/octet-stream');
  return { inlineData: { mimeType, data: btoa(pieces.join('')), displayName: file.name } };
}

/** Returns the bytes of a part with their type. Types that could run scripts become plain text. */
export function blobOf({ mimeType, data }: InlineData): Blob {
  const type = /html|xml|svg|script/i.test(mimeType) ? 'text/plain' : mimeType;
  try {
    return new Blob([fromBase64(data)], { type });
  } catch {
    return new Blob([], { type });
  }
}

/** True if browsers show the type as an image without scripts in it. */
export function isImage(mimeType: string): boolean {
  return /^image\/(png|jpeg|gif|webp|avif|bmp)$/i.test(mimeType);
}
