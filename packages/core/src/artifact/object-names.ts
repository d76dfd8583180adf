import { encodeBase64 } from '../content/base64.ts';

/** Four parts of this length and a version fit into the 1,024 bytes of an object's name. */
const MAX_ENCODED = 200;
const KEPT_LENGTH = 100;

/**
 * Encodes a name as one part of an object's name. Letters, digits, `-`, `_` and most dots stay unchanged, all other
 * characters are encoded with `%`. A long name is cut, and a hash of the whole name is added.
 */
export async function encodeObjectName(name: string): Promise<string> {
  const encoded = encodeURIComponent(name)
    .replaceAll(/[!'()*~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(/^\.+$/, (dots) => dots.replaceAll('.', '%2E'));
  if (encoded.length <= MAX_ENCODED) return encoded;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(name));
  const hash = encodeBase64(new Uint8Array(digest)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  return `${encoded.slice(0, KEPT_LENGTH).replace(/%[\dA-F]?$/, '')}~${hash}`;
}

/** Decodes a part of an object's name. Undefined if the part contains a hash: the name is then in the metadata. */
export function decodeObjectName(encoded: string): string | undefined {
  if (encoded.includes('~')) return undefined;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
