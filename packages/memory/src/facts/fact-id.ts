/**
 * The id of a fact: made of what it says and of the turn that says so first, so that the same fact found twice in the same
 * turns, by two processes or after a crash, is one entry.
 */
export function factId(text: string, evidence: readonly string[]): string {
  const source = JSON.stringify([normalized(text), evidence[0]]);
  return `fact-${hash(source, 0x811c9dc5)}${hash(source, 0x01234567)}`;
}

/** Texts that differ in nothing but case, white space and the sign at their end are the same. */
export function normalized(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\s+/gu, ' ')
    .replace(/[\s.!]+$/u, '')
    .trim();
}

function hash(text: string, seed: number): string {
  let value = seed;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  value = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d);
  return ((value ^ (value >>> 13)) >>> 0).toString(16).padStart(8, '0');
}
