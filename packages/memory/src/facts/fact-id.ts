import { normalizeStatement } from '@thole/core/kit';

/**
 * Returns the id of a fact, a hash of its text and its first evidence. If two processes find the same fact in the same turns, or one
 * process finds it again after a crash, there is only one entry.
 */
export function computeFactId(text: string, evidence: readonly string[]): string {
  const source = JSON.stringify([normalizeStatement(text), evidence[0]]);
  return `fact-${hash(source, 0x811c9dc5)}${hash(source, 0x01234567)}`;
}

function hash(text: string, seed: number): string {
  let value = seed;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  value = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d);
  return ((value ^ (value >>> 13)) >>> 0).toString(16).padStart(8, '0');
}
