/**
 * Returns cryptographically secure random bytes. Not part of `Runtime`: a runtime that repeats its random numbers must not
 * repeat the values that encryption needs only once.
 */
export function randomBytes(count: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(count));
}
