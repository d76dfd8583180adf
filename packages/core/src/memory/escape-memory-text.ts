/**
 * Escapes untrusted text, so that it can be quoted inside a tagged block. The result cannot open or close a tag, all its
 * line ends are `\n`, and control characters are removed.
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
