/**
 * Returns the sentences of a text. A full stop ends a sentence only before a new line, a capital letter or the end, so
 * that numbers with a point are not split.
 */
export function splitSentences(text: string): string[] {
  return text
    .split(/(?<=[.!?…])\s+(?=["“(]?\p{Lu})|\n+/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
}
