import { decodeBase64, isTextType, mediaTypeOf, toStandardBase64 } from '@thole/core/kit';
import type { FileData, FunctionResponsePart, InlineData, JsonObject } from '@thole/core';

const IMAGES: readonly string[] = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

/**
 * Returns the block of an image or document: images, PDFs and texts as bytes, images and PDFs at an https address, and
 * files of the Files API (`file_…`). Undefined for media that Claude cannot read, and for an empty file.
 */
export function toMediaBlock(
  { inlineData, fileData }: FunctionResponsePart,
  { hasCitations }: { hasCitations: boolean },
): JsonObject | undefined {
  const block = inlineData ? fromInlineData(inlineData) : fileData && fromFileData(fileData);
  if (block?.['type'] !== 'document') return block;
  const title = (inlineData ?? fileData)?.displayName;
  return { ...block, ...(title && { title }), ...(hasCitations && { citations: { enabled: true } }) };
}

function fromInlineData({ mimeType, data }: InlineData): JsonObject | undefined {
  const type = mediaTypeOf(mimeType);
  if (data === '') return undefined;
  const base64 = toStandardBase64(data);
  if (IMAGES.includes(type)) return { type: 'image', source: { type: 'base64', media_type: type, data: base64 } };
  if (type === 'application/pdf')
    return { type: 'document', source: { type: 'base64', media_type: type, data: base64 } };
  if (!isTextType(type)) return undefined;
  const bytes = decodeBase64(data);
  const text = bytes && new TextDecoder().decode(bytes);
  // The API rejects empty documents.
  return text ? { type: 'document', source: { type: 'text', media_type: 'text/plain', data: text } } : undefined;
}

function fromFileData({ fileUri, mimeType }: FileData): JsonObject | undefined {
  const type = mimeType === undefined ? undefined : mediaTypeOf(mimeType);
  const isImage = type === undefined ? /\.(png|jpe?g|gif|webp)(\?|$)/i.test(fileUri) : IMAGES.includes(type);
  const isDocument = type === undefined ? !isImage : type === 'application/pdf';
  if (/^file_\w+$/.test(fileUri)) {
    if (!isImage && !isDocument && !isTextType(type ?? '')) return undefined;
    return { type: isImage ? 'image' : 'document', source: { type: 'file', file_id: fileUri } };
  }
  if (!/^https:/i.test(fileUri) || (type === undefined && !isImage && !/\.pdf(\?|$)/i.test(fileUri))) return undefined;
  if (!isImage && !isDocument) return undefined;
  return { type: isImage ? 'image' : 'document', source: { type: 'url', url: fileUri } };
}
