/**
 * Returns a statement in lower case, with single spaces and without a final `.` or `!`. Statements with the same result are the
 * same memory.
 */
export function normalizeStatement(text: string): string {
  // Without the lookbehind, a long series of full stops inside the text would take quadratic time.
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\s+/gu, ' ')
    .replace(/(?<![\s.!])[\s.!]+$/u, '')
    .trim();
}
