import { invalidInput } from '../errors/invalid-input.ts';
import { TholeError } from '../errors/thole-error.ts';
import { encodeBase64, decodeBase64 } from '../content/base64.ts';

/**
 * Transforms JSON texts before they are stored and after they are read, for example to encrypt them.
 * `decode(encode(text))` must return the text. Names, ids, state keys and times are not transformed, because
 * databases search by them. Calls have no time limit, and later calls may wait for a call that does not end. So a codec
 * that calls a key server needs its own limit.
 */
export interface TextCodec {
  encode(text: string): string | Uint8Array | Promise<string | Uint8Array>;
  /** Receives the value that `encode` returned, with its type: a string or bytes. */
  decode(stored: string | Uint8Array): string | Promise<string>;
}

// Encoded texts begin with a mark. No JSON text begins with it, so texts that were stored without a codec are read
// unchanged.
const [TEXT, BYTES] = ['s', 'b'];

/** Throws `INVALID_INPUT` unless the value is a codec or undefined. */
export function assertTextCodec(codec: TextCodec | undefined): void {
  if (codec === undefined || (typeof codec?.encode === 'function' && typeof codec.decode === 'function')) return;
  throw invalidInput('codec', 'an object with encode and decode', codec);
}

/**
 * Returns the text to store, synchronously if there is no codec. Throws `INVALID_INPUT` for text that databases
 * cannot store.
 */
export function encodeText(codec: TextCodec | undefined, text: string): string | Promise<string> {
  return codec ? encodeWith(codec, text) : text;
}

/**
 * Returns the original text. Throws `STORE_VERSION` if the text is encoded and there is no codec, and `INVALID_INPUT` if the codec
 * returns no string.
 */
export function decodeText(codec: TextCodec | undefined, stored: string): string | Promise<string> {
  if (!isEncoded(stored)) return stored;
  if (!codec)
    throw new TholeError(
      'STORE_VERSION',
      'A record is encoded by a codec, but the service has none. Pass the codec that stored it.',
    );
  const rest = stored.slice(1);
  const decoded: unknown = codec.decode(stored[0] === TEXT ? rest : (decodeBase64(rest) ?? rest));
  return typeof decoded === 'string' ? decoded : asText(decoded);
}

/** True if a codec encoded this text. */
export function isEncoded(stored: string): boolean {
  return stored[0] === TEXT || stored[0] === BYTES;
}

async function encodeWith(codec: TextCodec, text: string): Promise<string> {
  const encoded: unknown = await codec.encode(text);
  if (encoded instanceof Uint8Array) return BYTES + encodeBase64(encoded);
  if (typeof encoded !== 'string' || encoded.includes('\0') || !encoded.isWellFormed()) {
    throw new TholeError(
      'INVALID_INPUT',
      'codec.encode must return bytes, or well-formed text without NUL characters.',
    );
  }
  return TEXT + encoded;
}

async function asText(decoded: unknown): Promise<string> {
  const text = await decoded;
  if (typeof text !== 'string') throw invalidInput('The result of codec.decode', 'a string', text);
  return text;
}
