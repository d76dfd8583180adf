import type { Content, FunctionResponsePart, Part } from '../content/content.ts';
import { mediaLine, newestUserContent } from '../content/unreadable-media.ts';
import { TholeError } from '../errors/thole-error.ts';

/**
 * Returns the contents for one more attempt after a server has rejected a file, such as a damaged image or an expired address. A
 * line of text replaces each file outside the user's newest message. Undefined for any other error, and without such files.
 */
export function withoutRejectedMedia(error: unknown, contents: readonly Content[]): Content[] | undefined {
  if (!isAboutMedia(error)) return undefined;
  const newest = newestUserContent(contents);
  let hasFiles = false;
  const changed = contents.map((content, i) => {
    if (i === newest || !content.parts?.some(hasFile)) return content;
    hasFiles = true;
    return { ...content, parts: content.parts.map(withoutFile) };
  });
  return hasFiles ? changed : undefined;
}

function isAboutMedia(error: unknown): boolean {
  // Gemini answers 403 for a file that has expired.
  if (TholeError.is(error, 'MODEL_AUTH')) return /\bfile\b/i.test(error.message);
  if (!TholeError.is(error, 'MODEL_BAD_REQUEST')) return false;
  const { code, param } = error.details ?? {};
  return [error.message, code, param].some((each) => typeof each === 'string' && MEDIA.test(each));
}

const MEDIA =
  /image|\bpdf|\bdocuments?\b|audio|video|\bfiles?\b|\bur[li]s?\b|media.?type|mime|payload size|too large|maximum size/i;

function hasFile(part: Part): boolean {
  return isFile(part) || (part.functionResponse?.parts ?? []).some(isFile);
}

/** False for an empty file, so that there is only one more attempt. */
function isFile({ inlineData, fileData }: FunctionResponsePart): boolean {
  return fileData !== undefined || (inlineData !== undefined && inlineData.data !== '');
}

function withoutFile(part: Part): Part {
  const { inlineData, fileData, functionResponse } = part;
  const file = inlineData ?? fileData;
  if (file) return { text: mediaLine(file) };
  if (!functionResponse?.parts) return part;
  return { ...part, functionResponse: { ...functionResponse, parts: functionResponse.parts.map(emptied) } };
}

/** Returns an empty file, of which providers send only the type. */
function emptied({ inlineData, fileData }: FunctionResponsePart): FunctionResponsePart {
  const { mimeType = 'application/octet-stream', displayName } = inlineData ?? fileData ?? {};
  return { inlineData: { mimeType, data: '', ...(displayName !== undefined && { displayName }) } };
}
