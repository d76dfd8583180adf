/** Returns the bytes of a base64 text. Throws if it is invalid. */
export function fromBase64(base64: string): Uint8Array<ArrayBuffer> {
  const characters = atob(base64.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = new Uint8Array(characters.length);
  // `Uint8Array.from` creates a string for each byte.
  for (let i = 0; i < bytes.length; i++) bytes[i] = characters.charCodeAt(i);
  return bytes;
}
