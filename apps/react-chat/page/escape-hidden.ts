/** Returns the text with escapes for characters that are invisible or change the direction of text, except in emoji. */
export function escapeHidden(text: string): string {
  return text.replace(/(?!\u200d)\p{Cf}/gu, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}
