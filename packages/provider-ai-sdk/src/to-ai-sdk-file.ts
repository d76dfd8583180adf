import { TholeError } from '@thole/core';
import { decodeBase64, mediaLine, mediaTypeOf, toStandardBase64 } from '@thole/core/kit';
import type { FileData, InlineData, JsonObject, Part } from '@thole/core';
import type { RequestTarget } from './ai-sdk-options.ts';

/** A file of a prompt in the format of v3 or v4. An address is a `URL`, so a file may not be JSON. */
export interface PromptFile {
  readonly type: 'file';
  readonly mediaType: string;
  readonly filename?: string | undefined;
  readonly data: unknown;
  readonly providerOptions?: JsonObject | undefined;
}

/**
 * Returns the file of a part for the model. Undefined for an empty file, for a media type that the model rejected, and for an address that
 * the model does not read itself, because this package downloads nothing.
 */
export function toPromptFile(part: Part, target: RequestTarget): PromptFile | undefined {
  const { inlineData, fileData } = part;
  if (inlineData) return fromInlineData(inlineData, target);
  return fileData && fromFileData(fileData, target);
}

/** Returns the file, or a line of text for a file that the model cannot read. Undefined for a part without a file. */
export function toFileOrLine(
  part: Part,
  target: RequestTarget,
): PromptFile | { type: 'text'; text: string } | undefined {
  const file = part.inlineData ?? part.fileData;
  return file && (toPromptFile(part, target) ?? { type: 'text', text: mediaLine(file) });
}

/** Returns the error for a file in the newest message that the model cannot read. */
export function unreadableFile(part: Part, location: string, { endpoint }: RequestTarget): TholeError {
  const type = part.inlineData?.mimeType ?? part.fileData?.mimeType ?? 'unknown';
  const description = part.inlineData
    ? `${part.inlineData.data === '' ? 'empty data' : 'data'} of type ${type}`
    : `files of type ${type} at this address`;
  return new TholeError('INVALID_INPUT', `The model of ${endpoint.name} does not accept ${description} (${location}).`);
}

function fromInlineData({ mimeType, data, displayName }: InlineData, target: RequestTarget): PromptFile | undefined {
  const mediaType = mediaTypeOf(mimeType);
  if (data === '' || target.unreadable?.has(mediaType)) return undefined;
  const base64 = toStandardBase64(data);
  // Some models read text files only as bytes.
  const bytes = mediaType.startsWith('text/') ? (decodeBase64(base64) ?? base64) : base64;
  return {
    type: 'file',
    mediaType,
    ...(displayName !== undefined && { filename: displayName }),
    data: target.version === 'v4' ? { type: 'data', data: bytes } : bytes,
  };
}

function fromFileData({ fileUri, mimeType, displayName }: FileData, target: RequestTarget): PromptFile | undefined {
  const [, type, base64] = /^data:([^;,]*)(?:;[^,]*)?;base64,(.*)$/is.exec(fileUri) ?? [];
  if (base64 !== undefined) {
    const mediaTypeInside = mimeType ?? (type || 'application/octet-stream');
    return fromInlineData(
      { mimeType: mediaTypeInside, data: base64, ...(displayName !== undefined && { displayName }) },
      target,
    );
  }
  const mediaType = mimeType === undefined ? guessType(fileUri) : mediaTypeOf(mimeType);
  if (mediaType === undefined || target.unreadable?.has(mediaType)) return undefined;
  const url = URL.parse(fileUri);
  if (!url || !isSupported(fileUri, mediaType, target.supportedUrls ?? {})) return undefined;
  return {
    type: 'file',
    mediaType,
    ...(displayName !== undefined && { filename: displayName }),
    data: target.version === 'v4' ? { type: 'url', url } : url,
  };
}

function isSupported(url: string, mediaType: string, urls: NonNullable<RequestTarget['supportedUrls']>): boolean {
  return Object.entries(urls).some(([pattern, addresses]) => {
    const isType = pattern === '*' || pattern === '*/*' || pattern === mediaType;
    const isFamily = pattern.endsWith('/*') && mediaType.startsWith(pattern.slice(0, -1));
    return (isType || isFamily) && addresses.some((address) => address.test(url));
  });
}

const TYPES: { readonly [extension: string]: string } = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  pdf: 'application/pdf',
};

function guessType(uri: string): string | undefined {
  const [, extension = ''] = /\.(\w+)(?:[?#]|$)/.exec(uri) ?? [];
  return Object.hasOwn(TYPES, extension.toLowerCase()) ? TYPES[extension.toLowerCase()] : undefined;
}
