/** Returns text on one line, without control characters, cut to a maximum number of characters. */
export function oneLine(text: string, maxCharacters: number): string {
  const line = text
    .replace(/\s+/gu, ' ')
    .replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '')
    .trim();
  const characters = Array.from(line);
  return characters.length <= maxCharacters ? line : `${characters.slice(0, maxCharacters - 1).join('')}…`;
}
