import { mediaTypeOf } from '@thole/core/kit';
import type { FileData, InlineData } from '@thole/core';

/** Text documents that Gemini accepts in addition to images, audio, video and texts. */
const DOCUMENTS: readonly string[] = [
  'application/pdf',
  'application/json',
  'application/xml',
  'application/rtf',
  'application/javascript',
  'application/x-javascript',
  'application/typescript',
  'application/x-typescript',
  'application/x-python-code',
  'application/x-ipynb+json',
];

/** True if Gemini reads data of this MIME type. */
function canReadType(mimeType: string): boolean {
  const type = mediaTypeOf(mimeType);
  return /^(image|audio|video|text)\/./.test(type) || DOCUMENTS.includes(type);
}

/** True if Gemini reads these bytes. It rejects a file without any. */
export function canReadData({ mimeType, data }: InlineData): boolean {
  return data !== '' && canReadType(mimeType);
}

/** True if Gemini reads these bytes or this file. A file may have an unknown type: Gemini detects it. */
export function canRead(media: { inlineData?: InlineData | undefined; fileData?: FileData | undefined }): boolean {
  const { inlineData, fileData } = media;
  if (inlineData) return canReadData(inlineData);
  return fileData !== undefined && (fileData.mimeType === undefined || canReadType(fileData.mimeType));
}
