/**
 * Returns untrusted text on one line, escaped for a quotation in a tagged block: it cannot open or close a tag, or imitate another
 * line.
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

/** Returns lines in a tagged block. The caller must quote texts in them. */
export function taggedBlock(tag: string, lines: readonly string[]): string {
  return `<${tag}>\n${lines.join('\n')}\n</${tag}>`;
}
