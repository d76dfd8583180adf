import { base64OfBytes, bytesOfBase64, TholeError } from '@thole/core';

/**
 * Changes what is stored on its way into Redis and back, for encryption at rest: `decode(encode(text))` is the text. It gets the
 * JSON text of events, of state values and of what is known of artifacts, and artifacts' bytes as base64. Names, ids,
 * keys of state and times stay readable: Redis finds by them.
 */
export interface TextCodec {
  encode(text: string): string | Uint8Array | Promise<string | Uint8Array>;
  /** Gets what `encode` gave: text as text, bytes as bytes. */
  decode(stored: string | Uint8Array): string | Promise<string>;
}

// What a codec gave is marked; no JSON text begins so, and what was stored before there was a codec is read as it is.
const [TEXT, BYTES] = ['s', 'b'];

/** The text as it is stored. `INVALID_INPUT` when the codec gives text that is not well-formed. */
export async function encodeText(codec: TextCodec, text: string): Promise<string> {
  const encoded = await codec.encode(text);
  if (typeof encoded !== 'string') return BYTES + base64OfBytes(encoded);
  if (!encoded.isWellFormed()) {
    throw new TholeError('INVALID_INPUT', 'codec.encode must give bytes or well-formed text.');
  }
  return TEXT + encoded;
}

/** The text as it was. `STORE_VERSION` for what a codec gave where there is none. */
export async function decodeText(codec: TextCodec | undefined, stored: string): Promise<string> {
  if (!isEncoded(stored)) return stored;
  if (!codec) throw new TholeError('STORE_VERSION', 'A record in Redis was written with a codec, and none was given.');
  const rest = stored.slice(1);
  return codec.decode(stored[0] === TEXT ? rest : (bytesOfBase64(rest) ?? rest));
}

/** Whether a codec gave this. */
export function isEncoded(stored: string): boolean {
  return stored[0] === TEXT || stored[0] === BYTES;
}
