import type { Part } from '@thole/core';

/** The preview of a file: image, audio or video by address, text as text, anything else by its size. */
export type Preview =
  | { kind: 'image' | 'audio' | 'video'; url: string; mimeType: string; bytes: number }
  | { kind: 'text'; text: string; mimeType: string; bytes: number }
  | { kind: 'file'; mimeType: string; bytes: number }
  | { kind: 'elsewhere'; url: string; mimeType: string };

/** Returns the preview of one version of an artifact. JSON is formatted; invalid text or JSON is shown as a file. */
export function previewOf({ inlineData, fileData, text }: Part): Preview {
  if (text !== undefined) return { kind: 'text', text, mimeType: 'text/plain', bytes: sizeOf(text) };
  if (fileData) return { kind: 'elsewhere', url: fileData.fileUri, mimeType: fileData.mimeType ?? '' };
  if (!inlineData) return { kind: 'file', mimeType: 'application/octet-stream', bytes: 0 };
  const { mimeType, data } = inlineData;
  const bytes = bytesIn(data);
  const [family] = mimeType.split('/');
  // An SVG in an <img> runs no script.
  if (family === 'image' || family === 'audio' || family === 'video')
    return { kind: family, url: `data:${mimeType};base64,${data}`, mimeType, bytes };
  const words = isText(mimeType) && bytes <= LARGEST_TEXT ? decoded(data) : undefined;
  if (words === undefined) return { kind: 'file', mimeType, bytes };
  return { kind: 'text', text: /[/+]json\b/.test(mimeType) ? laidOut(words) : words, mimeType, bytes };
}

/** Returns the bytes of a part, to save them as a file. */
export function bytesOf({ inlineData, text }: Part): Uint8Array<ArrayBuffer> {
  if (text !== undefined) return new TextEncoder().encode(text);
  return fromBase64(inlineData?.data ?? '');
}

const LARGEST_TEXT = 1_000_000;

const sizeOf = (text: string): number => new TextEncoder().encode(text).length;

function bytesIn(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return Math.floor((base64.length * 3) / 4) - (base64.length % 4 === 0 ? padding : 0);
}

const isText = (mimeType: string): boolean =>
  /^text\/|[/+](json|xml|yaml|javascript|typescript|csv|x-sh|sql|toml)\b/.test(mimeType);

function decoded(base64: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(fromBase64(base64));
  } catch {
    return undefined;
  }
}

function fromBase64(base64: string): Uint8Array<ArrayBuffer> {
  const letters = atob(base64.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
}

function laidOut(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), undefined, 2);
  } catch {
    return json;
  }
}
