/**
 * Text that somebody else wrote, on one line and safe to quote inside a tagged block: it can open and close no tag, and no
 * part of it looks like another line.
 */
export function quotedText(text: string): string {
  return text
    .replace(/[\p{Cc}\u2028\u2029\s]+/gu, ' ')
    .replace(/[\u202a-\u202e\u2066-\u2069]/gu, '')
    .trim()
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
