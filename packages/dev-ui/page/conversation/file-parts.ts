import type { InlineData, Part } from '@thole/core';

/** An event takes 8 MiB as JSON unless the server was told otherwise, and base64 adds a third. */
export const LARGEST_FILE = 6_000_000;

/** A file as a part of a message. Rejects where it cannot be read. */
export async function toPart(file: File): Promise<Part> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const steps: string[] = [];
  // In steps: one call with a million arguments is refused.
  for (let i = 0; i < bytes.length; i += 0x8000) steps.push(String.fromCharCode(...bytes.subarray(i, i + 0x8000)));
  const mimeType = file.type || (/\.(md|txt|csv|log)$/i.test(file.name) ? 'text/plain' : 'application/octet-stream');
  return { inlineData: { mimeType, data: btoa(steps.join('')), displayName: file.name } };
}

/** The bytes of a part, with their kind; of what could run in the page's name, as plain text. */
export function blobOf({ mimeType, data }: InlineData): Blob {
  const type = /html|xml|svg|script/i.test(mimeType) ? 'text/plain' : mimeType;
  try {
    const text = atob(data.replaceAll('-', '+').replaceAll('_', '/'));
    return new Blob([Uint8Array.from(text, (sign) => sign.charCodeAt(0))], { type });
  } catch {
    return new Blob([], { type });
  }
}

/** Whether browsers show it as an image, without anything in it that could run. */
export function isImage(mimeType: string): boolean {
  return /^image\/(png|jpeg|gif|webp|avif|bmp)$/i.test(mimeType);
}
