/** How much a word's repetition (`k1`) and an entry's length (`b`) count. */
export interface Bm25Weights {
  readonly k1: number;
  readonly b: number;
}

/** For turns of a chat. */
export const shortTexts: Bm25Weights = { k1: 0.9, b: 0.5 };
/** For long messages, and for several turns taken together. */
export const longTexts: Bm25Weights = { k1: 1.2, b: 0.75 };

/** What a word is worth by its rareness; never negative. */
export function inverseDocumentFrequency(entries: number, entriesWithWord: number): number {
  return Math.log(1 + (entries - entriesWithWord + 0.5) / (entriesWithWord + 0.5));
}
