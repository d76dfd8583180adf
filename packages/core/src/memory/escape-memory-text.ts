/**
 * Text that somebody else wrote, made safe to quote inside a tagged block: no tag can be opened or closed by it, every line
 * end is a plain one, and control characters are gone.
 */
export function escapeMemoryText(text: string): string {
  return text
    .replace(/\r\n|[\r\n\v\f\u0085\u2028\u2029]/g, '\n')
    .replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, (character) =>
      character === '\n' || character === '\t' ? character : '',
    )
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
