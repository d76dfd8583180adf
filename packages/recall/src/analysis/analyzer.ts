/** Splits texts of entries and queries into the words of an index. Applications may implement this interface. */
export interface Analyzer {
  /** Identifies the result of `words`. Change it whenever the result changes: a saved index is only loaded with the id of its analyzer. */
  readonly id: string;
  /**
   * Returns the words in order, including repetitions. An entry may have more words than a query with the same text (single
   * characters next to pairs), but never fewer. A word that starts with `~` is a variant, such as a stem in another possible
   * language. A variant is searched like other words, has half the weight, and does not count for the text's length.
   */
  words(text: string, of: 'entry' | 'query'): string[];
}

/** True if an `Analyzer` has marked the word as a variant. */
export function isVariant(word: string): boolean {
  return word.charCodeAt(0) === 126;
}
