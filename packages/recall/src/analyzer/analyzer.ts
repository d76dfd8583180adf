/** Turns text into the words that an index keeps and a query asks for. Strangers implement this. */
export interface Analyzer {
  /** Another for every change of what `words` answers: an index is only good for the analyzer that made it. */
  readonly id: string;
  /**
   * The words in order, repeated ones too. An entry may give more than a query of the same text does (single characters
   * beside pairs), never less.
   */
  words(text: string, of: 'entry' | 'query'): string[];
}
