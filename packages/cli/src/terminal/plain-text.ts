/** Returns a text without the control characters that move the cursor or colour a terminal. */
export function plainText(text: string): string {
  return text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, (character) =>
    character === '\n' || character === '\t' ? character : '',
  );
}

/** Returns a text on one line without control characters, cut after `maxLength` characters. */
export function oneLine(text: string, maxLength: number): string {
  const characters = Array.from(plainText(text.replace(/\s+/gu, ' ')).trim());
  return characters.length <= maxLength ? characters.join('') : `${characters.slice(0, maxLength - 1).join('')}…`;
}
