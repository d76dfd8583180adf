import { toStandardBase64 } from '@thole/core/kit';
import type { FileData, InlineData, JsonObject, Part } from '@thole/core';

const IMAGES: readonly string[] = ['image/png', 'image/jpeg', 'image/jpg', 'image/gif', 'image/webp'];

/**
 * Returns the input for a part with text, bytes or a file. Undefined for other parts, empty texts, empty files, and unsupported media
 * (audio, video, other image types, files of other clouds).
 */
export function toInputContent(part: Part): JsonObject | undefined {
  if (part.inlineData) return fromInlineData(part.inlineData);
  if (part.fileData) return fromFileData(part.fileData);
  return part.text ? { type: 'input_text', text: part.text } : undefined;
}

function fromInlineData({ mimeType, data, displayName }: InlineData): JsonObject | undefined {
  const type = withoutParameters(mimeType);
  if (data === '') return undefined;
  const url = `data:${type};base64,${toStandardBase64(data)}`;
  if (IMAGES.includes(type)) return { type: 'input_image', detail: 'auto', image_url: url };
  if (!isDocument(type)) return undefined;
  return { type: 'input_file', filename: displayName ?? nameFor(type), file_data: url };
}

function fromFileData({ fileUri, mimeType }: FileData): JsonObject | undefined {
  const type = mimeType === undefined ? undefined : withoutParameters(mimeType);
  const isImage = type === undefined ? /\.(png|jpe?g|gif|webp)([?#]|$)/i.test(fileUri) : IMAGES.includes(type);
  if (type !== undefined && !isImage && !isDocument(type)) return undefined;
  // `fileUri` is the id of a file that the provider stores.
  if (fileUri.startsWith('file-')) {
    return isImage
      ? { type: 'input_image', detail: 'auto', file_id: fileUri }
      : { type: 'input_file', file_id: fileUri };
  }
  if (!/^(https?|data):/i.test(fileUri)) return undefined;
  if (isImage) return { type: 'input_image', detail: 'auto', image_url: fileUri };
  if (/^data:/i.test(fileUri)) {
    return { type: 'input_file', filename: nameFor(type ?? 'application/pdf'), file_data: fileUri };
  }
  return { type: 'input_file', file_url: fileUri };
}

const withoutParameters = (mimeType: string): string => mimeType.replace(/;.*$/s, '').trim().toLowerCase();
const isDocument = (type: string): boolean => /^(application|text)\//.test(type);

function nameFor(type: string): string {
  const [, subtype = ''] = type.split('/');
  const known: { readonly [subtype: string]: string } = { plain: 'txt', markdown: 'md', javascript: 'js' };
  return `file.${known[subtype] ?? subtype.replace(/^.*[.+-]/, '')}`;
}
