import { invalidInput } from '../errors/invalid-input.ts';
import { TholeError } from '../errors/thole-error.ts';
import { encodeBase64, decodeBase64 } from '../content/base64.ts';

/**
 * Changes JSON texts on their way into a database and back, as for encryption at rest: `decode(encode(text))` is the text. Names,
 * ids, keys of state and times stay readable, for databases find by them.
 */
export interface TextCodec {
  encode(text: string): string | Uint8Array | Promise<string | Uint8Array>;
  /** Gets what `encode` gave: text as text, bytes as bytes. */
  decode(stored: string | Uint8Array): string | Promise<string>;
}

// What a codec gave is marked; no JSON text begins so, and what was stored before there was a codec is read as it is.
const [TEXT, BYTES] = ['s', 'b'];

/** Refuses (`INVALID_INPUT`) what is no codec; undefined is fine. */
export function assertTextCodec(codec: TextCodec | undefined): void {
  if (codec === undefined || (typeof codec?.encode === 'function' && typeof codec.decode === 'function')) return;
  throw invalidInput('codec', 'an object with encode and decode', codec);
}

/** The text as it is stored; at once where there is no codec. `INVALID_INPUT` for text that no database takes. */
export function encodeText(codec: TextCodec | undefined, text: string): string | Promise<string> {
  return codec ? encodeBy(codec, text) : text;
}

/** The text as it was. `STORE_VERSION` for a text that was encoded where there is no codec. */
export function decodeText(codec: TextCodec | undefined, stored: string): string | Promise<string> {
  if (!isEncoded(stored)) return stored;
  if (!codec) throw new TholeError('STORE_VERSION', 'A record is encoded by a codec, and none was given.');
  const rest = stored.slice(1);
  return codec.decode(stored[0] === TEXT ? rest : (decodeBase64(rest) ?? rest));
}

/** Whether a codec gave this. */
export function isEncoded(stored: string): boolean {
  return stored[0] === TEXT || stored[0] === BYTES;
}

async function encodeBy(codec: TextCodec, text: string): Promise<string> {
  const encoded = await codec.encode(text);
  if (typeof encoded !== 'string') return BYTES + encodeBase64(encoded);
  if (encoded.includes('\0') || !encoded.isWellFormed()) {
    throw new TholeError('INVALID_INPUT', 'codec.encode must give bytes, or well-formed text without NUL characters.');
  }
  return TEXT + encoded;
}
