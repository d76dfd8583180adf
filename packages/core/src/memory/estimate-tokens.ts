/** Returns the approximate number of tokens of a text: one for four bytes of UTF-8. */
export function estimateTokens(text: string): number {
  return Math.ceil(new TextEncoder().encode(text).length / 4);
}

/**
 * Returns the beginning of a text that fits into the tokens, cut between characters, with an ellipsis if text is
 * missing.
 */
export function clipToTokens(text: string, tokens: number): string {
  if (estimateTokens(text) <= tokens) return text;
  const encoder = new TextEncoder();
  let bytes = 3; // of the ellipsis
  let end = 0;
  for (const character of text) {
    bytes += encoder.encode(character).length;
    if (bytes > tokens * 4) break;
    end += character.length;
  }
  return `${text.slice(0, end)}…`;
}
