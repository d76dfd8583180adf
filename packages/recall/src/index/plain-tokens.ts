const LETTER_AT_NUMBER = /\d[a-z]|[a-z]\d/i;

/**
 * Words of plain Latin letters and numbers, in lower case: where expressions of time and number are looked for. `words` are the
 * text's `plainWords`, where they are known: most texts have no letter beside a number, and then these are the same.
 */
export function plainTokens(text: string, words?: readonly string[]): readonly string[] {
  if (words && !LETTER_AT_NUMBER.test(text)) return words;
  return text.toLowerCase().match(/[a-z]+|\d+/g) ?? [];
}
