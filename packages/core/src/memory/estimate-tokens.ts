/** About how many tokens a text takes: four bytes of UTF-8 each, which is four letters of Latin script and some of others. */
export function estimateTokens(text: string): number {
  return Math.ceil(new TextEncoder().encode(text).length / 4);
}

/** The beginning of a text that fits, cut between characters, with an ellipsis where something is missing. */
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
