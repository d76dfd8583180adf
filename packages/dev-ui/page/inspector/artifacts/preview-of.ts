import type { Part } from '@thole/core';
import { fromBase64 } from '../../components/from-base64.ts';

/** The preview of a file. `file`: no preview. `link`: a file at another address, which is not fetched. */
export type Preview =
  | { kind: 'image' | 'audio' | 'video'; url: string; mimeType: string; bytes: number }
  | { kind: 'text'; text: string; mimeType: string; bytes: number }
  | { kind: 'file'; mimeType: string; bytes: number }
  | { kind: 'link'; url: string; mimeType: string };

/** Returns the preview of one version of an artifact. Valid JSON is indented. Text that is not UTF-8 has no preview. */
export function previewOf({ inlineData, fileData, text }: Part): Preview {
  if (text !== undefined) {
    const file = { mimeType: 'text/plain', bytes: sizeOf(text) };
    return file.bytes > MAX_TEXT_BYTES ? { kind: 'file', ...file } : { kind: 'text', text, ...file };
  }
  if (fileData) return { kind: 'link', url: fileData.fileUri, mimeType: fileData.mimeType ?? '' };
  if (!inlineData) return { kind: 'file', mimeType: 'application/octet-stream', bytes: 0 };
  const { mimeType: givenType, data } = inlineData;
  const mimeType = givenType.toLowerCase();
  const bytes = bytesIn(data);
  const [family] = mimeType.split('/');
  // An SVG in an <img> cannot run scripts.
  if (family === 'image' || family === 'audio' || family === 'video')
    return { kind: family, url: `data:${mimeType};base64,${data}`, mimeType, bytes };
  const content = isText(mimeType) && bytes <= MAX_TEXT_BYTES ? decodeText(data) : undefined;
  if (content === undefined) return { kind: 'file', mimeType, bytes };
  return { kind: 'text', text: /[/+]json\b/.test(mimeType) ? formatJson(content) : content, mimeType, bytes };
}

/** Returns the bytes of a part, to save them as a file. */
export function bytesOf({ inlineData, text }: Part): Uint8Array<ArrayBuffer> {
  if (text !== undefined) return new TextEncoder().encode(text);
  return fromBase64(inlineData?.data ?? '');
}

/** Maximum size of a text with a preview: a browser needs seconds to draw a longer text. */
const MAX_TEXT_BYTES = 1_000_000;

const sizeOf = (text: string): number => new TextEncoder().encode(text).length;

/** Returns the number of bytes in a base64 text. */
export function bytesIn(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return Math.floor((base64.length * 3) / 4) - (base64.length % 4 === 0 ? padding : 0);
}

const isText = (mimeType: string): boolean =>
  /^text\/|[/+](json|xml|yaml|javascript|typescript|csv|x-sh|sql|toml)\b/.test(mimeType);

function decodeText(base64: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(fromBase64(base64));
  } catch {
    return undefined;
  }
}

/** Returns valid JSON with line breaks and indents. Its numbers and strings stay as they are written. */
function formatJson(json: string): string {
  try {
    JSON.parse(json);
  } catch {
    return json;
  }
  let depth = 0;
  const newLine = (): string => `\n${'  '.repeat(depth)}`;
  return json.replace(/"(?:[^"\\]|\\.)*"|[{[]\s*[}\]]|[{}[\],:]|\s+/g, (token) => {
    if (token === '{' || token === '[') return token + (depth++, newLine());
    if (token === '}' || token === ']') return (depth--, newLine()) + token;
    if (token === ',') return token + newLine();
    if (token === ':') return ': ';
    return token.startsWith('"') ? token : token.replace(/\s+/, '');
  });
}
