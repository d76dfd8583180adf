// From Node 25 and in browsers since 2025. Encoding is fifty times as fast as in a loop.
type FastBase64 = { fromBase64?(text: string): Uint8Array; prototype: { toBase64?(this: Uint8Array): string } };
const fast = Uint8Array as unknown as FastBase64;

/** Returns the bytes of base64 or base64url text. Undefined for other text. */
export function decodeBase64(text: string): Uint8Array | undefined {
  const standard = /[-_]/.test(text) ? text.replaceAll('-', '+').replaceAll('_', '/') : text;
  try {
    return fast.fromBase64 ? fast.fromBase64(standard) : decodeByHand(standard);
  } catch {
    return undefined;
  }
}

function decodeByHand(text: string): Uint8Array {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** Returns the bytes as standard base64 text. */
export function encodeBase64(bytes: Uint8Array): string {
  return fast.prototype.toBase64 ? fast.prototype.toBase64.call(bytes) : encodeByHand(bytes);
}

function encodeByHand(bytes: Uint8Array): string {
  let binary = '';
  // In chunks, because the number of arguments of a call is limited.
  for (let i = 0; i < bytes.length; i += 8192) binary += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return btoa(binary);
}

/** Returns base64 or base64url text as standard base64 with padding and without line breaks, because servers reject other forms. */
export function toStandardBase64(data: string): string {
  const text = data.replaceAll(/\s/g, '').replaceAll('-', '+').replaceAll('_', '/');
  return text.endsWith('=') ? text : text.padEnd(Math.ceil(text.length / 4) * 4, '=');
}

/** True for base64 or base64url text, also with line breaks or without padding. Much faster than decoding it. */
export function isBase64(text: string): boolean {
  const compact = text.replaceAll(/[\t\n\f\r ]/g, '');
  const padding = compact.endsWith('==') ? 2 : compact.endsWith('=') ? 1 : 0;
  if (/[^\w+/-]/.test(padding > 0 ? compact.slice(0, -padding) : compact)) return false;
  return padding > 0 ? compact.length % 4 === 0 : compact.length % 4 !== 1;
}
