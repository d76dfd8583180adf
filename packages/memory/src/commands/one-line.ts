/** Text on one line, without control characters, cut where it is longer than so many characters. */
export function oneLine(text: string, length: number): string {
  const line = text
    .replace(/\s+/gu, ' ')
    .replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '')
    .trim();
  const characters = Array.from(line);
  return characters.length <= length ? line : `${characters.slice(0, length - 1).join('')}…`;
}
