import { base64OfBytes, bytesOfBase64, TholeError } from '@thole/core';

type MaybePromise<T> = T | Promise<T>;

/** Changes texts on their way into the database and back, as for encryption at rest: `decode(encode(text))` is the text. */
export interface TextCodec {
  encode(text: string): MaybePromise<string | Uint8Array>;
  /** Gets what `encode` gave: text as text, bytes as bytes. */
  decode(stored: string | Uint8Array): MaybePromise<string>;
}

/** What `encode` gave is marked, which JSON texts are not: what was stored before there was a codec is read as it is. */
const TEXT = 's';
const BYTES = 'b';

/** The text as it is stored; at once where there is no codec. */
export function encodeText(codec: TextCodec | undefined, text: string): MaybePromise<string> {
  return codec ? encodeBy(codec, text) : text;
}

/** The text as it was. `STORE_VERSION` for a text that was encoded where there is no codec. */
export function decodeText(codec: TextCodec | undefined, stored: string): MaybePromise<string> {
  const mark = stored[0];
  if (mark !== TEXT && mark !== BYTES) return stored;
  if (!codec) throw new TholeError('STORE_VERSION', 'A record is encoded by a codec, and none was given.');
  const rest = stored.slice(1);
  return codec.decode(mark === TEXT ? rest : (bytesOfBase64(rest) ?? rest));
}

async function encodeBy(codec: TextCodec, text: string): Promise<string> {
  const encoded = await codec.encode(text);
  if (typeof encoded !== 'string') return BYTES + base64OfBytes(encoded);
  if (encoded.includes('\0') || !encoded.isWellFormed()) {
    throw new TholeError('INVALID_INPUT', 'codec.encode must give bytes, or well-formed text without NUL characters.');
  }
  return TEXT + encoded;
}
