import { createHash, timingSafeEqual } from 'node:crypto';

/** True if both texts are equal. Takes the same time for all wrong texts, whatever their length. */
export function isSameSecret(given: string, secret: string): boolean {
  return timingSafeEqual(hashOfSecret(given), hashOfSecret(secret));
}

function hashOfSecret(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
