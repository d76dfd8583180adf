/**
 * Returns the approximate number of tokens of a text: one per four characters. Show it with "≈", because models count
 * differently.
 */
export function estimatedTokens(text: string): number {
  return Math.ceil(text.length / 4);
}
