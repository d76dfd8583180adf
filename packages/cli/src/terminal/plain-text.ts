/** Text that is safe to show: without the control characters that would move the cursor or colour the terminal. */
export function plainText(text: string): string {
  return text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, (character) =>
    character === '\n' || character === '\t' ? character : '',
  );
}

/** Text on one line, cut where it is longer than so many characters. */
export function oneLine(text: string, length: number): string {
  const characters = Array.from(plainText(text.replace(/\s+/gu, ' ')).trim());
  return characters.length <= length ? characters.join('') : `${characters.slice(0, length - 1).join('')}…`;
}
