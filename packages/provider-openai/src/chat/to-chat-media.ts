import { TholeError } from '@thole/core';
import { decodeBase64, isTextType, mediaTypeOf, toStandardBase64 } from '@thole/core/kit';
import type { FileData, FunctionResponsePart, InlineData } from '@thole/core';
import type OpenAI from 'openai';

type ContentPart = OpenAI.Chat.ChatCompletionContentPart;

const AUDIO: { readonly [mimeType: string]: 'wav' | 'mp3' } = {
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/wave': 'wav',
  'audio/mp3': 'mp3',
  'audio/mpeg': 'mp3',
};

/**
 * Returns the part of a user's message for bytes or a file. Undefined for media that Chat Completions does not
 * support, and for an empty file.
 */
export function toMediaPart({ inlineData, fileData }: FunctionResponsePart, provider: string): ContentPart | undefined {
  if (inlineData) return toInlinePart(inlineData);
  return fileData && toFilePart(fileData, provider);
}

/** Returns the error with the type of media that Chat Completions does not support. */
export function unsupportedMedia({ inlineData, fileData }: FunctionResponsePart): TholeError {
  if (inlineData) return unsupportedType(inlineData.mimeType, { isEmpty: inlineData.data === '' });
  return unsupportedType(fileData?.mimeType ?? 'unknown', { suffix: ' by address' });
}

/** Converts images, audio in the formats wav and mp3, text files, and other files. */
function toInlinePart({ mimeType, data, displayName }: InlineData): ContentPart | undefined {
  if (data === '') return undefined;
  const base64 = toStandardBase64(data);
  const type = mediaTypeOf(mimeType);
  const url = `data:${type};base64,${base64}`;
  if (type.startsWith('image/')) return { type: 'image_url', image_url: { url } };
  const format = AUDIO[type];
  if (format) return { type: 'input_audio', input_audio: { data: base64, format } };
  if (type.startsWith('audio/') || type.startsWith('video/')) return undefined;
  const text = isTextType(type) ? readText(data) : undefined;
  // Many servers accept no files, or only PDFs.
  if (text !== undefined)
    return { type: 'text', text: displayName ? `File ${JSON.stringify(displayName)}:\n${text}` : text };
  return { type: 'file', file: { filename: displayName ?? `file.${extension(type)}`, file_data: url } };
}

/** Returns the bytes as text. Undefined if they are not UTF-8. */
function readText(data: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(decodeBase64(data));
  } catch {
    return undefined;
  }
}

/** Converts a file reference: an image by its address, or an OpenAI file by its id (`file-…`). */
function toFilePart({ fileUri, mimeType, displayName }: FileData, provider: string): ContentPart | undefined {
  if (/^file-[\w-]+$/.test(fileUri)) return { type: 'file', file: { file_id: fileUri } };
  const isImage = mimeType?.startsWith('image/') ?? /\.(png|jpe?g|gif|webp)(\?|$)/i.test(fileUri);
  if (isImage && /^(https?|data):/i.test(fileUri)) return { type: 'image_url', image_url: { url: fileUri } };
  // OpenRouter downloads files by address.
  if (/^https?:/i.test(fileUri) && provider === 'openrouter.ai' && !/^(audio|video)\//.test(mimeType ?? '')) {
    return { type: 'file', file: { filename: displayName ?? 'file', file_data: fileUri } };
  }
  return undefined;
}

function unsupportedType(mimeType: string, { isEmpty = false, suffix = '' }): TholeError {
  const files = isEmpty ? 'empty files' : 'files';
  return new TholeError('INVALID_INPUT', `Chat Completions does not accept ${files} of type ${mimeType}${suffix}.`);
}

function extension(type: string): string {
  return type === 'text/plain' ? 'txt' : type.slice(type.indexOf('/') + 1).replace(/[^\w]/g, '') || 'bin';
}
