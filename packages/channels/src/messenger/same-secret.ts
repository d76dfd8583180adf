import { createHash, timingSafeEqual } from 'node:crypto';

/** True if both texts are equal. The time does not depend on where they differ, or on their lengths. */
export function isSameSecret(given: string, secret: string): boolean {
  return timingSafeEqual(hashOfSecret(given), hashOfSecret(secret));
}

function hashOfSecret(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
