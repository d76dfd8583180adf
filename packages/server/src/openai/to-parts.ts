import { decodeBase64, isPlainObject } from '@thole/core/kit';
import type { Part } from '@thole/core';
import { openAiError } from './open-ai-error.ts';

type Members = { readonly [name: string]: unknown };

/** Media types by file extension. */
const typesByExtension: { readonly [extension: string]: string } = {
  ...{ png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg', gif: 'image/gif', webp: 'image/webp' },
  ...{ pdf: 'application/pdf', txt: 'text/plain', md: 'text/markdown', csv: 'text/csv', json: 'application/json' },
};

/**
 * Returns the parts of a message of the user, in the form of Chat Completions or Responses. Empty texts are left out.
 * Throws `INVALID_INPUT` for a part that is not supported, such as a file that only has an id.
 */
export function toParts(content: unknown, param: string): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ text: content }];
  if (!Array.isArray(content)) throw openAiError(`${param} must be a string or a list of parts.`, { param });
  return content.flatMap((each: unknown, i) => toPart(each, `${param}[${i}]`));
}

/** Returns the text of a message of the assistant, with refusals. Other parts are left out. */
export function readText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const texts = content.map((each: unknown) => (isPlainObject(each) ? (each['text'] ?? each['refusal']) : undefined));
  return texts.filter((text) => typeof text === 'string').join('');
}

function toPart(part: unknown, param: string): Part[] {
  if (!isPlainObject(part)) throw openAiError(`${param} must be an object.`, { param });
  switch (part['type']) {
    case 'text':
    case 'input_text':
    case 'output_text': {
      const text = readTextMember(part, 'text', param);
      return text === '' ? [] : [{ text }];
    }
    case 'image_url': {
      const image = part['image_url'];
      return [fromUrl(isPlainObject(image) ? readTextMember(image, 'url', param) : image, 'image/*', param)];
    }
    case 'input_image':
      return [fromUrl(part['image_url'], 'image/*', param)];
    case 'file':
      return [fromFile(isPlainObject(part['file']) ? part['file'] : {}, param)];
    case 'input_file':
      return [fromFile(part, param)];
    case 'input_audio': {
      const audio = isPlainObject(part['input_audio']) ? part['input_audio'] : {};
      const format = audio['format'] === 'mp3' ? 'audio/mpeg' : 'audio/wav';
      return [toInlinePart(readTextMember(audio, 'data', param), format, param)];
    }
    default:
      throw openAiError(`${param} has an unsupported type.`, { param });
  }
}

function fromFile(file: Members, param: string): Part {
  const { filename, file_data: data, file_url: url } = file;
  const name = typeof filename === 'string' && filename !== '' ? filename : undefined;
  const type = typeOf(name ?? '') ?? 'application/pdf';
  if (typeof data === 'string')
    return data.startsWith('data:') ? fromUrl(data, type, param, name) : toInlinePart(data, type, param, name);
  if (typeof url === 'string') return fromUrl(url, type, param, name);
  throw openAiError(`${param} must have file_data or file_url: files with an id are not supported.`, { param });
}

/** Returns the part of a data URL, or of a web URL, which the model's provider reads. */
function fromUrl(url: unknown, defaultType: string, param: string, name?: string): Part {
  if (typeof url !== 'string') throw openAiError(`${param} must have a URL: ids are not supported.`, { param });
  if (url.startsWith('data:')) {
    const [, type, data] = /^data:([\w.+-]+\/[\w.+-]+)(?:;[^,;]+)*;base64,(.*)$/s.exec(url) ?? [];
    if (!type) throw openAiError(`${param} must have a data URL with a type and base64.`, { param });
    return toInlinePart(data!, type, param, name);
  }
  // Other schemes could name files that only the server may read.
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw openAiError(`${param} must have a URL with the scheme https, http or data.`, { param });
  return { fileData: { fileUri: url, mimeType: typeOf(new URL(url).pathname) ?? defaultType, ...nameOf(name) } };
}

function toInlinePart(data: string, mimeType: string, param: string, name?: string): Part {
  if (!decodeBase64(data)) throw openAiError(`${param} must have base64 data.`, { param });
  return { inlineData: { mimeType, data, ...nameOf(name) } };
}

function nameOf(displayName: string | undefined): { displayName?: string } {
  return displayName === undefined ? {} : { displayName };
}

function typeOf(name: string): string | undefined {
  const extension = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(typesByExtension, extension) ? typesByExtension[extension] : undefined;
}

function readTextMember(object: Members, name: string, param: string): string {
  const value = object[name];
  if (typeof value !== 'string') throw openAiError(`${param}.${name} must be a string.`, { param });
  return value;
}
