import { encodeBase64 } from '../content/base64.ts';

/** Four parts of this length and a version fit into the 1,024 bytes of an object's name. */
const MAX_ENCODED = 200;
const HASHED_START = 100;

/**
 * Returns a name as one part of an object's name. Letters, digits, `-`, `_` and most dots stay, all else is encoded with
 * `%`. Of a long name only the start stays, with a hash of the whole name.
 */
export async function encodeObjectName(name: string): Promise<string> {
  const encoded = encodeURIComponent(name)
    .replaceAll(/[!'()*~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(/^\.+$/, (dots) => dots.replaceAll('.', '%2E'));
  if (encoded.length <= MAX_ENCODED) return encoded;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(name));
  const hash = encodeBase64(new Uint8Array(digest)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  return `${encoded.slice(0, HASHED_START).replace(/%[\dA-F]?$/, '')}~${hash}`;
}

/** Returns the name of an encoded part. Undefined if it has a hash: the name is then in the metadata. */
export function decodeObjectName(encoded: string): string | undefined {
  if (encoded.includes('~')) return undefined;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
