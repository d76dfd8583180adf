/**
 * Splits a text into pieces of at most `limit` UTF-16 units: after a paragraph, otherwise after a line or a word, otherwise within a
 * word. Never splits a surrogate pair. Drops white space around a split and blank pieces.
 */
export function splitText(text: string, limit: number): string[] {
  const pieces: string[] = [];
  let rest = text.trim();
  while (rest.length > limit) {
    const end = endOfPiece(rest, limit);
    pieces.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).trimStart();
  }
  return rest === '' ? pieces : [...pieces, rest];
}

/** Returns the end of the first piece, in its second half if possible: earlier splits would create many short messages. */
function endOfPiece(text: string, limit: number): number {
  for (const separator of ['\n\n', '\n', ' ']) {
    const end = text.lastIndexOf(separator, limit);
    if (end >= limit / 2) return end;
  }
  return isLowSurrogate(text.charCodeAt(limit)) ? limit - 1 : limit;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
