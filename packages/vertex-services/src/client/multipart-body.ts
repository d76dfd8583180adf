import { joinBytes } from '@thole/core/kit';
import type { JsonObject } from '@thole/core';

/** Returns a `multipart/related` body for an upload to Google: a JSON object, then the bytes of a file. */
export function multipartBody(
  attributes: JsonObject,
  bytes: Uint8Array,
  contentType: string,
): { bytes: Uint8Array; contentType: string } {
  // The server splits the body at each boundary, so the boundary must not be in the bytes.
  let boundary = 'thole';
  const text = new TextDecoder('latin1').decode(bytes);
  while (text.includes(boundary)) boundary += text.includes(`${boundary}0`) ? '1' : '0';
  const head = `--${boundary}\r\ncontent-type: application/json; charset=UTF-8\r\n\r\n${JSON.stringify(attributes)}\r\n--${boundary}\r\ncontent-type: ${contentType}\r\n\r\n`;
  const parts = [new TextEncoder().encode(head), bytes, new TextEncoder().encode(`\r\n--${boundary}--`)];
  return { bytes: joinBytes(parts), contentType: `multipart/related; boundary=${boundary}` };
}
