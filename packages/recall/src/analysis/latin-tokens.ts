/** Returns the words of unaccented Latin letters, and the numbers, of a text in lower case. Used to detect times and numbers. */
export function latinTokens(text: string): readonly string[] {
  return text.toLowerCase().match(/[a-z]+|\d+/g) ?? [];
}
