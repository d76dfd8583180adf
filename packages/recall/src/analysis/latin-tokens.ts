/** Words of plain Latin letters and numbers, in lower case: where expressions of time and number are looked for. */
export function latinTokens(text: string): readonly string[] {
  return text.toLowerCase().match(/[a-z]+|\d+/g) ?? [];
}
