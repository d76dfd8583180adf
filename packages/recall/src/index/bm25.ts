/** The parameters of BM25: the effect of repeated words (`k1`) and of an entry's length (`b`). */
export interface Bm25Weights {
  readonly k1: number;
  readonly b: number;
}

/** Parameters for turns of a chat. */
export const shortTexts: Bm25Weights = { k1: 0.9, b: 0.5 };
/** Parameters for long messages, windows and sessions. */
export const longTexts: Bm25Weights = { k1: 1.2, b: 0.75 };

/** Returns the inverse document frequency of a word, which is never negative. */
export function inverseDocumentFrequency(entries: number, entriesWithWord: number): number {
  return Math.log(1 + (entries - entriesWithWord + 0.5) / (entriesWithWord + 0.5));
}
