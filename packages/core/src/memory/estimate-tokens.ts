/** Returns the approximate number of tokens of a text: one token per four bytes of UTF-8. */
export function estimateTokens(text: string): number {
  return Math.ceil(new TextEncoder().encode(text).length / 4);
}

/**
 * Returns the text if it fits into the tokens. Otherwise cuts it between two characters and adds an ellipsis, so that it
 * fits.
 */
export function clipToTokens(text: string, tokens: number): string {
  if (estimateTokens(text) <= tokens) return text;
  const encoder = new TextEncoder();
  let bytes = 3; // The ellipsis.
  let end = 0;
  for (const character of text) {
    bytes += encoder.encode(character).length;
    if (bytes > tokens * 4) break;
    end += character.length;
  }
  return `${text.slice(0, end)}…`;
}
