/** Turns text into the words that an index keeps and a query asks for. Strangers implement this. */
export interface Analyzer {
  /** Another for every change of what `words` answers: an index is only good for the analyzer that made it. */
  readonly id: string;
  /**
   * The words in order, repeated ones too. An entry may give more than a query of the same text does (single characters
   * beside pairs), never less. A word that begins with `~` is a further form of the words before it, such as a stem in a
   * language that the text may be in: it is found like any other, counts half, and is not counted as part of the text's length.
   */
  words(text: string, of: 'entry' | 'query'): string[];
}

/** True if a word is a further form, as an `Analyzer` marks it. */
export function isVariant(word: string): boolean {
  return word.charCodeAt(0) === 126;
}
